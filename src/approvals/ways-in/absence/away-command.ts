import type { Core } from '../../../core/core.ts';
import { signalRecord, untilRead } from '../../../core/engine/put-record.ts';
import { RemoteFailure } from '../../../core/lib/failure.ts';
import { knownZone } from '../../../core/lib/wall-clock.ts';
import { ACCOUNT_STATES, MEMBERSHIPS, THEIRS } from '../../../core/people/denials.ts';
import { type AccountDenial, accountDenial } from '../../../core/people/identity.ts';
import { type Membership, membershipOf } from '../../../core/people/membership.ts';
import { authorizePerson } from '../../../core/people/permission.ts';
import { throwReadError } from '../../../core/people/throw-read-error.ts';
import { ackWhenDone } from '../../../core/slack/ack-when-done.ts';
import { answerPerson, type Present, presentAt } from '../../../core/slack/answer-person.ts';
import { context, section } from '../../../core/slack/blocks.ts';
import type { ActionArgs } from '../../../core/slack/listeners.ts';
import { pressedIn } from '../../../core/slack/pressed.ts';
import type { ReplyContent } from '../../../core/slack/replies.ts';
import {
  idsOf,
  lastingIdsOf,
  NO_SUCH_PERSON,
  type PersonIds,
  type SlackPerson,
} from '../../../core/slack/slack-person.ts';
import { joinSentences, unescapeMrkdwn } from '../../../core/slack/text.ts';
import { StoreError } from '../../../core/store/store.ts';
import type { Delivery } from '../../acted-at.ts';
import {
  ABSENCE_KIND,
  type Absence,
  type AbsenceSignal,
  absenceKeyOfId,
  absenceRecord,
  absencesNow,
  awayOf,
  decodeAbsence,
  isEnded,
  isOvertaken,
  type LastingIds,
  shownId,
  substituteIn,
} from '../../electorate/absence.ts';
import { pressedAtHome } from '../list/home-flow.ts';
import { readChoice } from '../list/home-view.ts';
import { END_DAYS_MAX, fullText, readEnd } from '../read-end.ts';
import { endRefusal, refusal, YOU_UNCHECKED } from '../typed-refusals.ts';
import { awayBlocks, backButton, endText, everybodyBlocks, ownText } from './away-words.ts';
import type { AwayTyped } from './read-away.ts';

/** `/approvals away` and `/approvals back`, and the buttons of their answers, of direct messages and of the Home tab. */

/**
 * Carries out a typed command, and returns what the person reads. Changes nothing if the command cannot be checked or
 * understood. Throws ReadError for a failed overview.
 */
export function answerAway(
  core: Core,
  present: Present,
  typed: AwayTyped,
  press: Delivery,
): Promise<ReplyContent> {
  return typed.kind === 'show'
    ? overview(core, present).catch(throwReadError)
    : change(core, present.user, typed, press).catch(troubleText);
}

async function change(
  core: Core,
  user: string,
  typed: Exclude<AwayTyped, { kind: 'show' }>,
  press: Delivery,
): Promise<ReplyContent> {
  switch (typed.kind) {
    case 'set':
      return setAway(core, user, typed, press);
    case 'back':
      return (await comeBack(core, user, press)).content;
    default: {
      const [why, next] = NAME_REFUSALS[typed.kind];
      return { text: refusal(why, next) };
    }
  }
}

/** The *I'm back* button, wherever it is. */
export function onBack(core: Core) {
  return onPress(core, (user, _, press) => comeBack(core, user, press));
}

/** The *Decline* button, wherever it is. */
export function onDecline(core: Core) {
  return onPress(core, (user, of, press) => decline(core, user, of, press));
}

/** `isDone`: nothing is left that the button could do. */
interface Acted {
  readonly content: ReplyContent;
  readonly isDone: boolean;
}

/**
 * On the Home tab the view is refreshed, and shows what was done; elsewhere the answer replaces the message with the
 * button. What was not done is said, and the button stays.
 */
function onPress(
  core: Core,
  act: (user: string, value: string, press: Delivery) => Promise<Acted>,
) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const { user, value, press: id, at } = pressedIn(body);
    const press = { id, ...(at !== undefined && { acted: { ms: at } }) };
    const acting = act(user, value, press).catch((error) => undone(troubleText(error)));
    const { content, isDone } = await ackWhenDone(core.timers, ack, acting);
    if (body.view === undefined) {
      return answerPerson(core, presentAt(body), { ...content, replace: isDone });
    }
    const said = isDone ? undefined : core.replies.direct({ user, ...content });
    await Promise.all([said, pressedAtHome(core, user, readChoice(body.view.private_metadata))]);
  };
}

function done(text: string): Acted {
  return { content: { text }, isDone: true };
}

