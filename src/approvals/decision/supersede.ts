import type { Applied } from '../../core/engine/flow.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import type { RecordDependencies } from '../../core/engine/put-record.ts';
import { signalPage } from '../../core/engine/signal-many.ts';
import type { StoredRecord } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Approval, messagePost } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { decodeApproval } from '../stored-approval.ts';
import type { FeatureHooks, FeatureStepRules, Withdraw } from './feature-hook.ts';
import { encodeSignal, type FeatureSignal } from './signal.ts';

/** A newer request of a source withdraws the older ones of the same name. */

declare module '../approval.ts' {
  interface Approval {
    readonly supersedes?: Superseding;
    /** The newer request that superseded it, and where its message is. */
    readonly supersededBy?: SupersededBy;
  }
}

/** A request that withdraws older undecided ones of the same name. */
export interface Superseding {
  /** Hash of the source's name for them. */
  readonly name: string;
  /** Sorts by age, newest last. */
  readonly order: string;
  /** The older ones have been sent the signal. */
  readonly isDone?: true;
  /** How far down the list they have been sent it. */
  readonly after?: string;
  /** When to try again after the store did not answer. */
  readonly againAt?: number;
}

/** `ts`: its message. */
export interface SupersededBy {
  readonly id: string;
  readonly channel: string;
  readonly ts: string;
}

declare module './statement.ts' {
  interface StatementFacts {
    /** For somebody who decided a request that a newer one replaced. */
    readonly replaced: unknown;
  }
}

declare module './signal.ts' {
  interface FeatureSignals {
    /** Another request of the source with the same name is newer, unless its `order` is lower. */
    readonly supersede: { readonly order: string; readonly by: SupersededBy };
  }
}

declare module './feature-hook.ts' {
  interface WithdrawnFacts {
    readonly supersededBy?: SupersededBy;
  }
}

export const superseding: FeatureHooks = {
  left: ({ supersededBy }) => supersededBy && { supersededBy },

  withdrawn: ({ supersededBy }) => supersededBy && { code: 'replaced' },

  callsOff: 'supersede',

  lists: ({ supersedes }) => (supersedes === undefined ? [] : [supersedingList(supersedes.name)]),
};

/** Open requests of one source, of which the newest supersedes the others. */
export function supersedingList(name: string): string {
  return `supersedes:${name}`;
}

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

export const supersede: FeatureStepRules<Supersede, Superseded> = {
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
  const signal = { id: `supersede.${order}`, body };
  const piece = { limit: PAGE, after };
  const { next, hasMissed } = await signalPage(core, [supersedingList(name)], piece, (record) =>
    record.id !== by.id && mustKnow(record, order) ? signal : undefined,
  );
  return hasMissed ? { kind: 'away' } : { kind: 'told', next };
}

/** An older request, or a newer one that already looked and may have missed this one. */
function mustKnow(record: StoredRecord, order: string): boolean {
  const { supersedes } = decodeApproval(record);
  return supersedes === undefined || supersedes.order < order || supersedes.isDone === true;
}

/** A newer request that did not find this one on its list looks again. */
export function receiveSupersede(
  approval: Approval,
  { order, by }: FeatureSignal<'supersede'>,
  terms: Terms,
  at: number,
  withdraw: Withdraw,
): Applied<Approval> {
  const { supersedes } = approval;
  if (supersedes === undefined || supersedes.order < order) {
    const facts = { supersededBy: by.id };
    return withdraw(approval, terms, at, { why: { supersededBy: by }, facts });
  }
  const { isDone, ...again } = supersedes;
  return { data: isDone === undefined ? approval : { ...approval, supersedes: again } };
}
