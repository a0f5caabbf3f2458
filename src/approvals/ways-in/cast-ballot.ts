import type { Button } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { type SignalStored, storeSignal } from '../../core/engine/put-record.ts';
import { answerPerson } from '../../core/slack/answer-person.ts';
import { StoreError } from '../../core/store/store.ts';
import type { ActedAt } from '../acted-at.ts';
import type { Action, Reachable } from '../approval.ts';
import { type ApprovalSignal, encodeSignal } from '../decision/signal.ts';
import { contextOf } from '../failure.ts';
import { withButtons } from '../tell/message/elsewhere.ts';
import {
  CLICK_TROUBLE,
  type ClickTrouble,
  mismatchSentence,
  named,
} from '../tell/message/sentences.ts';

/** A press on one of an approval's buttons, as sent by Slack. */
export interface ButtonPress {
  /** The record's id, from the button. */
  readonly record: string;
  /** Unique to this press; the same when it is delivered again. */
  readonly press: string;
  /** Used to open a modal. */
  readonly trigger: string;
  readonly user: string;
  /** By Slack's clock; absent: it gave none. */
  readonly acted?: ActedAt;
  /** Of the message that was pressed; absent: pressed elsewhere. */
  readonly round?: string;
  readonly channel: string;
  /** `ts` of the message; null: on the Home tab, or in a modal opened from it. */
  readonly message: string | null;
  /** Digest of the request as shown, if not pressed on its message. */
  readonly digest?: string | undefined;
  readonly responseUrl: string | null;
  /** As in the message, not escaped; empty: none. */
  readonly title: string;
}

/**
 * stored: it will be carried out, even if this process dies; `carryOn` starts work. missing, mismatch: no such record,
 * or another message. unavailable, unknown: the store's failures. not-yours, unchecked: of a withdrawal, which only the
 * requester can make.
 */
export type PressStored =
  | SignalStored
  | { readonly kind: 'unavailable' | 'unknown' | 'not-yours' | 'unchecked' };

/** Stores a ballot, in one round trip. */
export function castBallot(
  core: Core,
  action: Action,
  press: ButtonPress,
  reason: string | null = null,
): Promise<PressStored> {
  const asker = askerOf(core, press);
  const said = reason === null ? {} : { reason: core.box.seal(reason, contextOf('reason')) };
  return store(core, press, {
    kind: 'ballot',
    action,
    asker,
    ...said,
    ...(press.message !== null && { message: press.message }),
    ...(press.digest !== undefined && { digest: press.digest }),
    ...orderOf(press),
  });
}

function orderOf({ acted, round }: ButtonPress) {
  return { ...(acted !== undefined && { acted }), ...(round !== undefined && { round }) };
}

/** Stores that a person asked for the current state. */
export function askForCheck(core: Core, press: ButtonPress): Promise<PressStored> {
  const asker = askerOf(core, press);
  const { message } = press;
  return store(core, press, { kind: 'check', asker, ...(message !== null && { message }) });
}

/** Stores that a person takes back their approval of the request named by the button. */
export function takeBack(core: Core, press: ButtonPress): Promise<PressStored> {
  const { message } = press;
  const asker = askerOf(core, press);
  return store(core, press, {
    kind: 'take-back',
    asker,
    ...(message !== null && { message }),
    ...orderOf(press),
  });
}

/** Stores that a person reviewed a request that its requester approved. */
export function markReviewed(core: Core, press: ButtonPress): Promise<PressStored> {
  const { message } = press;
  const asker = askerOf(core, press);
  return store(core, press, { kind: 'reviewed', asker, ...(message !== null && { message }) });
}

/** Stores another press. */
export function storePress(
  core: Core,
  press: ButtonPress,
  signal: (asker: Reachable) => ApprovalSignal,
): Promise<PressStored> {
  return store(core, press, signal(askerOf(core, press)));
}

async function store(core: Core, press: ButtonPress, body: ApprovalSignal): Promise<PressStored> {
  const { record, press: id, channel, message } = press;
  const signal = { id, body: encodeSignal(body) };
  const place = message === null ? {} : { place: { channel, message } };
  try {
    return await storeSignal(core, record, signal, { ...place, once: true });
  } catch (error) {
    if (error instanceof StoreError) return { kind: error.code };
    throw error;
  }
}

function askerOf({ box }: Core, press: ButtonPress): Reachable {
  const { user, channel, message, responseUrl } = press;
  const sealed =
    responseUrl === null ? undefined : box.seal(responseUrl, contextOf('response-url'));
  return {
    user,
    channel,
    ...(sealed !== undefined && { responseUrl: sealed }),
    ...(message === null && responseUrl === null && { direct: true as const }),
  };
}

/** Tells a person what to do when their press was not stored, or its message is no longer valid. */
export async function answerTrouble(
  core: Core,
  kind: ClickTrouble,
  press: ButtonPress,
): Promise<void> {
  const text =
    kind === 'mismatch' ? mismatchSentence(await originalOf(core, press)) : CLICK_TROUBLE[kind];
  await answerPress(core, press, text);
}

/** Tells a sentence to the person who pressed, where they are. Throws RemoteFailure. */
export async function answerPress(
  core: Core,
  press: ButtonPress,
  sentence: string,
  buttons: readonly Button[] = [],
): Promise<void> {
  const content = withButtons(namedAt(core, press, sentence), buttons);
  const isElsewhere = press.message === null && press.responseUrl === null;
  if (isElsewhere) return core.replies.direct({ user: press.user, ...content });
  await answerPerson(core, press, content);
}

export function readShown(
  value: string,
): Pick<ButtonPress, 'record' | 'channel' | 'digest' | 'title'> {
  const [record = '', channel = '', digest = '', ...title] = value.split(' ');
  return { record, channel, digest, title: title.join(' ') };
}

/** The sentence with the title from the pressed message. */
export function namedAt(
  { links }: Core,
  { title, channel, message }: ButtonPress,
  sentence: string,
): string {
  const link = message === null ? undefined : links.message(channel, message);
  return named(sentence, title, link);
}

/**
 * A link to the request's message, if it is in this channel; undefined: it is not, or Slack gives none. Throws
 * StoreError.
 */
export async function originalOf(
  { store, permalink }: Core,
  { record, channel }: ButtonPress,
): Promise<string | undefined> {
  const place = (await store.read(record))?.place;
  // No links to channels the person may not be in.
  const isHere = place?.channel === channel && place.message !== null;
  return isHere ? permalink(channel, place.message) : undefined;
}
