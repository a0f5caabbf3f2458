import type { Core } from '../../core/core.ts';
import { recordRefusal } from '../../core/people/permission.ts';
import type { Beginning, Draft } from './draft.ts';
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
  { way = wayOf(draft), isAccountRead = false }: Asked = {},
): Promise<string | null> {
  const { by: user, channel } = draft;
  const permission = await mayMove(core, { user, channel, isAccountRead }, way);
  switch (permission.kind) {
    case 'allowed':
      return null;
    case 'failed':
      return notChecked(permission.of);
    case 'not-allowed':
      await recordRefusal(core.store, REFUSED, { user, channel, code: permission.code });
      return refusalSentence(permission.code);
  }
}

/** The way a draft leads. */
export function wayOf(draft: Beginning | Draft): Way {
  return {
    ...('item' in draft && { from: draft.item.projectId }),
    ...(draft.target !== undefined && { to: draft.target.projectId }),
  };
}
