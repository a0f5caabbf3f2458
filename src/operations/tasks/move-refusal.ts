import type { Core } from '../../core/core.ts';
import { recordRefusal } from '../../core/people/permission.ts';
import { type Beginning, type Draft, movedBy } from './draft.ts';
import { mayMove, REFUSED, type Way } from './may-move.ts';
import { notChecked, refusalSentence } from './sentences.ts';

interface Asked {
  /** Absent: the draft's. */
  readonly way?: Way;
  /** The account was already read for the same press. */
  readonly isAccountRead?: boolean;
}

/**
 * Why the person cannot continue a draft, as a sentence that is also logged; null: they can, as far as the draft has
 * come. Throws StoreError.
 */
export async function moveRefusal(
  core: Core,
  draft: Beginning | Draft,
  { way, isAccountRead = false }: Asked = {},
): Promise<string | null> {
  const { by: user, channel } = draft;
  let isRead = isAccountRead;
  for (const each of way === undefined ? waysOf(draft) : [way]) {
    const permission = await mayMove(core, { user, channel, isAccountRead: isRead }, each);
    isRead = true;
    if (permission.kind === 'failed') return notChecked(permission.of);
    if (permission.kind === 'not-allowed') {
      await recordRefusal(core.store, REFUSED, { user, channel, code: permission.code });
      return refusalSentence(permission.code);
    }
  }
  return null;
}

/** The ways of all items that a draft moves. */
function waysOf(draft: Beginning | Draft): readonly Way[] {
  if (!('item' in draft)) return [wayOf(draft)];
  const { target } = draft;
  const projects = new Set(movedBy(draft).map(({ item }) => item.projectId));
  return [...projects].map((from) => ({ from, ...(target && { to: target.projectId }) }));
}

/** The way that a draft of one item leads. */
export function wayOf(draft: Beginning | Draft): Way {
  return {
    ...('item' in draft && { from: draft.item.projectId }),
    ...(draft.target !== undefined && { to: draft.target.projectId }),
  };
}
