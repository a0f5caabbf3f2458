import type { SlackMessage } from '../operations/report.ts';
import { actions, button, context, section } from '../slack/blocks.ts';
import { bold, dateText } from '../slack/text.ts';
import { ACTIONS } from './actions.ts';
import type { SnapshotPost } from './snapshot-post.ts';
import { counted, labelOf, titleOf } from './tree.ts';

/** A work item as an automation reported it, with a button to move it. */
export function snapshotMessage({ item, count, createdAt }: SnapshotPost): SlackMessage {
  const label = labelOf(item);
  const title = titleOf(item, 300);
  const below = count > 1 ? `with ${counted(count - 1, 'sub-item')}` : 'without sub-items';
  const at = dateText(createdAt, new Date(createdAt).toISOString());
  return {
    text: title === '' ? `Work item ${label}` : `Work item ${label}: ${title}`,
    blocks: [
      section([bold(label), title].filter((each) => each !== '').join(' ')),
      context(`${below} · reported ${at}`),
      actions('tasks.snapshot', [button(ACTIONS.begin, 'Move…', item.id)]),
    ],
  };
}
