/**
 * Who would be asked: a request that is only imagined goes through the same reads as a real one, and the same electorate
 * says what follows. Nobody is asked, and nothing is stored or posted.
 */

import type { NamedPeople, Reviewers, Route } from '../../../core/config/config.ts';
import { union } from '../../../core/config/values.ts';
import type { Core } from '../../../core/core.ts';
import { RemoteFailure } from '../../../core/lib/failure.ts';
import type { Approval, Gone, Requester } from '../../approval.ts';
import type { ApprovalCore } from '../../decision/approval-core.ts';
import { askedNow } from '../../electorate/asked.ts';
import { barFacts } from '../../electorate/bar-seen.ts';
import type { AbsentPerson } from '../../electorate/clause.ts';
import { countReviewers } from '../../electorate/count-reviewers.ts';
import { ALL_BARS, type Electorate, EVER, electorateOf } from '../../electorate/electorate.ts';
import { findAbsent } from '../../electorate/find-absent.ts';
import { findRequester } from '../../electorate/find-requester.ts';
import { askersOf } from '../../electorate/own-request.ts';
import type { StepRules } from '../../electorate/step-rules.ts';
import type { Terms } from '../../electorate/terms.ts';
import { ruleLines } from '../../tell/message/rules.ts';
import type { ApprovalRequest } from '../approval-request.ts';
import { requesterIn } from '../ask-approval.ts';
import { rulesIn } from '../contract-parts.ts';

/** What a request would say of who may decide it. */
export type Imagined = Partial<ApprovalRequest>;

/** Slack ids; times in milliseconds. */
export interface WhoIsAsked {
  readonly route: string;
  /** Until when nobody can approve, and why, as members for programs. */
  readonly barred: ReturnType<typeof barFacts>;
  /** As far as Slack says; `user`: their id, if it does. */
  readonly requester: { readonly user?: string; readonly known: boolean } | undefined;
  /** Who can decide now, if their accounts allow it. `channel`: anybody in the route's channel. */
  readonly deciders: Reviewers;
  /** Who would be mentioned now: nobody while it is closed. */
  readonly mentioned: NamedPeople;
  /** Who can decide without being mentioned. */
  readonly quiet: NamedPeople;
  /** Who can decide later, and how long after it was asked for. */
  readonly later: readonly (NamedPeople & { readonly afterMs: number })[];
  readonly away: readonly AbsentPerson[];
  /** Reviewers who cannot decide, and why. */
  readonly cannot: Gone;
  readonly needed: number;
  readonly lacking: Electorate['lacking'];
  /** Slack or the store did not say everything. */
  readonly isPartial: boolean;
  /** The rules as sentences, in Slack's mrkdwn. */
  readonly rules: readonly string[];
}

/** What it reads: `Core`, or the parts of it that a command line has. */
export type WhoCore = Pick<
  Core,
  'store' | 'lookup' | 'workspace' | 'config' | 'ages' | 'timers' | 'timing'
>;

/** If Slack or the store do not answer, it is partial. Throws StoreError. */
export async function whoIsAsked(
  parts: WhoCore,
  route: Route,
  request: Imagined = {},
): Promise<WhoIsAsked> {
  // as: what only reads uses no other part
  const core = parts as ApprovalCore;
  const now = core.store.now();
  const terms = termsOf(core, route, now);
  const { requester, isUnread } = await requesterOf(core, request);
  let approval = imagined(route, request, requester, now);
  const read = { ...core, terms, now };
  for (const bar of ALL_BARS) approval = await after(read, approval, bar, bar.step(approval, now));
  approval = await after(read, approval, findAbsent, {
    ...{ kind: 'find-absent', plannedAt: now, seenAt: now, changedAt: undefined },
  });
  if (!route.reviewers.channel) {
    const { asked, named, places } = electorateOf(approval, { route, asOf: EVER });
    const { groups } = union(named, asked, ...places.map(({ of }) => of));
    approval = await after(read, approval, countReviewers, { kind: 'count-reviewers', groups });
  }
  const electorate = electorateOf(approval, terms);
  const { bar, asked, silent, steps, begun, away, gone = {}, needed, lacking } = electorate;
  const { absent, counted } = approval;
  const askers = electorate.selfApproval === false ? askersOf(electorate) : [];
  const unable = new Set([...Object.keys(gone), ...askers]);
  const able = <Named extends NamedPeople>(named: Named): Named => ({
    ...named,
    users: named.users.filter((user) => !unable.has(user)),
  });
  const cast = { ballots: [], approvedBy: [] };
  const isMissed =
    [absent?.isUnread, absent?.againAt, counted?.isUnread].some((each) => each !== undefined) ||
    ALL_BARS.some(({ isUnread }) => isUnread(approval));
  return {
    route: route.name,
    barred: barFacts(approval),
    requester: requester && {
      known: requester.known === true,
      ...(requester.user !== undefined && { user: requester.user }),
    },
    deciders: able(asked),
    mentioned: bar === undefined ? askedNow(electorate, asked, cast) : NOBODY,
    quiet: able(silent),
    later: steps
      .filter((each) => !begun.includes(each))
      .map(({ at, users, groups }) => ({ afterMs: at - now, ...able({ users, groups }) })),
    away,
    cannot: gone,
    needed,
    lacking,
    isPartial: isUnread || isMissed,
    rules: ruleLines(electorate, approval),
  };
}

const NOBODY: NamedPeople = { users: [], groups: [] };

/** Nothing is decided by these. */
function termsOf({ timing }: WhoCore, route: Route, asOf: number): Terms {
  return {
    ...{ route, asOf, timing, servingSince: 0, wentBackAt: 0, watchMaxAgeMs: 0, keepMs: 0 },
    ...{ decidedMs: 0, budgetPerMinute: 0, pending: 0, isDenying: false, random: () => 0 },
  };
}

/** As a step of a real request would leave it. */
async function after<Step, Result>(
  core: ApprovalCore & { readonly terms: Terms; readonly now: number },
  approval: Approval,
  rules: Pick<StepRules<Step, Result, ApprovalCore>, 'execute' | 'apply'>,
  step: Step,
): Promise<Approval> {
  const result = await rules.execute(core, '', approval, step);
  return rules.apply(approval, step, result, core.terms, core.now).data;
}

function imagined(
  route: Route,
  request: Imagined,
  requester: Requester | undefined,
  now: number,
): Approval {
  const { quorum } = request;
  return {
    ...{ source: 'who', route: route.name, channel: route.channel, createdAt: now },
    ...{ posts: [{ name: 'message' }], watch: { state: 'pending', nextAt: now } },
    ...{ queue: [], ballots: [], replies: [] },
    ...(requester !== undefined && { requester }),
    ...(quorum !== undefined && { quorum }),
    ...rulesIn(request),
  };
}

async function requesterOf(core: WhoCore, { requestedBy }: Imagined) {
  const asked = requesterIn({ requestedBy });
  if (asked === undefined) return { requester: undefined, isUnread: false };
  try {
    const { known, user } = await findRequester(core, asked, core.timing.stepMs);
    return { requester: { ...asked, known, ...(user && { user }) }, isUnread: false };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return { requester: asked, isUnread: true };
  }
}
