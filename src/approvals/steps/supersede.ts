import type { Due } from '../../core/engine/first-due.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { type RecordDependencies, signalRecord } from '../../core/engine/put-record.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Approval, messagePost, type SupersededBy, type Superseding } from '../approval.ts';
import { supersedingList } from '../lists.ts';
import { encodeSignal } from '../receive.ts';
import type { StepRules } from './step-rules.ts';

/** Withdraw the older requests of the same name that nobody decided. */
export interface Supersede {
  readonly kind: 'supersede';
}

/** Once they can link to its message, or Slack refuses it. */
export function dueSupersede(approval: Approval, now: number): Due<Supersede> {
  const { supersedes, withdrawnAt } = approval;
  if (supersedes === undefined || supersedes.isDone === true || withdrawnAt !== undefined)
    return null;
  const { ts, refused } = messagePost(approval);
  if ((ts ?? refused) === undefined) return null;
  const { againAt = now } = supersedes;
  return now < againAt ? againAt : { kind: 'supersede' };
}

type Superseded = { readonly kind: 'done' | 'away' };

export const supersede: StepRules<Supersede, Superseded> = {
  execute(core, id, approval) {
    const { supersedes, channel } = approval;
    if (supersedes === undefined) throw new Error('nothing is superseded');
    const { ts } = messagePost(approval);
    const by = { id, channel, ...(ts !== undefined && { ts }) };
    const done = supersedeOthers(core, supersedes, by).then(() => ({ kind: 'done' }) as const);
    return unlessAway<Superseded>(done, { kind: 'away' });
  },

  /** Where a part of the store is away, this approval goes on meanwhile. */
  apply(approval, _step, { kind }, _terms, now) {
    const { supersedes } = approval;
    if (supersedes === undefined) return { data: approval };
    const { name, order } = supersedes;
    const next = kind === 'away' ? { againAt: now + STORE_AGAIN_MS } : { isDone: true as const };
    return { data: { ...approval, supersedes: { name, order, ...next } } };
  },
};

const PAGE = 50;

/** Tells all that are open: each knows whether it is older. Twice is once. Throws StoreError. */
async function supersedeOthers(
  core: RecordDependencies,
  { name, order }: Superseding,
  by: SupersededBy,
): Promise<void> {
  const signal = {
    id: `supersede.${order}`,
    body: encodeSignal({ kind: 'supersede', order, by }),
  };
  let after: string | null | undefined;
  while (after !== null) {
    const { entries, next } = await core.store.list([supersedingList(name)], {
      limit: PAGE,
      after,
    });
    for (const { record } of entries) {
      if (record.id !== by.id) await signalRecord(core, record.id, signal);
    }
    after = next;
  }
}
