import type {
  AllMiddlewareArgs,
  BlockAction,
  SlackEventMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import * as z from 'zod';
import type { Core } from '../../core/core.ts';
import { sentAtIn } from '../../core/slack/http-receiver.ts';
import type { ActionArgs, Listeners } from '../../core/slack/listeners.ts';
import type { OpenModal } from '../../core/slack/modals.ts';
import { deliveryOf, pressedIn } from '../../core/slack/pressed.ts';
import { userSchema } from '../../core/slack/slack-person.ts';
import type { Action } from '../approval.ts';
import { resumeSuspended } from '../decision/resume.ts';
import { contextOf } from '../failure.ts';
import { suspendedIn } from '../lists.ts';
import { ASKING_BUTTONS } from '../tell/message/feature-words.ts';
import { ACTIONS, type AskedReason, reasonAction, roundIn } from '../tell/message/message.ts';
import { CLICK_TROUBLE, REQUEST } from '../tell/message/sentences.ts';
import {
  answerPress,
  answerTrouble,
  askForCheck,
  type ButtonPress,
  castBallot,
  markReviewed,
  type PressStored,
  readShown,
  takeBack,
} from './cast-ballot.ts';
import { showChosen } from './details.ts';
import { pressedAtHome } from './list/home-flow.ts';
import { type HomeChoice, readChoice } from './list/home-view.ts';
import {
  approvedAlready,
  askReason,
  atReason,
  isAsker,
  NO_REASON,
  REASON_FORM,
  readReason,
  reasonModal,
  submittedAt,
} from './reason-form.ts';
import { openReview, type PressedWhat, showPressedIn } from './review.ts';
import { WITHDRAW, withdrawOwn } from './withdraw-own.ts';

/**
 * The buttons of an approval's message, the form that asks for a reason, the events of being added to a channel, which
 * resume suspended approvals, and of a person who has changed.
 */
export function listenToApprovals(app: Listeners, core: Core): void {
  const once = createOnce<Spoken>();
  app.action(ACTIONS.approve, onBallot(core, once, 'approve'));
  for (const { action } of ASKING_BUTTONS) app.action(action, onAskingButton(core, once));
  app.action(ACTIONS.reviewed, onReviewed(core, once));
  app.action(ACTIONS.reject, onBallot(core, once, 'reject'));
  app.action(ACTIONS.check, onCheck(core, once));
  app.action(ACTIONS.takeBack, onTakeBack(core, once));
  app.action(WITHDRAW, onWithdraw(core, once));
  app.action(ACTIONS.menu, onMenu(core));
  app.action(ACTIONS.review, onReview(core));
  // Slack opens the link itself.
  app.action(ACTIONS.openRun, ({ ack }) => ack());
  app.action(reasonAction('approve', 'optional'), onAsk(core, once, 'approve', 'optional'));
  app.action(reasonAction('approve', 'required'), onAsk(core, once, 'approve', 'required'));
  app.action(reasonAction('reject', 'optional'), onAsk(core, once, 'reject', 'optional'));
  app.action(reasonAction('reject', 'required'), onAsk(core, once, 'reject', 'required'));
  app.view(REASON_FORM.id, onReason(core, once));
  app.event('member_joined_channel', onJoined(core));
  app.event('channel_unarchive', onUnarchived(core));
  app.event('group_unarchive', onUnarchived(core));
  app.event('user_change', async ({ event }) => {
    const user = userSchema.safeParse(event.user).data;
    if (user !== undefined) core.lookup.forget(user.id);
  });
}

/** The content of the acknowledgement of a submitted modal. */
type Spoken = ReturnType<typeof atReason> | undefined;
type JoinedArgs = SlackEventMiddlewareArgs<'member_joined_channel'> & AllMiddlewareArgs;
type UnarchivedArgs = SlackEventMiddlewareArgs<'channel_unarchive' | 'group_unarchive'>;
type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs;

function onBallot(core: Core, once: Once<Spoken>, action: Action) {
  return onPress(core, once, 'decision', (press) => castBallot(core, action, press));
}

/** A requester is asked for a reason; anybody else's press counts at once. */
function onAskingButton(core: Core, once: Once<Spoken>) {
  const cast = onBallot(core, once, 'approve');
  const ask = onAsk(core, once, 'approve', 'required');
  return async (args: ActionArgs): Promise<void> =>
    (await isAsker(core, pressOf(args.body))) ? ask(args) : cast(args);
}

function onReviewed(core: Core, once: Once<Spoken>) {
  return onPress(core, once, 'check', (press) => markReviewed(core, press));
}

function onCheck(core: Core, once: Once<Spoken>) {
  return onPress(core, once, 'check', (press) => askForCheck(core, press));
}

function onTakeBack(core: Core, once: Once<Spoken>) {
  return onPress(core, once, 'take-back', (press) => takeBack(core, press));
}

function onWithdraw(core: Core, once: Once<Spoken>) {
  return onPress(core, once, 'withdrawal', (press) => withdrawOwn(core, press));
}

/**
 * Stores the press, acknowledges it, and carries on. If it cannot be stored it is acknowledged once the person was
 * told; otherwise it fails.
 */
function onPress(
  core: Core,
  once: Once<Spoken>,
  what: PressedWhat,
  store: (press: ButtonPress) => Promise<PressStored>,
) {
  return async ({ body, context, ack }: ActionArgs): Promise<void> => {
    const press = pressOf(body);
    let carryOn = () => {};
    let kind: PressStored['kind'] | undefined;
    await once(press.press, async (isAgain) => {
      const stored = asFarAsKnown(await store(press), isAgain || isRetry(context));
      kind = stored.kind;
      carryOn = await goOn(core, stored, press);
      return undefined;
    });
    await ack();
    carryOn();
    // A repeated delivery was shown the first time.
    if (body.view !== undefined && kind !== undefined)
      await showPressed(core, body, press, what, kind);
  };
}

/** Shows the result of a press on the Home tab, or in a modal opened from it. */
async function showPressed(
  core: Core,
  { view }: BlockAction,
  press: ButtonPress,
  what: PressedWhat,
  kind: PressStored['kind'],
): Promise<void> {
  const shown = view?.type === 'modal' && showPressedIn(core, { id: view.id }, press, what, kind);
  await Promise.all([shown, pressedAtHome(core, press.user, choiceIn(view))]);
}

/** What the pressed Home tab was showing; a modal does not say. */
function choiceIn(view: { readonly private_metadata: string } | undefined): HomeChoice {
  return readChoice(view?.private_metadata ?? '');
}

/** Views are not stored. */
function onMenu(core: Core) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await showChosen(core, pressOf(body));
  };
}

