import type { Due } from '../../core/engine/first-due.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import type { RecordDependencies } from '../../core/engine/put-record.ts';
import { signalPage } from '../../core/engine/signal-many.ts';
import { StoreError } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import type { Approval } from '../approval.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import { withoutResume } from '../lists.ts';
import { encodeSignal } from './signal.ts';

/** Let suspended approvals on a list try again. */
export interface Resume {
  readonly kind: 'resume';
  readonly list: string;
}

export function dueResume(
  { resumes: [list] = [], resumeAt = 0 }: Approval,
  now: number,
): Due<Resume> {
  if (list === undefined) return null;
  return now < resumeAt ? resumeAt : { kind: 'resume', list };
}

export const resume: StepRules<Resume, { readonly kind: 'done' | 'away' }> = {
  // Saved beforehand: the record may be gone afterwards.
  markAttempt: (approval) => ({ data: approval }),

  execute(core, _id, _approval, { list }) {
    const resumed = resumeSuspended(core, list).then(() => ({ kind: 'done' }) as const);
    return unlessAway<{ readonly kind: 'done' | 'away' }>(resumed, { kind: 'away' });
  },

  /** If part of the store is unavailable, this approval continues and tries again later. */
  apply(approval, { list }, { kind }, _terms, now) {
    if (kind === 'away') return { data: { ...approval, resumeAt: now + STORE_AGAIN_MS } };
    return { data: withoutResume(approval, list) };
  },
};

/** Two, so that the chain continues even if one of them fails. */
const AT_ONCE = 2;

/**
 * Resumes the approvals that have been on a list longest; those that succeed, or have nothing left to try, resume the
 * next ones. Resuming one twice is harmless. Throws StoreError.
 */
export async function resumeSuspended(core: RecordDependencies, list: string): Promise<void> {
  const signal = { id: `resumed.${list}`, body: encodeSignal({ kind: 'resume', list }) };
  let left = AT_ONCE;
  let after: string | null | undefined;
  while (left > 0 && after !== null) {
    const page = await signalPage(core, [list], { limit: left, after }, () => signal);
    if (page.hasMissed) throw new StoreError('unavailable', 'a suspended request was missed');
    left -= page.stored;
    after = page.next;
  }
}
