import type { KnownBlock } from '@slack/types';
import { context, section } from '../slack/blocks.ts';
import { bold, cutPlain, dateText, escapeMrkdwn } from '../slack/text.ts';
import type { Draft } from './draft.ts';
import { counted, itemsOf, labelOf } from './tree.ts';

/** What is moved, and how old the knowledge of it is. */
export function itemBlocks({ item, from, readAt }: Draft): KnownBlock[] {
  const title =
    item.key === null || item.title === null
      ? ''
      : ` ${escapeMrkdwn(cutPlain(item.title, 200)[0])}`;
  const below = itemsOf(item).length - 1;
  const with_ = below === 0 ? 'without sub-items' : `with ${counted(below, 'sub-item')}`;
  const at = dateText(readAt, new Date(readAt).toISOString());
  return [section(`${bold(labelOf(item))}${title}, ${with_}`), context(`${AGES[from]} ${at}`)];
}

const AGES = {
  http: 'Read from the service',
  push: 'As an automation reported it',
  manual: 'As it was entered',
} as const satisfies Record<Draft['from'], string>;