function onReview(core: Core) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await openReview(core, pressOf(body));
  };
}

/** Opens the modal before anything slow: its trigger is valid for three seconds. */
function onAsk(core: Core, once: Once<Spoken>, action: Action, rule: AskedReason) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const press = pressOf(body);
    const inPlaceOf = body.view?.type === 'modal' ? { id: body.view.id } : undefined;
    await once(press.press, async () => void (await askWhy(core, action, rule, press, inPlaceOf)));
    await ack();
  };
}

/** A person who has already approved is told so instead. */
async function askWhy(
  core: Core,
  action: Action,
  rule: AskedReason,
  press: ButtonPress,
  inPlaceOf: OpenModal | undefined,
): Promise<void> {
  const already = action === 'approve' ? await approvedAlready(core, press) : undefined;
  if (already !== undefined) {
    core.metrics.count('click', { result: 'again' });
    return answerPress(core, press, already.sentence, already.buttons);
  }
  const { responseUrl } = press;
  const sealed =
    responseUrl === null ? null : core.box.seal(responseUrl, contextOf('response-url'));
  const modal = reasonModal(action, rule, { ...press, responseUrl: sealed });
  await askReason(core, press, modal, inPlaceOf);
}

/** If the form cannot be stored it stays open with what was typed. */
function onReason(core: Core, once: Once<Spoken>) {
  return async ({ body, view, context, ack }: SubmitArgs): Promise<void> => {
    const { action, rule, reason, responseUrl, opened, ...where } = readReason(view);
    if (rule === 'required' && reason === null) return ack(atReason(NO_REASON));
    const url = responseUrl === null ? null : core.box.open(responseUrl, contextOf('response-url'));
    const { user, trigger_id: trigger } = body;
    const id = deliveryOf(user.id, view.id, trigger);
    const acted = submittedAt(sentAtIn(context), opened?.at);
    const round = opened?.round === undefined ? {} : { round: opened.round };
    const pressed = { press: id, trigger, user: user.id, responseUrl: url };
    const press = { ...where, ...pressed, ...acted, ...round };
    let carryOn = () => {};
    const spoken = await once(id, async (isAgain) => {
      const cast = await castBallot(core, action, press, reason);
      const stored = asFarAsKnown(cast, isAgain || isRetry(context));
      if (stored.kind === 'unavailable' || stored.kind === 'unknown') {
        core.metrics.count('click', { result: stored.kind });
        // Errors at an input are plain text.
        return atReason(CLICK_TROUBLE[stored.kind].replaceAll(REQUEST, 'this request'));
      }
      carryOn = await goOn(core, stored, press);
      return undefined;
    });
    await ack(spoken);
    carryOn();
    if (press.message === null && spoken === undefined) {
      await pressedAtHome(core, press.user, choiceIn(view));
    }
  };
}