function undone(content: ReplyContent): Acted {
  return { content, isDone: false };
}

async function setAway(
  core: Core,
  user: string,
  typed: AwayTyped & { readonly kind: 'set' },
  press: Delivery,
): Promise<ReplyContent> {
  const { lookup, store, timers, timing, workspace } = core;
  const signal = timers.deadline(timing.stepMs);
  const person = await personOf(lookup.person(user, { signal }));
  if (person === 'unchecked') return { text: YOU_UNCHECKED };
  if (person === undefined || membershipOf(person, { ...workspace, guests: false }) !== 'member') {
    return { text: NOT_MEMBER };
  }
  const now = store.now();
  const zone = knownZone(person.timeZone);
  const timeText = (at: number) => fullText(at, zone ?? 'UTC', now);
  const before = (await readAbsence(core, person))?.absence;
  const end =
    typed.until === '' && before !== undefined
      ? ({ kind: 'end', until: before.until } as const)
      : readEnd(unescapeMrkdwn(typed.until), now, zone ?? 'UTC');
  if (end.kind !== 'end') {
    if (typed.until === '') return { text: refusal('Until when are you away?', EXAMPLES) };
    return { text: endRefusal(typed.until, end, EXAMPLES, timeText) };
  }
  const { until } = end;
  const change = { kind: 'set', ...actingOf(user, press), until } as const;
  if (typed.substitute === undefined) {
    return setText(await storeAway(core, person, change, press), { zone, timeText, before });
  }
  const named = await checkSubstitute(core, person, typed.substitute, signal);
  if (named.kind === 'denied') return { text: refusal(named.why, named.next) };
  const set = await storeAway(core, person, { ...change, substitute: named.ids }, press);
  return setText(set, { zone, timeText, isNamed: true });
}

/** `before`: the previous absence, if no substitute was named. `zone`: null if Slack does not say. */
function setText(
  absence: Absence | 'overtaken',
  {
    zone,
    timeText,
    before,
    isNamed,
  }: {
    zone: string | null;
    timeText: (at: number) => string;
    before?: Absence | undefined;
    isNamed?: boolean;
  },
): ReplyContent {
  if (absence === 'overtaken') return { text: OVERTAKEN };
  const substitute = substituteIn(absence)?.at(-1);
  const isKept = before !== undefined && substitute !== undefined;
  const end = `${timeText(absence.until)}, ${zone === null ? 'UTC' : 'your time'}`;
  const text = joinSentences(
    ownText(absence, end),
    isNamed && substitute !== undefined ? 'They will be told, and can decline.' : '',
    isKept ? 'You named them before. To name somebody else, add their @name.' : '',
    zone === null ? ZONE_UNKNOWN : '',
  );
  return { text, blocks: [{ ...section(text), accessory: backButton() }] };
}

/** Stores the change. Returns the absence after it, or that its person has acted since. Throws StoreError. */
async function storeAway(
  core: Core,
  person: SlackPerson,
  change: AbsenceSignal & { readonly kind: 'set' },
  press: Delivery,
): Promise<Absence | 'overtaken'> {
  const { store, reconciler } = core;
  for (let tries = 0; tries < 3; tries += 1) {
    const record = absenceRecord(person, press.id, change, store.now());
    const created = await store.create(
      { ...record, lane: 'people', dueInMs: 0, place: null },
      { hold: reconciler.hasRoom },
    );
    if (created.kind === 'created') {
      if (created.held !== undefined) void reconciler.run(created.held);
      return decodeAbsence(record.data);
    }
    const { id, data } = created.record;
    if (isOvertaken(decodeAbsence(data), change)) return 'overtaken';
    const signal = { id: press.id, body: JSON.stringify(change) };
    if ((await signalRecord(core, id, signal, { once: true })) === 'stored') {
      const changed = await changedBy(core, id, press);
      // The command was delivered again.
      return isEnded(changed, store.now()) ? 'overtaken' : changed;
    }
    // It ended between the two calls: the next try creates a new one.
  }
  throw new StoreError('unavailable', 'an absence ended each time it was to be changed');
}

async function comeBack(core: Core, user: string, press: Delivery): Promise<Acted> {
  const found = await readAbsence(core, await idsFor(core, user));
  if (found === undefined) return done(NOT_AWAY);
  const acting = actingOf(user, press);
  if (isOvertaken(found.absence, acting)) return undone({ text: OVERTAKEN });
  await signalAbsence(core, found.id, press, { kind: 'back', ...acting });
  const substitute = substituteIn(found.absence)?.at(-1);
  const freed = substitute === undefined ? '' : `<@${substitute}> no longer stands in for you.`;
  return done(joinSentences('*You are back.* Requests mention you again.', freed));
}

