import type { Applied } from '../../core/engine/flow.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { type RecordDependencies, signalRecord } from '../../core/engine/put-record.ts';
import type { StoredRecord } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Approval, messagePost } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { decodeApproval } from '../stored-approval.ts';
import type { PartStepRules } from './part.ts';
import { encodeSignal, type PartSignal } from './signal.ts';
import { type SupersededBy, type Superseding, supersedingList } from './superseding.ts';
import { withdraw } from './withdraw.ts';

/** Withdraw older undecided requests of the same name, one page at a time. */
export interface Supersede {
  readonly kind: 'supersede';
  /** Start of the page; absent: the first. */
  readonly after?: string;
}

/** `next`: start of the next page; null: there is none. */
type Superseded =
  | { readonly kind: 'told'; readonly next: string | null }
  | { readonly kind: 'away' };

export const supersede: PartStepRules<Supersede, Superseded> = {
  /** Once they can link to its message. */
  due(approval, now) {
    const { supersedes, withdrawnAt } = approval;
    if (supersedes === undefined || supersedes.isDone === true) return null;
    if (messagePost(approval).ts === undefined || withdrawnAt !== undefined) return null;
    const { againAt = now, after } = supersedes;
    if (now < againAt) return againAt;
    return { kind: 'supersede', ...(after !== undefined && { after }) };
  },

  execute(core, id, approval, { after }) {
    const { supersedes, channel } = approval;
    const { ts } = messagePost(approval);
    if (supersedes === undefined || ts === undefined) throw new Error('nothing is superseded');
    const told = supersedePage(core, supersedes, { id, channel, ts }, after);
    return unlessAway<Superseded>(told, { kind: 'away' });
  },

  /** If part of the store is unavailable, this approval continues and tries again later. */
  apply(approval, { after }, result, _terms, now) {
    const { supersedes } = approval;
    if (supersedes === undefined) return { data: approval };
    const { name, order } = supersedes;
    const where =
      result.kind === 'away'
        ? { againAt: now + STORE_AGAIN_MS, ...(after !== undefined && { after }) }
        : result.next === null
          ? { isDone: true as const }
          : { after: result.next };
    return { data: { ...approval, supersedes: { name, order, ...where } } };
  },
};

const PAGE = 20;

/** Safe to repeat. Throws StoreError. */
async function supersedePage(
  core: RecordDependencies,
  { name, order }: Superseding,
  by: SupersededBy,
  after: string | undefined,
): Promise<Superseded> {
  const body = encodeSignal({ kind: 'supersede', order, by });
  const list = supersedingList(name);
  const page = { limit: PAGE, ...(after !== undefined && { after }) };
  const { entries, next } = await core.store.list([list], page);
  const toTell = entries.filter(({ record }) => record.id !== by.id && mustKnow(record, order));
  const signal = { id: `supersede.${order}`, body };
  await Promise.all(toTell.map(({ record }) => signalRecord(core, record.id, signal)));
  return { kind: 'told', next };
}

/** An older request, or a newer one that already looked and may have missed this one. */
function mustKnow(record: StoredRecord, order: string): boolean {
  const { supersedes } = decodeApproval(record);
  return supersedes === undefined || supersedes.order < order || supersedes.isDone === true;
}

/** A newer request that did not find this one on its list looks again. */
export function receiveSupersede(
  approval: Approval,
  { order, by }: PartSignal<'supersede'>,
  terms: Terms,
  at: number,
): Applied<Approval> {
  const { supersedes } = approval;
  if (supersedes === undefined || supersedes.order < order) {
    const facts = { supersededBy: by.id };
    return withdraw(approval, terms, at, { why: { supersededBy: by }, facts });
  }
  const { isDone, ...again } = supersedes;
  return { data: isDone === undefined ? approval : { ...approval, supersedes: again } };
}
