import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { UNMET_PLANTS } from './unmet-plants.ts';

/** A bug in a rule of the program: one change of its source, as somebody might get it wrong. */
export interface RulePlant {
  /** Below `src`. */
  readonly file: string;
  /** Occurs there once. */
  readonly from: string;
  readonly to: string;
  /**
   * This many approvals (seed 4) did not find it: worlds reach its condition too seldom, or never. 0: not tried yet.
   */
  readonly notWithin?: number;
  /** A test that notices it, below `test`. */
  readonly noticedBy: string;
}

const FLOW = 'approvals/approval-flow.ts';
const PLAN = 'approvals/plan.ts';
const ESCALATION = 'approvals/electorate/escalation.ts';
const ELIGIBLE = 'approvals/electorate/eligible.ts';
const OWN_REQUEST = 'approvals/electorate/own-request.ts';
const ELECTORATE = 'approvals/electorate/electorate.ts';
const NEEDS = 'approvals/electorate/needs.ts';
const TALLY = 'approvals/electorate/tally.ts';
const VOTES = 'approvals/electorate/votes.ts';
const ASSIGN = 'core/lib/assign.ts';
const AUTHORIZE = 'approvals/decision/authorize.ts';
const REAUTHORIZE = 'approvals/decision/reauthorize.ts';
const RESPOND = 'approvals/decision/respond.ts';
const BARS = 'approvals/decision/bars.ts';
const READ_CLOSING = 'approvals/electorate/read-closing.ts';
const DECISION = 'approvals/decision/decision.ts';
const ACTED_AT = 'approvals/acted-at.ts';
const PRESS_ORDER = 'approvals/decision/press-order.ts';
const TRANSITIONS = 'approvals/decision/transitions.ts';
const REFRESH_HOME = 'approvals/tell/refresh-home.ts';
const REPLY = 'approvals/tell/reply.ts';
const RECEIVE = 'approvals/decision/receive.ts';
const WITHDRAW = 'approvals/decision/withdraw.ts';
const SUPERSEDE = 'approvals/decision/supersede.ts';
const STORE_REWIND = 'approvals/decision/store-rewind.ts';
const SESSION = 'core/engine/lease-session.ts';
const UPDATE = 'approvals/tell/update.ts';
const READ_STATUS = 'approvals/decision/read-status.ts';
const CALL_BACK = 'approvals/tell/call-back.ts';
const ASKED = 'approvals/electorate/asked.ts';
const POST_CONTENT = 'approvals/tell/message/post-content.ts';
const SUBSTITUTE = 'approvals/electorate/substitute.ts';
const ABSENCE = 'approvals/electorate/absence.ts';
const TELL_MANY = 'approvals/tell/tell-many.ts';
const ABSENCE_FLOW = 'approvals/ways-in/absence/absence-flow.ts';
const RECORD = 'approvals/approval.ts';
const LIST_REQUESTS = 'approvals/ways-in/list/list-requests.ts';
const LIST_MESSAGE = 'approvals/ways-in/list/list-message.ts';
const HOME_FLOW = 'approvals/ways-in/list/home-flow.ts';
const HOME_VIEW = 'approvals/ways-in/list/home-view.ts';
const HOLD = 'approvals/decision/hold.ts';
const SELF_APPROVAL = 'approvals/electorate/self-approval.ts';
const SELF_APPROVAL_MESSAGE = 'approvals/tell/message/self-approval.ts';
const MESSAGE = 'approvals/tell/message/message.ts';
const COUNT_REVIEWERS = 'approvals/electorate/count-reviewers.ts';
const SUSPENSION = 'approvals/lists.ts';
const PRESS_END = 'approvals/ways-in/list/press-end.ts';
const SEVERAL_FLOW = 'approvals/ways-in/list/several-flow.ts';
const TAKE_REPORT = 'approvals/ways-in/take-report.ts';
const LOOK_THROUGH = 'approvals/ways-in/list/look-through.ts';