function actingOf(by: string, { acted }: Delivery) {
  return { by, ...(acted && { acted }) };
}

async function decline(core: Core, user: string, of: string, press: Delivery): Promise<Acted> {
  const ids = idsOf(await idsFor(core, user));
  const found = await readAbsenceOf(core, of);
  // Also after they declined: a second press, or Slack's second delivery of the first, gets the same answer.
  const isTheirs = found?.absence.substitute?.ids.some((id) => ids.includes(id)) === true;
  if (found === undefined || !isTheirs) {
    return done(`You no longer stand in for <@${of}>, so there is nothing to decline.`);
  }
  await signalAbsence(core, found.id, press, { kind: 'decline', ...actingOf(user, press), ids });
  return done(
    `*You declined to stand in for <@${shownId(found.absence.ids)}>.* They will be told.`,
  );
}

/** A person's overview; administrators see everybody. Throws StoreError and RemoteFailure. */
async function overview(core: Core, { user, channel }: Present): Promise<ReplyContent> {
  const person = await idsFor(core, user);
  const all = await absencesNow(core.store);
  const away = awayOf(all, idsOf(person));
  const who = { ...core.config.administrators, channel: false };
  const { kind } = await authorizePerson(core, who, { user, channel });
  const text = away.own === undefined ? `*You are not away.* ${HOW}` : ownText(away.own);
  return {
    text,
    blocks: [
      ...(away.own === undefined ? [section(text)] : []),
      ...awayBlocks(away),
      ...(kind === 'allowed' ? everybodyBlocks(all) : []),
      ...(kind === 'failed' ? [context(NOT_LISTED)] : []),
    ],
  };
}

type Named =
  | { readonly kind: 'substitute'; readonly ids: LastingIds }
  | { readonly kind: 'denied'; readonly why: string; readonly next: string };

/** Whether somebody can be a person's substitute, without caches. Throws StoreError. */
async function checkSubstitute(
  core: Core,
  person: SlackPerson,
  user: string,
  signal: AbortSignal,
): Promise<Named> {
  const { lookup, store, workspace, config } = core;
  const who = `<@${user}>`;
  const denied = (why: string, next = NAME_ANOTHER) => ({ kind: 'denied', why, next }) as const;
  const routes = config.routes.filter(({ substitutes }) => substitutes);
  if (routes.length === 0) return denied(...NO_ROUTES);
  const substitute = await personOf(lookup.person(user, { signal }));
  if (substitute === 'unchecked') return denied(unchecked(who, 'Slack'), LATER);
  if (substitute === undefined) return denied(NO_MEMBERS.stranger(who));
  const own = idsOf(person);
  if (idsOf(substitute).some((id) => own.includes(id))) return denied(YOURSELF);
  const membership = membershipOf(substitute, { ...workspace, guests: false });
  if (membership !== 'member') return denied(NO_MEMBERS[membership](who));
  const absent = awayOf(await absencesNow(store), idsOf(substitute)).own;
  if (absent !== undefined) return denied(`${who} is away too, until ${endText(absent)}.`);
  const account = await checkAccount(core, person, substitute, signal);
  if (account === 'unchecked') return denied(unchecked(who, 'the service'), LATER);
  if (account === 'same') return denied(YOURSELF);
  const rules = routes.map(({ identity }) => accountDenial(account, identity));
  const [denial] = rules;
  if (denial && !rules.includes(null)) return denied(barred(who, denial));
  return { kind: 'substitute', ids: lastingIdsOf(substitute) };
}

/** The substitute's service account. same: it is the absent person's. Links no accounts. Throws StoreError. */
async function checkAccount(
  { directory, ages, timing }: Core,
  person: SlackPerson,
  substitute: SlackPerson,
  signal: AbortSignal,
) {
  const reading = { signal, deadlineMs: timing.stepMs, since: ages.monotonic() };
  try {
    const [own, other] = await Promise.all([
      directory.search(person, reading),
      directory.search(substitute, reading),
    ]);
    const accounts = [own.account, own.linkedTo, own.override];
    const isSame = [other.account, other.linkedTo, other.override].some(
      (id) => id !== null && accounts.includes(id),
    );
    return isSame ? 'same' : other.identity;
  } catch (error) {
    if (error instanceof RemoteFailure) return 'unchecked';
    throw error;
  }
}

/** undefined: Slack shows no such person. unchecked: it does not answer. */
async function personOf(
  asked: Promise<SlackPerson>,
): Promise<SlackPerson | 'unchecked' | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return NO_SUCH_PERSON.has(error.code) ? undefined : 'unchecked';
  }
}

