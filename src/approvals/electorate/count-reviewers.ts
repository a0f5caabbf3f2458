import { ONLY_REQUESTER } from '../../../ask/contract/approval-details.ts';
import type { NamedPeople } from '../../core/config/config.ts';
import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { blockedEntry } from '../alert.ts';
import { type Absent, type Approval, messagePost } from '../approval.ts';
import { type Electorate, EVER, electorateOf } from './electorate.ts';
import { ALL_MAX, type GoneRead, goneAmong, goneNow, MEMBERS_MAX } from './gone.ts';
import { lackingAmong, type Members } from './lacking.ts';
import { isResolved } from './requester.ts';
import { routeTerms } from './route-for.ts';
import type { StepRules } from './step-rules.ts';
import type { Terms } from './terms.ts';

/**
 * Count who could approve a request, after posting it: the intake reads no groups or people, and does not know whose
 * the requester's address is.
 */
export interface CountReviewers {
  readonly kind: 'count-reviewers';
  readonly groups: readonly string[];
}

type Counted =
  | {
      readonly kind: 'counted';
      readonly members: Readonly<Record<string, readonly string[]>>;
      /** Who of them, and of the people named, cannot decide; groups with too many members are left out. */
      readonly read?: PeopleRead;
      /** A group is gone: people who press are told, and so are administrators. */
      readonly isPartial?: boolean;
    }
  | Failed;

/** `large`: groups that are left out. */
type PeopleRead = GoneRead & {
  readonly asked: readonly string[];
  readonly large?: readonly string[];
};

const NOBODY_READ: PeopleRead = { gone: {}, isUnread: false, asked: [] };

/** Somebody may add reviewers or come back if there are too few, and Slack may answer again. */
const COUNT_AGAIN_MS = 5 * 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

export function dueCount(approval: Approval, terms: Terms, now: number): Due<CountReviewers> {
  const { outcome, decision, withdrawnAt, counted } = approval;
  const isOver = outcome !== undefined || decision !== undefined || withdrawnAt !== undefined;
  if (isOver || terms.route === undefined || messagePost(approval).ts === undefined) return null;
  // People it is escalated to later can still approve it.
  const electorate = electorateOf(approval, { ...terms, asOf: EVER });
  // A whole channel is not counted.
  if (electorate.asked.channel) return null;
  const { absent } = approval;
  const isToRepeat = isShort(counted) || counted?.isUnread === true;
  if (counted !== undefined && !isToRepeat) return null;
  const groups = [...new Set(everybodyIn(electorate).flatMap(({ groups }) => groups))];
  // Otherwise the intake has counted them.
  const isAnybodyGone = absent?.gone !== undefined || absent?.isUnread === true;
  const isToCount = groups.length > 0 || isAnybodyGone || isToRepeat;
  if (!isToCount && !isFoundLater(approval)) return null;
  const from = counted === undefined ? 0 : counted.at + waitMsAfter(counted);
  return now < from ? from : { kind: 'count-reviewers', groups };
}

/** Slack is asked less and less often about groups that it does not show. */
function waitMsAfter({ tries = 0 }: NonNullable<Approval['counted']>): number {
  return patientWaitMs(tries, COUNT_AGAIN_MS, LONGEST_WAIT_MS);
}

/** Everybody who can approve it, or fill one of its needs. */
function everybodyIn({ named, asked, places }: Electorate): readonly NamedPeople[] {
  return [named, asked, ...places.map(({ of }) => of)];
}

/** Who asked became known after the request was accepted. */
function isFoundLater({ requester, alsoAskedBy = [] }: Approval): boolean {
  const isFound = requester !== undefined && isResolved(requester);
  return isFound || alsoAskedBy.some(({ user }) => user !== undefined);
}

export const countReviewers: StepRules<CountReviewers, Counted> = {
  execute(core, _id, approval, { groups }) {
    const { route } = routeTerms(core, approval);
    const count = async (): Promise<Counted> => {
      if (route === undefined) return { kind: 'counted', members: {}, isPartial: true };
      const found = await Promise.all(
        groups.map((group) => core.lookup.recent.groupMembers(group)),
      );
      const lists = found.map(({ users }) => users);
      const members = Object.fromEntries(groups.map((group, at) => [group, lists[at] ?? []]));
      const everybody = everybodyIn(electorateOf(approval, { route, asOf: EVER }));
      const asked = [...new Set(everybody.flatMap(({ users }) => users))];
      const large: string[] = [];
      for (const [at, users] of lists.entries()) {
        const isSmall = users.length <= MEMBERS_MAX && asked.length + users.length <= ALL_MAX;
        if (isSmall) asked.push(...users);
        else large.push(groups[at] ?? '');
      }
      const read = { ...(await goneAmong(core, route, asked)), asked, large };
      const isPartial = found.some(({ missing }) => missing !== null);
      return { kind: 'counted', members, read, isPartial };
    };
    return callResult(count());
  },

  /** A failed read counts nothing, and is repeated: each press is authorized anyway. */
  apply(approval, _step, result, terms, now) {
    if (result.kind === 'failed' || result.isPartial || terms.route === undefined) {
      const counted = { ...approval.counted, ...triedBefore(approval), at: now };
      return { data: { ...approval, counted: { ...counted, isUnread: true } } };
    }
    const members: Members = new Map(
      Object.entries(result.members).map(([group, users]) => [group, new Set(users)]),
    );
    const { read = NOBODY_READ } = result;
    const { large = [] } = read;
    const absent = withGoneAmong(approval, read);
    const known = { ...approval, ...(absent !== undefined && { absent }) };
    const found = lackingAmong(electorateOf(known, { ...terms, asOf: EVER }), members);
    const counted = {
      at: now,
      ...found,
      ...(large.length > 0 && { large }),
      ...(read.isUnread && { ...triedBefore(approval), isUnread: true as const }),
    };
    const data = { ...known, counted };
    const isNews = found.isOnlyRequester === true && approval.counted?.isOnlyRequester !== true;
    return { data, ...(isNews && { audit: [blockedEntry(approval, ONLY_REQUESTER)] }) };
  },

  alerts: ({ counted: before }, _step, _result, { counted, route }) =>
    isShort(counted) && !isShort(before) ? [{ cause: 'reviewers-too-few', subject: route }] : [],
};

function triedBefore({ counted }: Approval): { readonly tries?: number } {
  // At once after a change, which is no other try.
  const isRepeated = counted?.isUnread === true && counted.at > 0;
  return isRepeated ? { tries: (counted.tries ?? 0) + 1 } : {};
}

/** undefined: nobody is known to be away or gone. */
function withGoneAmong({ absent, createdAt }: Approval, read: PeopleRead): Absent | undefined {
  const { gone: before, isUnread: _, ...rest } = absent ?? { at: createdAt };
  // Everybody was asked about: others are no reviewers any more.
  const kept = goneNow(read.isUnread ? before : {}, read, read.asked);
  const isNews = absent !== undefined || Object.keys(kept).length > 0;
  return isNews ? { ...rest, ...kept } : undefined;
}

function isShort(counted: Approval['counted']): boolean {
  return counted?.able !== undefined || counted?.lacking !== undefined;
}

/** Of whoever was counted, others can decide now. */
export function countedAgain(approval: Approval): Approval {
  if (approval.counted === undefined) return approval;
  const { tries: _, ...counted } = approval.counted;
  return { ...approval, counted: { ...counted, at: 0, isUnread: true } };
}
