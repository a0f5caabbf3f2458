import type { Due } from '../../core/engine/first-due.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { type RecordDependencies, signalRecord } from '../../core/engine/put-record.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import type { Approval } from '../approval.ts';
import { encodeSignal } from '../receive.ts';
import { withoutResume } from '../suspension.ts';
import type { StepRules } from './step-rules.ts';

/** Let approvals that are suspended on a list try again. */
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
  // What it is about is saved first: the store may be gone when it is done.
  markAttempt: (approval) => ({ data: approval }),

  execute(core, _id, _approval, { list }) {
    const resumed = resumeSuspended(core, list).then(() => ({ kind: 'done' }) as const);
    return unlessAway<{ readonly kind: 'done' | 'away' }>(resumed, { kind: 'away' });
  },

  /** Where a part of the store is away, this approval goes on meanwhile. */
  apply(approval, { list }, { kind }, _terms, now) {
    if (kind === 'away') return { data: { ...approval, resumeAt: now + STORE_AGAIN_MS } };
    return { data: withoutResume(approval, list) };
  },
};

/** Two, so that the rest follows even when one of them does not come through. */
const AT_ONCE = 2;

/**
 * Lets the approvals that have been on a list longest try again; those that come through, or have nothing
 * to try any more, resume the next ones. Resuming one twice is resuming it once. Throws StoreError.
 */
export async function resumeSuspended(core: RecordDependencies, list: string): Promise<void> {
  let left = AT_ONCE;
  let after: string | null | undefined;
  while (left > 0 && after !== null) {
    const { entries, next } = await core.store.list([list], { limit: left, after });
    for (const { record } of entries) {
      const signal = { id: `resumed.${list}`, body: encodeSignal({ kind: 'resume', list }) };
      if ((await signalRecord(core, record.id, signal)) === 'stored') left -= 1;
    }
    after = next;
  }
}
