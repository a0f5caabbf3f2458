import type {
  AllMiddlewareArgs,
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackEventMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import { pressedIn } from '../slack/pressed.ts';
import type { Listeners } from '../slack/register.ts';
import type { Action } from './approval.ts';
import { type AskReasonNeeds, askReason } from './ask-reason.ts';
import {
  askForCheck,
  type ButtonPress,
  castBallot,
  type PressStored,
  type SignalNeeds,
} from './cast-ballot.ts';
import { ACTIONS, reasonAction } from './message.ts';
import {
  type AskedReason,
  atReason,
  REASON_MODAL,
  readReason,
  reasonModal,
} from './reason-modal.ts';
import { CLICK_TROUBLE } from './sentences.ts';
import { blockedIn } from './standstill.ts';

export interface ListenerNeeds extends SignalNeeds, AskReasonNeeds {
  /** Opens a sealed response URL that came back with a modal. */
  readonly open: (sealed: string, what: 'response-url') => string;
  /** Lets approvals that stand on a list try again. */
  readonly wake: (list: string) => Promise<void>;
}

/**
 * What approvals listen to: their buttons, the modal that asks for a reason, and what lets Gatepost
 * post to a channel again.
 */
export function approvalListeners(needs: ListenerNeeds): Listeners {
  return {
    actions: {
      [ACTIONS.approve]: on(needs, (press) => castBallot(needs, 'approve', press)),
      [ACTIONS.reject]: on(needs, (press) => castBallot(needs, 'reject', press)),
      [ACTIONS.check]: on(needs, (press) => askForCheck(needs, press)),
      [reasonAction('approve', 'optional')]: asking(needs, 'approve', 'optional'),
      [reasonAction('approve', 'required')]: asking(needs, 'approve', 'required'),
      [reasonAction('reject', 'optional')]: asking(needs, 'reject', 'optional'),
      [reasonAction('reject', 'required')]: asking(needs, 'reject', 'required'),
    },
    views: { [REASON_MODAL]: onReason(needs) },
    events: {
      member_joined_channel: onJoined(needs),
      channel_unarchive: onUnarchived(needs),
      group_unarchive: onUnarchived(needs),
    },
  };
}

/** Stores the press, acknowledges it, and goes on from there. */
function on(needs: ListenerNeeds, store: (press: ButtonPress) => Promise<PressStored>) {
  return async ({ body, ack }: SlackActionMiddlewareArgs<BlockAction>): Promise<void> => {
    const press = pressOf(body);
    const stored = await store(press);
    await ack();
    await goOn(needs, stored, press);
  };
}

/** Opens the modal before anything slow: its trigger lives for three seconds. */
function asking(needs: ListenerNeeds, action: Action, rule: AskedReason) {
  return async ({ body, ack }: SlackActionMiddlewareArgs<BlockAction>): Promise<void> => {
    const press = pressOf(body);
    const { responseUrl } = press;
    const sealed = responseUrl === null ? null : needs.seal(responseUrl, 'response-url');
    await ack();
    await askReason(needs, press, reasonModal(action, rule, { ...press, responseUrl: sealed }));
  };
}

/** A modal that could not be stored stays open with what was typed. */
function onReason(needs: ListenerNeeds) {
  return async ({ body, view, ack }: SlackViewMiddlewareArgs<ViewSubmitAction>): Promise<void> => {
    const { action, reason, responseUrl, ...where } = readReason(view);
    const url = responseUrl === null ? null : needs.open(responseUrl, 'response-url');
    const press = { ...where, press: view.id, user: body.user.id, responseUrl: url };
    const stored = await castBallot(needs, action, press, reason);
    if (stored.kind === 'unavailable' || stored.kind === 'unknown') {
      needs.onClick(stored.kind);
      return ack(atReason(CLICK_TROUBLE[stored.kind]));
    }
    await ack();
    await goOn(needs, stored, press);
  };
}

async function goOn(needs: ListenerNeeds, stored: PressStored, press: ButtonPress): Promise<void> {
  needs.onClick(stored.kind);
  if (stored.kind === 'stored') stored.carryOn();
  else await needs.answerTrouble(stored.kind, press);
}

/** Bolt acknowledges events by itself; one that comes twice wakes who still stands still. */
function onJoined({ wake }: ListenerNeeds) {
  return async ({ event, context }: SlackEventMiddlewareArgs & AllMiddlewareArgs) => {
    if (event.type !== 'member_joined_channel' || event.user !== context.botUserId) return;
    await wake(blockedIn(event.channel));
  };
}

function onUnarchived({ wake }: ListenerNeeds) {
  return async ({ event }: SlackEventMiddlewareArgs) => {
    if (event.type !== 'channel_unarchive' && event.type !== 'group_unarchive') return;
    await wake(blockedIn(event.channel));
  };
}

function pressOf(body: BlockAction): ButtonPress {
  const { value: record, press, user } = pressedIn(body);
  return {
    record,
    press,
    user,
    channel: body.container.channel_id,
    message: body.container.message_ts,
    responseUrl: body.response_url === '' ? null : body.response_url,
  };
}
