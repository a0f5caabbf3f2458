import {
  acceptedIn,
  accountsOf,
  actionOf,
  type Case,
  couldDecide,
  effectBy,
  mayBeForgotten,
  mayBeLost,
  postOf,
  pressesBy,
  recordOf,
  STATUS_OF,
  violation,
  wasReadSince,
  wentBackBetween,
} from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { Effect, MessageSeen, Status, Version, Violation } from '../evidence.ts';

/** One message for each post. It is never false, and in the end shows the outcome. */
export function messages(seen: Case): Violation[] {
  return [
    ...copies(seen),
    ...seen.messages.flatMap((each) => [...lies(seen, each), ...forgets(seen, each)]),
    ...unshown(seen),
  ];
}

/** Name of the reply that tells the others, before the press that it is about. */
export const SELF_APPROVAL = 'self-approval-';

/** Shown in place of what the service did not say. */
const UNASKED = /^The service has not yet said|^No description was given/;

/** A decided request stays readable: in the message, or in its thread by then. */
function forgets(seen: Case, message: MessageSeen): Violation[] {
  if (postOf(message)?.startsWith('message') !== true) return [];
  const quotedIn = (version: Version) => claimsOf(version).quotes.map(({ text }) => text);
  const open = message.versions.findLast((each) => claimsOf(each).status === null);
  const asked = (open === undefined ? [] : quotedIn(open)).filter((text) => !UNASKED.test(text));
  const reply = seen.messages.find(
    (each) => postOf(each) === 'outcome-request' && recordOf(each) === recordOf(message),
  );
  const [kept] = reply?.versions ?? [];
  const isRead = (version: Version, text: string) =>
    quotedIn(version).includes(text) ||
    (kept !== undefined && kept.at <= version.at && quotedIn(kept).includes(text));
  const folded = message.versions.find(
    (each) => claimsOf(each).status !== null && !asked.every((text) => isRead(each, text)),
  );
  // What was sent before the store went back may arrive after it.
  if (folded === undefined || isUnread(seen, open?.sentAt ?? open?.at ?? 0)) return [];
  const what = 'neither its message nor its thread says any more what was asked';
  return [violation(seen, 'false', what, { at: folded.at })];
}

/**
 * The store forgot a description that only the service has, and nobody heard it again before the end. What was about to
 * be sent then may still show it.
 */
function isUnread(seen: Case, shownAt: number): boolean {
  const { approval, run } = seen;
  const endAt = approval.effects[0]?.at ?? Number.POSITIVE_INFINITY;
  const lapse = run.lapses.findLast(
    ({ from, at }) => from <= shownAt && shownAt <= at + ABOUT_TO_BE_SENT_MS,
  );
  if (approval.message !== undefined || lapse === undefined) return false;
  return !wasReadSince(seen, lapse.at, endAt);
}

/** From the note of a step to its call. */
const ABOUT_TO_BE_SENT_MS = 2_000;

function copies(seen: Case): Violation[] {
  const wrong: Violation[] = [];
  const { records } = seen;
  if (records.length > 1 && !mayBeTwo(seen)) {
    wrong.push(violation(seen, 'double', `one token became ${records.length} records`));
  }
  for (const [place, message] of seen.messages.entries()) {
    const post = postOf(message);
    const at = message.versions[0]?.at ?? null;
    const twin = seen.messages
      .slice(0, place)
      .find((each) => recordOf(each) === recordOf(message) && isCopy(seen, each, message));
    if (twin === undefined) continue;
    const what = `${post} was posted twice: ${twin.channel} ${twin.ts}, ${message.channel} ${message.ts}`;
    wrong.push(violation(seen, 'double', what, { at }));
  }
  return wrong;
}