/** What to do after the acknowledgement. Failures to store are reported before it. */
async function goOn(core: Core, stored: PressStored, press: ButtonPress): Promise<() => void> {
  core.metrics.count('click', { result: stored.kind });
  if (stored.kind === 'stored') return stored.carryOn;
  await answerTrouble(core, stored.kind, press);
  return () => {};
}

/** Only this delivery is known not to be stored; an earlier one may be. */
function asFarAsKnown(stored: PressStored, isAgain: boolean): PressStored {
  return stored.kind === 'unavailable' && isAgain ? { kind: 'unknown' } : stored;
}

function isRetry({ retryNum = 0 }: ActionArgs['context']): boolean {
  return retryNum > 0;
}

/** Answers each press once. `isAgain`: an earlier delivery failed. */
type Once<Answer> = (
  press: string,
  answer: (isAgain: boolean) => Promise<Answer>,
) => Promise<Answer>;

/** How many presses this process remembers; stored ones are also known to the store. */
const REMEMBERED = 10_000;

/**
 * A repeated delivery gets the first one's answer, so that nobody reads that a press was not recorded when it was. One
 * that failed without anybody being told is tried again.
 */
function createOnce<Answer>(): Once<Answer> {
  const answers = new Map<string, Promise<Answer> | null>();
  return (press, answer) => {
    const before = answers.get(press);
    if (before) return before;
    const answered = answer(before === null);
    answers.set(press, answered);
    answered.catch(() => answers.set(press, null));
    const [oldest] = answers.keys();
    if (answers.size > REMEMBERED && oldest !== undefined) answers.delete(oldest);
    return answered;
  };
}

/** Bolt acknowledges events itself; a repeated event resumes what is still suspended. */
function onJoined(core: Core) {
  return async ({ event, context }: JoinedArgs) => {
    if (event.user === context.botUserId) await resumeIn(core, event.channel);
  };
}

function onUnarchived(core: Core) {
  return ({ event }: UnarchivedArgs) => resumeIn(core, event.channel);
}

/** Resumes approvals whose posts the channel refused. */
async function resumeIn(core: Core, channel: string): Promise<void> {
  for (const list of suspendedIn(channel)) await resumeSuspended(core, list);
}

function pressOf(body: BlockAction): ButtonPress {
  const { value, press, user, at, block } = pressedIn(body);
  const acted = at === undefined ? {} : { acted: { ms: at } };
  const round = roundIn(block);
  const pressed = { press, trigger: body.trigger_id, user, ...acted };
  const shown = readShown(value);
  // Not on the request's message: in a modal, on the Home tab, or below a reply to one person.
  if (body.view !== undefined || shown.channel !== '') {
    return { ...pressed, ...shown, message: null, responseUrl: body.response_url || null };
  }
  return {
    ...pressed,
    record: value,
    channel: body.container.channel_id,
    message: body.container.message_ts,
    responseUrl: body.response_url || null,
    title: titleIn(body.message),
    ...(round !== undefined && { round }),
  };
}

const titled = z.looseObject({
  blocks: z.array(z.looseObject({ type: z.string(), text: z.unknown().optional() })),
});
const titleText = z.looseObject({ text: z.string() });

/** Slack sends the message with the press: its header is the request's title. */
function titleIn(message: unknown): string {
  const { data } = titled.safeParse(message);
  const header = data?.blocks.find(({ type }) => type === 'header');
  return titleText.safeParse(header?.text).data?.text ?? '';
}
