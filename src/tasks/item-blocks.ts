import type { KnownBlock } from '@slack/types';
import { context, section } from '../slack/blocks.ts';
import { bold, dateText } from '../slack/text.ts';
import type { Draft } from './draft.ts';
import { counted, itemsOf, labelOf, titleOf } from './tree.ts';

/** What is moved, and how old the knowledge of it is. */
export function itemBlocks({ item, from, readAt }: Draft): KnownBlock[] {
  const name = [bold(labelOf(item)), titleOf(item, 200)].filter((each) => each !== '').join(' ');
  const below = itemsOf(item).length - 1;
  const with_ = below === 0 ? 'without sub-items' : `with ${counted(below, 'sub-item')}`;
  const at = dateText(readAt, new Date(readAt).toISOString());
  return [section(`${name}, ${with_}`), context(`${AGES[from]} ${at}`)];
}

const AGES = {
  http: 'Read from the service',
  push: 'As an automation reported it',
  manual: 'As it was entered',
} as const satisfies Record<Draft['from'], string>;