/** The store forgot the first one: it was accepted, or stored although its automation was not told. */
function mayBeTwo(seen: Case): boolean {
  const { records, run, messages, approval } = seen;
  if (records.length > 1 + run.lapses.length) return false;
  // The later one belongs to a request after the store went back.
  const [first] = messages;
  const again = messages.find((each) => first !== undefined && recordOf(each) !== recordOf(first));
  const againAt = again?.versions[0]?.at ?? Number.POSITIVE_INFINITY;
  if (!run.lapses.some(({ at }) => at <= againAt)) return false;
  const accepted = acceptedIn(seen);
  if (accepted !== undefined && mayBeLost(seen, accepted.answeredAt ?? accepted.at, accepted.at))
    return true;
  const [asked] = approval.intake;
  const postedAt = first?.versions[0]?.at;
  if (asked === undefined || postedAt === undefined) return false;
  const isUnheard = asked.status === null || asked.status >= 500;
  const heardAt = accepted?.answeredAt ?? accepted?.at ?? Number.POSITIVE_INFINITY;
  return (
    isUnheard &&
    run.lapses.some(({ from, at }) => from <= postedAt && at >= asked.at && at <= heardAt)
  );
}

/** A deleted message is posted again, under another name if it was known to have been there. */
function isCopy({ messages }: Case, earlier: MessageSeen, later: MessageSeen): boolean {
  const at = later.versions[0]?.at ?? 0;
  const isMain = (each: MessageSeen) => postOf(each)?.startsWith('message') === true;
  const saidAt = earlier.versions[0]?.at ?? 0;
  // The reply of a message that was deleted later has no parent any more.
  const isBelow = IN_THREAD.test(postOf(earlier) ?? '');
  const isGone = ({ deletedAt }: MessageSeen) =>
    deletedAt !== null && deletedAt >= saidAt && deletedAt <= at;
  if (isBelow && messages.some((each) => isMain(each) && isGone(each))) return false;
  if (earlier.deletedAt !== null && earlier.deletedAt <= at) return false;
  const [one, other] = [postOf(earlier), postOf(later)];
  return (
    one === other || (one?.startsWith('message') === true && other?.startsWith('message') === true)
  );
}

const IN_THREAD = /^(?:outcome-(?:thread|request)|(?:reminder|escalation|result)-|last-call$)/;

/** A lost own gate is requested again, and may end differently: docs/how-it-works.md says so. */
export function isOfGone({ approval, records }: Case, record: string | null): boolean {
  return approval.authority === 'gatepost' && record !== records.at(-1);
}

function lies(seen: Case, message: MessageSeen): Violation[] {
  const isGone = isOfGone(seen, recordOf(message));
  return message.versions.flatMap((version) => {
    const { at } = version;
    const where = `${postOf(message)} in ${message.channel}`;
    const said = claimsOf(version);
    // The announcement of a self-approval quotes the reason before it is decided: `selfApprovals` checks that.
    const isBefore = postOf(message)?.startsWith(SELF_APPROVAL) === true;
    const claims = isBefore ? { ...said, quotes: [] } : said;
    return untrue(seen, isGone ? { ...claims, status: null, quotes: [] } : claims, at).map((what) =>
      violation(seen, 'false', `${where} said ${what}`, { at }),
    );
  });
}

/** False statements, each as text that follows “said”. */
export function untrue(seen: Case, claims: Claims, at: number): string[] {
  const { withdrawals, authority } = seen.approval;
  const wrong = [...untrueOutcome(seen, claims, at), ...misquoted(seen, claims)];
  for (const { person, action } of claims.sent) {
    if (pressesBy(seen, person, action, at).length > 0) continue;
    wrong.push(`that a decision of ${person} is sent, who had not pressed ${action ?? 'anything'}`);
  }
  for (const { person, action } of claims.undecided) {
    if (couldDecide(seen, person, action, at)) continue;
    wrong.push(`that ${person} decides, who had not pressed ${action}, or could not`);
  }
  for (const person of claims.approvedBy) {
    if (couldDecide(seen, person, 'approve', at)) continue;
    wrong.push(`that ${person} had approved, who had not, or could not`);
  }
  if (claims.withdrawn && !withdrawals.some((each) => each.at <= at))
    wrong.push('that it is withdrawn');
  if (claims.unknown && authority === 'gatepost')
    wrong.push('that the state of an own gate is unknown');
  return wrong;
}