/** Possible mistakes in the rules, each on its own. */
export const RULE_PLANTS: Readonly<Record<string, RulePlant>> = {
  'guests-decide': {
    file: ELIGIBLE,
    from: "if (membership !== 'member') return notAllowed(MEMBERSHIPS[membership].denial);",
    to: "if (membership !== 'member' && membership !== 'guest') return notAllowed(MEMBERSHIPS[membership].denial);",
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'accounts-not-needed': {
    file: ELIGIBLE,
    from: 'if (bar !== null) return notAllowed(bar);',
    to: '',
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'whoever-left-a-group-decides': {
    file: ELIGIBLE,
    from: 'const isOne = ids.some((id) => members.users.includes(id));',
    to: 'const isOne = members.missing === null;',
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'anybody-decides': {
    file: ELIGIBLE,
    from: "if (found !== 'reviewer') {",
    to: "if (found === 'dropped') {",
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'proved-requester-decides': {
    file: 'approvals/electorate/verified.ts',
    from: 'if (proof?.person === undefined) return undefined;',
    to: "if (proof?.person === undefined || proof.by !== '') return undefined;",
    noticedBy: 'approvals/electorate/requester.test.ts',
  },
  'requester-decides': {
    file: OWN_REQUEST,
    from: "if (ids.some((id) => id === user || theirs.includes(id))) return 'yes';",
    to: '',
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'requester-known-by-address-alone-decides': {
    file: OWN_REQUEST,
    from: "if (share(foldedAll(person.email, userName, externalId, id), askedBy)) return 'yes';",
    to: '',
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'two-accounts-are-two-votes': {
    file: VOTES,
    from: 'return isOneAccount || isSentAsOne || share(slackIdsOf(one), slackIdsOf(other));',
    to: 'return one.user === other.user;',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'quorum-of-the-request-ignored': {
    file: ELECTORATE,
    from: 'if (quorum <= usual.quorum) return usual;',
    to: 'if (quorum <= usual.quorum || quorum > 0) return usual;',
    noticedBy: 'approvals/electorate/electorate.test.ts',
  },
  'a-person-fills-two-places': {
    file: ASSIGN,
    from: 'tried.add(place);\n      const isFree = filledBy.length < place.count;',
    to: 'tried.add(place);\n      const isFree = filledBy.length < place.count;\n      if (isFree) seat(person, tried);',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'whoever-fills-a-place-keeps-it': {
    file: ASSIGN,
    from: 'const leaving = isFree ? filledBy.length : filledBy.findIndex((each) => seat(each, tried));',
    to: 'const leaving = isFree ? filledBy.length : -1;',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'needs-of-the-request-ignored': {
    file: NEEDS,
    from: '[...places, ...needs]',
    to: '(needs.length < 0 ? needs : places)',
    noticedBy: 'approvals/electorate/electorate.test.ts',
  },
  'quorum-beside-needs-ignored': {
    file: TALLY,
    from: 'isEnough: votes.length >= needed && open.length === 0,',
    to: 'isEnough: places.length > 0 ? open.length === 0 : votes.length >= needed,',
    noticedBy: 'approvals/electorate/votes.test.ts',
  },
  'places-need-not-be-filled': {
    file: TALLY,
    from: 'isEnough: votes.length >= needed && open.length === 0,',
    to: 'isEnough: votes.length >= needed,',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'taken-back-and-counted': {
    file: TRANSITIONS,
    from: 'ballots: approval.ballots.filter((ballot) => !own.includes(ballot)),',
    to: 'ballots: approval.ballots,',
    noticedBy: 'approvals/decision/receive.test.ts',
  },
  'taken-back-in-the-queue-and-counted': {
    file: TRANSITIONS,
    from: 'queue: queue.filter((click) => !isPress(click)) };',
    to: 'queue };',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'taken-back-though-it-is-decided': {
    file: TRANSITIONS,
    from: "decision?.action === 'approve' && own.length > 0 ? decision : undefined;",
    to: "decision?.action === 'approve' && own.length > 0 && canBeUndone(decision) ? decision : undefined;",
    noticedBy: 'approvals/decision/receive.test.ts',
  },
  'needs-let-in': {
    file: ELIGIBLE,
    from: 'const isReviewer = isWanted && (await isOfRoute());',
    to: 'const isReviewer = (isWanted && (await isOfRoute())) || (await Promise.all(also.map(isIn))).includes(true);',
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'all-who-approved-are-named': {
    file: TALLY,
    from: 'return votes.filter((each) => used.includes(each) || isDecider(each)).map((each) => each.user);',
    to: 'return votes.filter((each) => used.length > 0 || isDecider(each)).map((each) => each.user);',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'decided-with-all-but-one-place': {
    file: TALLY,
    from: 'return share(of.users, ids) || share(of.groups, ballot.through ?? []);',
    to: 'return share(of.users, ids) || of.groups.length > 0;',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'decided-below-the-quorum': {
    file: AUTHORIZE,
    from: "if (ballot.action === 'approve' && !progress.isEnough) {",
    to: "if (ballot.action === 'approve' && progress.have + 1 < progress.needed) {",
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'rejects-need-the-quorum': {
    file: AUTHORIZE,
    from: "if (ballot.action === 'approve' && !progress.isEnough) {",
    to: 'if (!progress.isEnough) {',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'refused-without-a-word': {
    file: AUTHORIZE,
    from: "const data = owe(upToDate(rest, result.code), waiting, 'refusal', statement);",
    to: 'const data = statement ? upToDate(rest, result.code) : rest;',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'sent-on-a-stale-authorization': {
    file: REAUTHORIZE,
    from: 'return isChanged || now > authorizedAt + isGoodForMs ? clickOf(decision) : undefined;',
    to: 'return isChanged || now > authorizedAt + isGoodForMs * 1e9 ? clickOf(decision) : undefined;',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'others-not-authorized-again': {
    file: REAUTHORIZE,
    from: "return votersFor('approve', ballots).filter((other) => other !== user);",
    to: 'return ballots.length > 1e9 ? [user] : [];',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'others-who-may-no-more-count': {
    file: REAUTHORIZE,
    from: 'if (found === undefined) continue;',
    to: "if (found === undefined || found.kind === 'not-allowed') continue;",
    noticedBy: 'approvals/history.test.ts',
  },
  'quorum-not-counted-again': {
    file: REAUTHORIZE,
    from: "if (action === 'approve' && !progress.isEnough) {",
    to: "if (action === 'approve' && progress.have < 0) {",
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'dropped-without-a-word': {
    file: REAUTHORIZE,
    from: "data = owe(withoutBallot(data, ballot), asker, 'dropped', statement, 'direct');",
    to: 'data = statement && asker ? withoutBallot(data, ballot) : data;',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'refused-again-and-sent': {
    file: REAUTHORIZE,
    from: "if (result.kind === 'not-allowed') {",
    to: "if (result.kind === 'not-allowed' && wasSent) {",
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'any-attempt-is-ours': {
    file: RESPOND,
    from: "const isOurs = decision?.phase.name === 'sending' && isOf(step, decision.phase.attempt);",
    to: "const isOurs = decision?.phase.name === 'sending';",
    noticedBy: 'approvals/late-results.test.ts',
  },
  'unclear-refusals-are-clear': {
    file: RESPOND,
    from: "const isClear = failure.class === 'refused' && !UNCLEAR.has(failure.status ?? 0);",
    to: "const isClear = failure.class === 'refused';",
    noticedBy: 'approvals/decide.test.ts',
  },
  'lost-answers-are-refusals': {
    file: RESPOND,
    from: "if (failure.class === 'not-sent') return retryNotSent(",
    to: "if (failure.class === 'not-sent' || failure.class === 'ambiguous') return retryNotSent(",
    noticedBy: 'approvals/decide.test.ts',
  },
  'late-authorization-counts': {
    file: FLOW,
    from: "step.kind === 'authorize' ||\n      isPause(step) ||",
    to: 'isPause(step) ||',
    notWithin: 10_000,
    noticedBy: 'approvals/late-results.test.ts',
  },
  'shown-before-it-is-read': {
    file: PLAN,
    from: 'const read = isUnconfirmed(decision) ? dueDecisionStatus(approval, terms, now) : null;',
    to: 'const read = isUnconfirmed(decision) ? null : null;',
    noticedBy: 'approvals/showing.test.ts',
  },
  'sent-however-old-the-read': {
    file: RESPOND,
    from: "const isFresh = phase?.name === 'send' && now <= phase.askedAt + goodForMs(timing);",
    to: "const isFresh = phase?.name === 'send';",
    notWithin: 10_000,
    noticedBy: 'approvals/decide.test.ts',
  },
  'sent-after-a-withdrawal': {
    file: DECISION,
    from: 'if (approval.withdrawnAt !== undefined) return endUnsent(approval, timing, askedAt);',
    to: '',
    noticedBy: 'approvals/decide.test.ts',
  },
  'sent-though-called-off': {
    file: SESSION,
    from: "if (noted === 'stale' || steps.some(isCalledOff)) {",
    to: "if (noted === 'stale' || steps.some((step) => isCalledOff(step) && false)) {",
    // What was noted late is planned again: only a signal that comes with that very save is left.
    noticedBy: 'core/engine/lease-session.test.ts',
  },
  'sent-again-too-early': {
    file: DECISION,
    from: 'const isQuiet = askedAt >= phase.mustEndBy + timing.quietMs;',
    to: 'const isQuiet = true;',
    noticedBy: 'approvals/decide.test.ts',
  },
  'sent-again-without-end': {
    file: DECISION,
    from: 'if (isWithdrawn || isUndone || sends.ambiguous > 0) {',
    to: 'if (isWithdrawn) {',
    noticedBy: 'approvals/decide.test.ts',
  },
  'nothing-was-sent-though-it-was': {
    file: DECISION,
    from: 'if (sends.ambiguous > 0) return stopSending(approval, decision, timing, now);',
    to: '',
    noticedBy: 'approvals/decide.test.ts',
  },
  'one-reply-for-each-person': {
    file: REPLY,
    from: 'replies.filter((each) => each.user !== user || each.text !== text);',
    to: 'replies.filter((each) => each.user !== user);',
    noticedBy: 'approvals/replying.test.ts',
  },
  'reasons-of-others': {
    file: TRANSITIONS,
    from: 'outcome.by.includes(user) && STATUS_OF[action] === outcome.status,',
    to: 'outcome.by.length > 0 && STATUS_OF[action] === outcome.status && user !== "",',
    noticedBy: 'approvals/decide.test.ts',
  },
  'queue-untold-of-the-outcome': {
    file: TRANSITIONS,
    from: 'if (!repeats(click, outcome))\n      data',
    to: 'if (repeats(click, outcome))\n      data',
    noticedBy: 'approvals/outcome.test.ts',
  },
  'last-word-not-said': {
    file: TRANSITIONS,
    from: 'if (decision !== undefined && !isTheirs(decision)) {',
    to: 'if (decision !== undefined && isTheirs(decision)) {',
    noticedBy: 'approvals/outcome.test.ts',
  },
  'credited-to-whoever-was-next': {
    file: TRANSITIONS,
    from: "if (asked && how !== 'refused') {",
    to: 'if (asked) {',
    noticedBy: 'approvals/decide.test.ts',
  },
  'spent-without-a-word': {
    file: TRANSITIONS,
    from: "owe(owing, { user, channel, at }, 'spent', forOthers, 'direct'),",
    to: '(user && channel && at && forOthers ? owing : told),',
    noticedBy: 'approvals/decide.test.ts',
  },
  'late-presses-unanswered': {
    file: RECEIVE,
    from: "return owe(approval, click, 'late', { code: 'decided', outcome, action: click.action });",
    to: 'return outcome === undefined ? owe(approval, click, "late", { code: "decided", outcome, action: click.action }) : approval;',
    noticedBy: 'approvals/decision/receive.test.ts',
  },
  'withdrawn-without-a-word': {
    file: WITHDRAW,
    from: "const told = queue.reduce((owing, click) => owe(owing, click, 'late', statement), closed);",
    to: 'const told = queue.length < 0 ? owe(closed, queue[0] as Click, "late", statement) : closed;',
    noticedBy: 'approvals/decision/receive.test.ts',
  },
  'opposite-presses-replace': {
    file: RECEIVE,
    from: 'each.user === click.user && each.action === click.action;',
    to: 'each.user === click.user;',
    noticedBy: 'approvals/decision/press-order.test.ts',
  },
  'pressed-twice-counts-twice': {
    file: RECEIVE,
    from: 'if (!queue.some(isSame)) return [...queue, click];',
    to: 'if (queue.length < 9) return [...queue, click];',
    notWithin: 2_000,
    noticedBy: 'approvals/decide.test.ts',
  },
  'gates-not-recalled': {
    file: STORE_REWIND,
    from: 'return !isRead && mayBeForgotten(approval, terms);',
    to: 'return !isRead && terms.servingSince < 0;',
    noticedBy: 'approvals/own-gate.test.ts',
  },
  'names-not-recalled': {
    file: STORE_REWIND,
    from: 'return isNameless && recalled === undefined && mayBeForgotten(approval, terms);',
    to: 'return isNameless && recalled === undefined && terms.servingSince < 0;',
    noticedBy: 'approvals/showing.test.ts',
  },
  'not-read-again-after-a-rewind': {
    file: STORE_REWIND,
    from: 'if (!mayBeForgotten(approval, terms) || withdrawnAt !== undefined) return false;',
    to: 'if (terms.servingSince >= 0 || withdrawnAt !== undefined) return false;',
    noticedBy: 'approvals/showing.test.ts',
  },
  'late-updates-not-held-back': {
    file: UPDATE,
    from: ': renderedAgain(approval, timing, now);',
    to: ': approval;',
    noticedBy: 'approvals/late-results.test.ts',
  },
  'sending-shown-late-stays': {
    file: RESPOND,
    from: 'const shown = isShown ? ended : renderedAgain(ended, timing, now);',
    to: 'const shown = isShown ? ended : timing.stepMs < 0 ? renderedAgain(ended, timing, now) : ended;',
    noticedBy: 'approvals/sending.test.ts',
  },
  'not-shown-is-pending': {
    file: READ_STATUS,
    from: "const how = decision !== undefined && isUnconfirmed(decision) ? 'lost' : 'refused';",
    to: "const how = decision !== undefined && isUnconfirmed(decision) ? 'refused' : 'refused';",
    noticedBy: 'approvals/decide.test.ts',
  },
  'blocked-without-a-callback': {
    file: CALL_BACK,
    from: "  BLOCKED: 'approval.blocked',\n  APPROVED",
    to: '  APPROVED',
    noticedBy: 'approvals/tell/call-back.test.ts',
  },
  'absences-ignored-at-the-first-post': {
    file: PLAN,
    from: 'return isStep(bar) && isStep(absent) ? { reads: [bar, absent] } : (bar ?? absent ?? due);',
    to: 'return bar ?? due;',
    noticedBy: 'approvals/absences.test.ts',
  },
  'whoever-is-away-is-mentioned': {
    file: ASKED,
    from: 'if (absence === undefined) return [user];',
    to: 'if (absence === undefined || absence.until > 0) return [user];',
    noticedBy: 'approvals/absences.test.ts',
  },
  'nobody-sees-that-too-few-are-left': {
    file: ASKED,
    from: 'if (away.length === 0 && gone === undefined) return false;',
    to: 'return false;',
    noticedBy: 'approvals/absences.test.ts',
  },
  'open-requests-hear-of-no-absence': {
    file: ABSENCE_FLOW,
    from: 'return { ids: all, routes: routesOf(core.config.routes, all) };',
    to: 'return { ids: all, routes: [] };',
    noticedBy: 'approvals/ways-in/absence/absence-flow.test.ts',
  },
  'givers-not-authorized': {
    file: SUBSTITUTE,
    from: "if (theirs.kind === 'not-allowed') return { ...theirs, code: 'giver-cannot' };",
    to: "if (theirs.kind === 'not-allowed') return { ...own, for: { user: giver } };",
    noticedBy: 'approvals/electorate/substitute.test.ts',
  },
  'givers-not-authorized-again': {
    file: SUBSTITUTE,
    from: 'authorizeFor(core, electorate, { user, giver }, asking, action, judge),',
    to: 'judge.eligible(core, electorate, user, asking, action, true),',
    noticedBy: 'approvals/electorate/substitute.test.ts',
  },
  'substitutes-count-after-the-absence': {
    file: SUBSTITUTE,
    from: 'const isCovered = covered.absences.some(({ ids }) => ids.includes(giver));',
    to: 'const isCovered = true;',
    noticedBy: 'approvals/electorate/substitute.test.ts',
  },
  'giver-and-substitute-are-two-votes': {
    file: VOTES,
    from: 'return ballot.for === undefined ? [ballot] : [ballot, ballot.for];',
    to: 'return [ballot];',
    noticedBy: 'approvals/electorate/requester.test.ts',
  },
  'whoever-declined-stands-in': {
    file: ABSENCE,
    from: 'return substitute === undefined || substitute.declinedAt !== undefined\n    ?',
    to: 'return substitute === undefined\n    ?',
    noticedBy: 'approvals/electorate/substitute.test.ts',
  },
  'requesters-have-substitutes': {
    file: SUBSTITUTE,
    from: 'const strict = { ...electorate, selfApproval: false } as const;',
    to: 'const strict = electorate;',
    noticedBy: 'approvals/electorate/substitute.test.ts',
  },
  'givers-untold': {
    file: POST_CONTENT,
    from: 'const givers = new Set(Object.values(approval.outcome?.for ?? {}));',
    to: 'const givers = new Set(Object.values(approval.outcome?.for ?? {}).slice(0, 0));',
    noticedBy: 'approvals/absences.test.ts',
  },
  'substitutes-untold': {
    file: TELL_MANY,
    from: 'openNotices: ({ notices }) => notices,',
    to: 'openNotices: ({ notices }) => notices.slice(0, 0),',
    noticedBy: 'approvals/ways-in/absence/absence-flow.test.ts',
  },
  'held-for-a-tenth': {
    file: HOLD,
    from: 'const leftMs = holdMs(approval, Math.max(0, decision.phase.leftMs - ms), now);',
    to: 'const leftMs = holdMs(approval, Math.max(0, decision.phase.leftMs - 10 * ms), now);',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'held-by-a-clock-that-can-be-set': {
    file: HOLD,
    from: `async execute({ ages, timers }, _id, _approval, { ms }) {
    const startedAt = ages.monotonic();
    await timers.sleep(ms);
    // That clock includes the time a machine was suspended, as far as the wall clock shows.
    return { kind: 'waited', ms: Math.min(ms, ages.monotonic() - startedAt) };`,
    to: `async execute({ clock, timers }, _id, _approval, { ms }) {
    const startedAt = clock.now();
    await timers.sleep(ms);
    return { kind: 'waited', ms: clock.now() - startedAt };`,
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'held-by-the-wait-of-another-holder': {
    file: FLOW,
    from: "step.kind === 'authorize' ||\n      isPause(step) ||",
    to: "step.kind === 'authorize' ||",
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'missed-holds-are-over': {
    file: HOLD,
    from: 'if (now - ms > until + MISSED_MS) {',
    to: 'if (now - ms > until + MISSED_MS * 1e3) {',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'held-and-not-until-a-rejection-is-checked': {
    file: HOLD,
    from: "if (leftMs === 0 && approval.queue.some(({ action }) => action === 'reject')) {",
    to: 'if (leftMs === 0 && approval.queue.length < 0) {',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'held-and-not-authorized-again': {
    file: HOLD,
    from: 'asker: { ...asker, at: now }, authorizedAt: 0 };',
    to: 'asker: { ...asker, at: now }, authorizedAt: now };',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'undone-too-late-while-it-is-held': {
    file: TRANSITIONS,
    from: "if (theirs.phase.name === 'settle' || isUnconfirmed(theirs)) {",
    to: "if (!['check', 'send'].includes(theirs.phase.name) || isUnconfirmed(theirs)) {",
    noticedBy: 'approvals/decision/press-order.test.ts',
  },
  'undone-and-sent': {
    file: TRANSITIONS,
    from: 'theirs ? reopened({ ...without, ...taken }, asker) : { ...rest, ...taken };',
    to: '({ ...rest, ...taken });',
    noticedBy: 'approvals/decision/press-order.test.ts',
  },
  'earlier-presses-replace-newer-ones': {
    file: ACTED_AT,
    from: 'return of(act) < of(before);',
    to: 'return of(act) < 0 * of(before);',
    noticedBy: 'approvals/decision/press-order.test.ts',
  },
  'presses-count-after-an-undo': {
    file: PRESS_ORDER,
    from: "round !== (approval.round ?? '')",
    to: "round.startsWith('none')",
    noticedBy: 'approvals/decision/press-order.test.ts',
  },
  'undone-just-before-it-is-sent-and-sent': {
    file: FLOW,
    from: "new Set(['withdraw', 'take-back'])",
    to: "new Set(['withdraw'])",
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'undone-in-the-queue-and-told-to-press-again': {
    file: TRANSITIONS,
    from: 'const isDeciding = left.decision !== undefined;',
    to: 'const isDeciding = left.decision === null;',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'rejects-wait-while-it-is-held': {
    file: AUTHORIZE,
    from: 'if (decision !== undefined && isOnCourse(decision.phase)) return null;',
    to: 'if (decision !== undefined) return null;',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'rejects-are-held': {
    file: AUTHORIZE,
    from: "const guard = ballot.action === 'approve' ? guarded(approval, terms, now) : undefined;",
    to: 'const guard = guarded(approval, terms, now);',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'self-approved-untold': {
    file: SELF_APPROVAL,
    from: 'return post !== undefined && post.ts === undefined;',
    to: 'return post !== undefined && post.ts === null;',
    noticedBy: 'approvals/self-approval.test.ts',
  },
  'self-approved-and-nobody-mentioned': {
    file: SELF_APPROVAL_MESSAGE,
    from: "const names = named.find((text) => text !== '');",
    to: "const names = named.find((text) => text === '');",
    noticedBy: 'approvals/self-approval.test.ts',
  },
  'self-approved-without-a-reason': {
    file: AUTHORIZE,
    from: 'return isMissing || result.self === true',
    to: 'return isMissing',
    noticedBy: 'e2e/self-approval.test.ts',
  },
  'requesters-review-themselves': {
    file: AUTHORIZE,
    from: "if (user === by) return told({ code: 'own-review' });\n  if (result.kind === 'not-allowed') {",
    to: "if (result.kind === 'not-allowed' && result.code !== 'requester') {",
    noticedBy: 'approvals/self-approval.test.ts',
  },
  'anybody-reviews': {
    file: AUTHORIZE,
    from: "return told({ code: result.code === 'requester' ? 'own-review' : 'no-review' });",
    to: "if (result.code === 'requester') return told({ code: 'own-review' });",
    noticedBy: 'approvals/self-approval.test.ts',
  },
  'reviewed-and-still-asked': {
    file: MESSAGE,
    from: 'const isOpen = state.self !== undefined && state.self.reviewed === undefined;',
    to: 'const isOpen = state.self !== undefined;',
    noticedBy: 'approvals/self-approval.test.ts',
  },
  'pages-skip-one': {
    file: LOOK_THROUGH,
    from: 'return upTo(found.at(-1)?.cursor ?? null, true);',
    to: 'return upTo(cursor, true);',
    noticedBy: 'approvals/ways-in/list/list-requests.test.ts',
  },
  'decided-stays-listed': {
    file: RECORD,
    from: 'return outcome === undefined && withdrawnAt === undefined;',
    to: 'return outcome === null || withdrawnAt === undefined;',
    noticedBy: 'approvals/decision/receive.test.ts',
  },
  'anybody-reads-what-waits': {
    file: ELIGIBLE,
    from: "return found === 'reviewer' ? 'yes' : 'no';",
    to: "return found === 'dropped' ? 'no' : 'yes';",
    noticedBy: 'approvals/ways-in/list/list-requests.test.ts',
  },
  'own-requests-wait-for-who-asked': {
    file: LIST_REQUESTS,
    from: "if (!isAllowed && isRequester(electorate, person) !== 'no') return 'no';",
    to: '',
    noticedBy: 'approvals/ways-in/list/list-requests.test.ts',
  },
  'home-lists-what-is-being-decided': {
    file: LIST_REQUESTS,
    from: "if (decision !== undefined || watch.state === 'unknown') return 'no';",
    to: "if (decision === null || watch.state === 'unknown') return 'no';",
    noticedBy: 'approvals/ways-in/list/list-requests.test.ts',
  },
  'home-lists-what-is-not-posted': {
    file: LIST_REQUESTS,
    from: "(section !== 'waiting' || isPosted(approval))",
    to: "(section !== 'waiting' || approval.posts.length > 0)",
    noticedBy: 'approvals/ways-in/list/list-requests.test.ts',
  },
  'home-shows-all-to-everybody': {
    file: LIST_REQUESTS,
    from: "section !== 'all' || isAdministrator",
    to: "section !== 'all' || permission?.kind !== 'failed'",
    noticedBy: 'approvals/ways-in/list/list-requests.test.ts',
  },
  'home-shows-the-list-of-before': {
    file: HOME_FLOW,
    from: 'await listForHome(core, user, choice);',
    to: 'await ((homeKey as any)[user] ??= listForHome(core, user, choice));',
    noticedBy: 'approvals/ways-in/list/home-flow.test.ts',
  },
  'home-decides-unread': {
    file: HOME_VIEW,
    from: 'return [text, ...whole, actions(',
    to: 'return [text, actions(',
    noticedBy: 'approvals/ways-in/list/home-view.test.ts',
  },
  'decided-rows-name-another-outcome': {
    file: LIST_MESSAGE,
    from: 'const decided = { ...outcome, resolvedAt };',
    to: "const decided = { ...outcome, resolvedAt, status: 'APPROVED' };",
    noticedBy: 'approvals/ways-in/list/listing-message.test.ts',
  },
  'decided-elsewhere-is-credited': {
    file: LIST_MESSAGE,
    from: 'const line = outcomeLine(decided);',
    to: "const line = outcomeLine({ ...decided, credit: 'certain' });",
    noticedBy: 'approvals/ways-in/list/listing-message.test.ts',
  },
  'held-past-the-deadline': {
    file: HOLD,
    from: 'return Math.max(0, Math.min(forMs, expiresAt - BEFORE_DEADLINE_MS - now));',
    to: 'return Math.max(forMs, expiresAt - expiresAt - now);',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'undone-by-whoever-presses': {
    file: TRANSITIONS,
    from: 'const own = approvalsOf(approval, asker.user);',
    to: 'const mine = approvalsOf(approval, asker.user);\n  const own = mine.length > 0 ? mine : approval.ballots.slice(-1);',
    noticedBy: 'approvals/history.test.ts',
  },
  'an-undo-by-another-ends-no-hold': {
    file: TRANSITIONS,
    from: 'if (!canBeUndone(theirs)) {',
    to: 'if (!canBeUndone(theirs) || own.every(({ user }) => user !== theirs.by)) {',
    noticedBy: 'approvals/decision/hold.test.ts',
  },
  'first-ballot-counts': {
    file: VOTES,
    from: '!cast.slice(at + 1).some((later) => isSamePerson(later, ballot));',
    to: '!cast.slice(0, at).some((earlier) => isSamePerson(earlier, ballot));',
    notWithin: 0,
    noticedBy: 'approvals/electorate/votes.test.ts',
  },
  'places-beyond-the-quorum-ignored': {
    file: NEEDS,
    from: 'return { quorum, places, needed: Math.max(quorum, all) };',
    to: 'return { quorum, places, needed: Math.min(quorum, all || 99) };',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'escalated-people-cover-no-need': {
    file: ESCALATION,
    from: 'places: withMore(places, begun),',
    to: 'places: withMore(places, begun.slice(0, 0)),',
    noticedBy: 'approvals/electorate/electorate.test.ts',
  },
  'substitutes-fill-places-of-their-own': {
    file: TALLY,
    from: 'const ids = slackIdsOf(ballot.for ?? ballot);',
    to: 'const ids = slackIdsOf(ballot);',
    noticedBy: 'approvals/electorate/votes.test.ts',
  },
  'substitutes-unchecked': {
    file: SUBSTITUTE,
    from: "if (own.kind !== 'accepted') return own;\n  if (theirs",
    to: 'if (theirs',
    notWithin: 0,
    noticedBy: 'approvals/electorate/substitute.test.ts',
  },
  'guests-stand-in': {
    file: SUBSTITUTE,
    from: 'eligible(core, noGuests, user, asking, action, true),',
    to: 'eligible(core, strict, user, asking, action, true),',
    noticedBy: 'approvals/electorate/substitute.test.ts',
  },
  'claimed-while-it-runs': {
    file: TAKE_REPORT,
    from: 'const isOther = claim !== undefined && approval.result?.claim !== claim;',
    to: "const isOther = claim !== undefined && approval.result?.claim !== claim && stateNow(approval) !== 'running';\n  function stateNow({ result }: Approval) {\n    return result?.reports.at(-1)?.state;\n  }",
    noticedBy: 'approvals/ways-in/take-report.test.ts',
  },
  'results-without-an-approval': {
    file: TAKE_REPORT,
    from: "if (status !== 'APPROVED') return { refused: conflict(NOT_APPROVED[status]) };",
    to: "if (status !== 'APPROVED' && status !== 'PENDING') return { refused: conflict(NOT_APPROVED[status]) };",
    noticedBy: 'approvals/ways-in/take-report.test.ts',
  },
  'older-requests-replace-newer-ones': {
    file: SUPERSEDE,
    from: 'if (supersedes === undefined || supersedes.order < order) {',
    to: 'if (supersedes === undefined || supersedes.order !== order) {',
    noticedBy: 'approvals/decision/supersede.test.ts',
  },
  'decided-as-it-was-read-before': {
    file: RECEIVE,
    from: 'if (isToCompare && digest !== digestOf(approval)) {',
    to: 'if (isToCompare && body.digest === "") {',
    noticedBy: 'approvals/decision/press-order.test.ts',
  },
  'several-decided-whatever-was-read': {
    file: SEVERAL_FLOW,
    from: 'asker, digest, ...said',
    to: 'asker, ...said',
    noticedBy: 'approvals/ways-in/list/several-flow.test.ts',
  },
  'loud-where-nobody-hears-it': {
    file: ELIGIBLE,
    from: 'const code = isLoud && (await ownRefusal(',
    to: 'const code = isLoud && false && (await ownRefusal(',
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'narrowing-ignored': {
    file: ELIGIBLE,
    from: 'const isWanted = !isNarrowed || (await isNamed(asked));',
    to: 'const isWanted = !isNarrowed || (await isNamed(asked)) || true;',
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'requesters-with-an-unknown-address-decide': {
    file: OWN_REQUEST,
    from: "return isResolved(requester) || email === undefined || hasAddress ? 'no' : 'unknown';",
    to: "return isResolved(requester) || email === undefined || hasAddress ? 'no' : 'no';",
    noticedBy: 'approvals/electorate/eligible.test.ts',
  },
  'changed-rules-unnoticed': {
    file: REAUTHORIZE,
    from: 'const isChanged = rules !== undefined && rules !== rulesIn(route);',
    to: 'const isChanged = rules !== undefined && route === undefined;',
    noticedBy: 'approvals/decision/reauthorize.test.ts',
  },
  'deleted-messages-adopted': {
    file: RECEIVE,
    from: 'if (post.gone?.includes(message)) return approval;',
    to: '',
    noticedBy: 'approvals/decision/receive.test.ts',
  },
  'a-part-of-a-group-is-the-whole': {
    file: COUNT_REVIEWERS,
    from: "if (result.kind === 'failed' || result.isPartial || terms.route === undefined) {",
    to: "if (result.kind === 'failed' || terms.route === undefined) {",
    noticedBy: 'approvals/electorate/count-reviewers.test.ts',
  },
  'resumes-without-a-message': {
    file: SUSPENSION,
    from: "return was === 'trying' || messagePost(after).ts !== undefined;",
    to: "return was === 'trying';",
    notWithin: 0,
    noticedBy: 'approvals/suspended.test.ts',
  },
  'results-leave-home-as-it-was': {
    file: REFRESH_HOME,
    from: '    isNews(before, after);',
    to: '    false;',
    noticedBy: 'approvals/tell/refresh-home.test.ts',
  },
  'several-count-from-the-exact-moment': {
    file: PRESS_END,
    from: 'const since = at - SKEW_MS;',
    to: 'const since = at;',
    notWithin: 0,
    noticedBy: 'approvals/ways-in/list/press-end.test.ts',
  },
  'closings-of-people-ignored': {
    file: READ_CLOSING,
    from: 'const isOn = byPeople !== null && now < byPeople.until;',
    to: 'const isOn = byPeople !== null && now < 0;',
    noticedBy: 'approvals/decision/closed.test.ts',
  },
  'spent-while-closed-without-a-word': {
    file: BARS,
    from: "owe(left.data, decision.asker, 'closed', spent),",
    to: 'left.data,',
    noticedBy: 'approvals/decision/closed.test.ts',
  },
  'still-closed-after-it-was-opened': {
    file: 'approvals/electorate/closing.ts',
    from: 'return isOver(closing, store.now()) ? undefined : closing;',
    to: 'return store.now() >= closing.until ? undefined : closing;',
    noticedBy: 'approvals/ways-in/closing-command.test.ts',
  },
  'reminds-while-closed': {
    file: 'approvals/tell/post.ts',
    from: "state.name === 'waiting' && bar === undefined && !approval.decision;",
    to: "state.name === 'waiting' && !approval.decision;",
    noticedBy: 'approvals/decision/closed.test.ts',
  },
  'sent-on-an-old-reading-of-the-closing': {
    file: READ_CLOSING,
    from: 'const isFresh = readAt <= now && now <= readAt + FRESH_MS;',
    to: 'const isFresh = readAt > 0;',
    notWithin: 0,
    noticedBy: 'approvals/decision/closed.test.ts',
  },
  'repeated-while-closed': {
    file: BARS,
    from: 'if (sends.ambiguous > 0) {',
    to: 'if (sends.ambiguous > 1) {',
    noticedBy: 'approvals/decision/closed.test.ts',
  },
  'extra-approvals-decide-at-the-opening': {
    file: BARS,
    from: 'if (!tally(electorateOf(data, terms), data.ballots).isEnough) break;',
    to: 'break;',
    noticedBy: 'approvals/decision/closed.test.ts',
  },
  ...UNMET_PLANTS,
};

/** Builds the program with one of them. Throws if its text is not there exactly once. */
export function editing(name: string): Plugin {
  const plant = RULE_PLANTS[name];
  if (plant === undefined) throw new Error(`There is no plant ${name}`);
  const path = fileURLToPath(new URL(`../../src/${plant.file}`, import.meta.url));
  return {
    name: 'rule-plant',
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, async (file) => {
        if (file.path !== path) return undefined;
        return { contents: planted(await readFile(path, 'utf8'), plant), loader: 'ts' };
      });
    },
  };
}

/** The text with the bug. */
export function planted(text: string, { file, from, to }: RulePlant): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${file} has "${from}" ${parts.length - 1} times`);
  return parts.join(to);
}