/** All ids of the person who pressed. Throws RemoteFailure if Slack is needed for that and does not answer. */
async function idsFor(core: Core, user: string): Promise<PersonIds> {
  const { lookup, timers, timing, workspace } = core;
  try {
    return await lookup.recent.person(user, { signal: timers.deadline(timing.stepMs) });
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    const seen = lookup.lastSeen(user);
    // In an organisation they may have another id as well.
    if (seen === undefined && workspace.enterprise !== null) throw error;
    return seen ?? { id: user, globalId: null };
  }
}

/** A person's stored absence. Throws StoreError. */
function readAbsence(core: Core, person: PersonIds) {
  return readAbsenceOf(core, lastingIdsOf(person)[0]);
}

async function readAbsenceOf({ store }: Core, lasting: string) {
  const record = await store.find(absenceKeyOfId(lasting));
  if (record?.kind !== ABSENCE_KIND) return undefined;
  const absence = decodeAbsence(record.data);
  return isEnded(absence, store.now()) ? undefined : { id: record.id, absence };
}

async function signalAbsence(
  core: Core,
  id: string,
  press: Delivery,
  signal: AbsenceSignal,
): Promise<void> {
  const stored = { id: press.id, body: JSON.stringify(signal) };
  // A record that is gone is over anyway.
  if ((await signalRecord(core, id, stored, { once: true })) === 'missing') return;
  await changedBy(core, id, press);
}

/** The absence from when on presses are authorized by the change. Throws StoreError. */
function changedBy(core: Core, id: string, press: Delivery): Promise<Absence> {
  return untilRead(core, id, (data) => {
    const absence = decodeAbsence(data);
    return absence.seen?.includes(press.id) ? absence : undefined;
  });
}

/** What the person reads if Slack or the store failed. */
function troubleText(error: unknown): ReplyContent {
  if (error instanceof StoreError) return { text: TROUBLE[error.code] };
  if (error instanceof RemoteFailure) return { text: YOU_UNCHECKED };
  throw error;
}

const HOW =
  'To be away, type `/approvals away until Friday`. Add an @name to name a substitute, who can decide in your place.';

const EXAMPLES = `Type for example \`/approvals away until Friday\`, \`away until 24 Dec\` or \`away in 3 days\`: at most ${END_DAYS_MAX} days.`;

const NAME_REFUSALS = {
  'unknown-name': [
    'Slack did not say who that @name is.',
    'Choose the person from the list that Slack offers as you type. If you did, an administrator has to update the Slack app from the current manifest (`gatepost manifest`).',
  ],
  'no-person': ['A group or channel cannot stand in for you.', 'Name one person.'],
  several: ['Only one person can stand in for you.', 'Name one person.'],
} as const satisfies Record<
  Exclude<AwayTyped['kind'], 'show' | 'back' | 'set'>,
  readonly [why: string, next: string]
>;

const NO_MEMBERS = {
  bot: (who) => `${who} is ${MEMBERSHIPS.bot.is} and cannot stand in for you.`,
  deactivated: (who) => `${who} is ${MEMBERSHIPS.deactivated.is} and cannot stand in for you.`,
  guest: (who) => `${who} is a guest. Only full members of the workspace can stand in.`,
  stranger: (who) => `${who} is not a member of this workspace and cannot stand in for you.`,
  'other-team': (who) => `${who} is not a member of this workspace and cannot stand in for you.`,
} as const satisfies Record<Exclude<Membership, 'member'>, (who: string) => string>;

function barred(who: string, denial: AccountDenial): string {
  return `${who} cannot stand in for you: ${ACCOUNT_STATES[denial](THEIRS)}. They can see more with \`/people me\`.`;
}

function unchecked(who: string, of: string): string {
  return `Gatepost could not check with ${of} whether ${who} can stand in for you.`;
}

const YOURSELF = 'You cannot stand in for yourself.';
const NO_ROUTES = [
  'No route allows substitutes, so nobody can stand in for you.',
  'You can be away without a substitute.',
] as const;
const NAME_ANOTHER = 'Name somebody else, or leave the @name out.';
const LATER = 'Try again in a minute.';
const NOT_MEMBER = 'Only full members of this workspace can set themselves away.';
const NOT_AWAY = 'You are not away, so there is nothing to end.';
const OVERTAKEN =
  'You have changed your absence since, so this earlier change was not counted. To see it, type `/approvals away`.';
const ZONE_UNKNOWN = 'Slack does not show Gatepost your time zone, so days end as in UTC.';
const NOT_LISTED =
  'Gatepost could not check whether you are an administrator, so it does not list who is away. Try again in a minute.';
const TROUBLE = {
  unavailable:
    'Gatepost could not store that just now. Nothing was changed. Try again in a minute.',
  unknown:
    'It is not known whether that was stored. Type `/approvals away` in a minute to see whether you are away.',
} as const;