/** The reason, in the words of the person who decided, and under their name. */
function misquoted({ approval }: Case, { status, by, sent, quotes }: Claims): string[] {
  const decided = [...by, ...sent.map(({ person }) => person)];
  return (approval.reasons ?? []).flatMap(({ person, action, text }) => {
    const quote = quotes.find((each) => each.text === text);
    if (quote === undefined) return [];
    // A reply in the thread names nobody: the message above it does.
    const isTheirs = decided.length === 0 || decided.includes(person);
    const isOf = quote.person === null ? by.length < 2 : quote.person === person;
    if (STATUS_OF[action] === status && isTheirs && isOf) return [];
    return [`“${text}”, which ${person} wrote, of ${quote.person ?? by.join(', ')} and ${status}`];
  });
}

/** The same for a sentence. */
export function untrueOutcome(
  seen: Case,
  { status, by, elsewhere }: Pick<Claims, 'status' | 'by' | 'elsewhere'>,
  at: number,
): string[] {
  if (status === null) return [];
  // For an own gate the log decides; if it was not read, nothing can be said.
  if (seen.approval.authority === 'gatepost') {
    if (seen.audit === null) return [];
    // If its message is deleted, a store that went back cannot learn how it had ended.
    const isDeleted = seen.messages.some(({ deletedAt }) => deletedAt !== null);
    if (isDeleted && mayBeForgotten(seen, at)) return [];
  }
  const known = effectBy(seen, at);
  if (known.length === 0 && isGoneWithItsEnd(seen)) return [];
  const effect = known.find((each) => each.status === status);
  if (effect === undefined) {
    const truth = known[0]?.status ?? 'PENDING';
    return [`${status} when it was ${truth}`];
  }
  const wrong = by.filter((person) => !couldDecide(seen, person, actionOf(status), at));
  const lies = wrong.map((person) => `that ${person} did it, who did not, or could not`);
  if (elsewhere && effect.how === 'interface' && !isForgotten(seen, status)) {
    lies.push('that it was done elsewhere, when it was done through Gatepost');
  }
  if (by.length > 0 && !isByOneOf(seen, effect, by)) {
    lies.push(`that ${by.join(', ')} did it, when it was done ${byWhom(seen, effect)}`);
  }
  return lies;
}

/** An own gate that the store forgot just after it was accepted, or posted unheard, and that was not requested again. */
function isGoneWithItsEnd(seen: Case): boolean {
  if (seen.approval.authority !== 'gatepost' || seen.records.length !== 1) return false;
  const accepted = acceptedIn(seen);
  if (accepted !== undefined)
    return mayBeLost(seen, accepted.answeredAt ?? accepted.at, accepted.at);
  const postedAt = seen.messages[0]?.versions[0]?.at;
  return postedAt !== undefined && mayBeForgotten(seen, postedAt);
}

interface Moments {
  readonly at: number;
  readonly sentAt: number;
}

/** What its messages say about its end, oldest first. */
export function statedIn({ messages }: Case): readonly (Claims & Moments)[] {
  return messages
    .flatMap(({ versions }) => versions)
    .map((version) => ({
      ...claimsOf(version),
      at: version.at,
      sentAt: version.sentAt ?? version.at,
    }))
    .filter(({ status }) => status !== null)
    .toSorted((one, other) => one.at - other.at);
}

type Known = ReturnType<typeof effectBy>[number];

function isByOneOf({ run }: Case, effect: Known, by: readonly string[]): boolean {
  if (effect.how !== 'interface') return false;
  if (effect.people !== undefined) return by.every((each) => effect.people?.includes(each));
  // Without an account only the people themselves know whose it was.
  if (effect.serviceUser === null || effect.serviceUser === undefined) return true;
  return accountsOf(run, effect.serviceUser).some((each) => by.includes(each));
}

function byWhom({ run }: Case, { how, serviceUser, people }: Known): string {
  if (how !== 'interface') return how;
  const one = serviceUser ? accountsOf(run, serviceUser).join(' or ') : undefined;
  return `by ${one ?? people?.join(', ') ?? 'somebody'}`;
}

/** A store that forgot whose it was, or that it was sent, reports it as made elsewhere. */
function isForgotten(seen: Case, status: Status): boolean {
  const { effects, calls } = seen.approval;
  const sentAt = ({ at }: Effect) =>
    calls.find((each) => each.operation === 'respond' && each.at === at)?.sentAt ?? at;
  return effects.some(
    (each) =>
      each.status === status &&
      (mayBeForgotten(seen, each.at) || mayBeForgotten(seen, sentAt(each))),
  );
}

/** What the last state of the messages leaves out. */
function unshown(seen: Case): Violation[] {
  const { approval } = seen;
  const accepted = acceptedIn(seen);
  if (accepted === undefined || mayBeLost(seen, accepted.answeredAt ?? accepted.at, accepted.at))
    return [];
  const record = seen.records.at(-1);
  const own = seen.messages.filter((each) => recordOf(each) === record && each.deletedAt === null);
  const main = own.filter((each) => postOf(each)?.startsWith('message')).at(-1);
  const isWithdrawn = approval.withdrawals.length > 0;
  const [effect] = effectBy(seen, Number.POSITIVE_INFINITY);
  if (main === undefined) {
    // A deletion is noticed when the message has to change.
    const gone = seen.messages.filter(({ deletedAt }) => deletedAt !== null);
    if (isWithdrawn || (effect === undefined && gone.length > 0)) return [];
    const hasToldAll = gone.some((each) => {
      const last = each.versions.at(-1);
      const isMain = recordOf(each) === record && postOf(each)?.startsWith('message') === true;
      return isMain && last !== undefined && claimsOf(last).status === effect?.status;
    });
    // The thread is gone with its message; the others are announced elsewhere.
    if (hasToldAll)
      return unannounced(seen, [...own.map(postOf), 'outcome-thread', 'outcome-request']);
    return [
      violation(seen, 'lost', 'it was accepted, and there is no message', { at: accepted.at }),
    ];
  }
  const last = main.versions.at(-1);
  if (last === undefined) return [];
  const shown = claimsOf(last);
  if (effect === undefined) {
    const isWaiting = shown.waiting && !shown.waitsForService;
    const isOpen = isWaiting || shown.unknown || shown.withdrawn || shown.status !== null;
    if (isOpen) return [];
    return [
      violation(seen, 'lost', 'it is pending, and its message does not say so', { at: last.at }),
    ];
  }
  // Withdrawn before: it shows only that.
  if (shown.withdrawn && isWithdrawn) return [];
  if (shown.status !== effect.status) {
    if (mayBeUndone(seen, last)) return [];
    const what = `it is ${effect.status}, and its message does not say so`;
    return [violation(seen, 'lost', what, { at: last.at })];
  }
  return unannounced(seen, own.map(postOf));
}

/** A change that arrived later than anybody expects, and its process or the store may have forgotten that it did. */
function mayBeUndone(seen: Case, { at, sentAt = at }: Version): boolean {
  if (at <= sentAt + EXPECTED_MS) return false;
  const until = at + NOTED_AFTER_MS;
  const isEnded = seen.run.interruptions.some(({ from }) => from >= at && from <= until);
  return isEnded || wentBackBetween(seen, at, until);
}

/** Later, a process that takes over no longer expects what another one had begun to send. */
const EXPECTED_MS = 40_000;
/** Until then a process has noted what Slack answered. */
const NOTED_AFTER_MS = 5_000;

/** If a channel accepts no messages, an outcome is not announced: docs/configuration.md says so. */
function unannounced(seen: Case, posted: readonly (string | null)[]): Violation[] {
  const { announced, message, refusals = [] } = seen.approval;
  const isRefused = (post: string) => refusals.some((each) => each.post === post);
  // If only the service has the description, the approval may end before it is read: only its title is kept.
  const inThread = posted.includes('outcome-thread') || isRefused('outcome-thread');
  const isWordless = (post: string) =>
    post === 'outcome-request' && message === undefined && inThread;
  const missing = announced.filter(
    (post) => !posted.includes(post) && !isRefused(post) && !isWordless(post),
  );
  return missing.map((post) => violation(seen, 'lost', `${post} was never posted`));
}
