import type { ModalView } from '@slack/types';
import type { Route } from '../core/config/config.ts';
import {
  type RecordDependencies,
  type SignalStored,
  storeSignal,
} from '../core/engine/put-record.ts';
import type { Timers } from '../core/lib/timers.ts';
import { answerPerson } from '../core/slack/answer-person.ts';
import type { SlackLinks } from '../core/slack/links.ts';
import type { Permalink } from '../core/slack/permalink.ts';
import type { Replies } from '../core/slack/replies.ts';
import { StoreError } from '../core/store/store.ts';
import type { Action, Reachable, SealedText } from './approval.ts';
import { CLICK_TROUBLE, type ClickTrouble, mismatchSentence, named } from './message/sentences.ts';
import { type ApprovalSignal, encodeSignal } from './receive.ts';

/** What everything around the buttons of an approval's message works with. */
export interface PressDependencies extends RecordDependencies {
  readonly routes: readonly Route[];
  readonly replies: Replies;
  readonly timers: Timers;
  readonly permalink: Permalink;
  readonly links: SlackLinks;
  readonly seal: (plain: string, what: SealedText) => string;
  /** Opens a sealed response URL that came back with a modal. */
  readonly open: (sealed: string, what: 'response-url') => string;
  /** Throws RemoteFailure. */
  readonly openModal: (triggerId: string, view: ModalView) => Promise<unknown>;
  readonly onClick: (result: string) => void;
  /** Lets approvals that are suspended on a list try again. */
  readonly resume: (list: string) => Promise<void>;
}

/** A press on one of an approval's buttons, as Slack tells it. */
export interface ButtonPress {
  /** The record's id, from the button. */
  readonly record: string;
  /** Unique to this press: the same press delivered again is one. */
  readonly press: string;
  /** Opens a modal. */
  readonly trigger: string;
  readonly user: string;
  readonly channel: string;
  /** `ts` of the message. */
  readonly message: string;
  readonly responseUrl: string | null;
  /** As the message has it, not escaped; empty: it has none. */
  readonly title: string;
}

/**
 * stored: it will be carried out, whatever happens to this process; `carryOn` begins at once.
 * missing, mismatch: no such record, or another message. unavailable, unknown: the store's failures.
 */
export type PressStored = SignalStored | { readonly kind: 'unavailable' | 'unknown' };

/** Stores a ballot, in one round trip. */
export function castBallot(
  dependencies: PressDependencies,
  action: Action,
  press: ButtonPress,
  reason: string | null = null,
): Promise<PressStored> {
  const asker = askerOf(dependencies, press);
  const said = reason === null ? {} : { reason: dependencies.seal(reason, 'reason') };
  return store(dependencies, press, {
    kind: 'ballot',
    action,
    asker,
    ...said,
    message: press.message,
  });
}

/** Stores that a person wants to know how the gate stands now. */
export function askForCheck(
  dependencies: PressDependencies,
  press: ButtonPress,
): Promise<PressStored> {
  const asker = askerOf(dependencies, press);
  return store(dependencies, press, { kind: 'check', asker, message: press.message });
}

async function store(
  dependencies: PressDependencies,
  press: ButtonPress,
  body: ApprovalSignal,
): Promise<PressStored> {
  const { record, press: id, channel, message } = press;
  const signal = { id, body: encodeSignal(body) };
  const options = { place: { channel, message }, once: true };
  try {
    return await storeSignal(dependencies, record, signal, options);
  } catch (error) {
    if (error instanceof StoreError) return { kind: error.code };
    throw error;
  }
}

function askerOf({ seal }: PressDependencies, press: ButtonPress): Reachable {
  const { user, channel, responseUrl } = press;
  const sealed = responseUrl === null ? undefined : seal(responseUrl, 'response-url');
  return { user, channel, ...(sealed !== undefined && { responseUrl: sealed }) };
}

/** Tells a person whose press could not be stored, or belongs to no living message, what to do. */
export async function answerTrouble(
  dependencies: PressDependencies,
  kind: ClickTrouble,
  press: ButtonPress,
): Promise<void> {
  const text = kind === 'mismatch' ? await originalLink(dependencies, press) : CLICK_TROUBLE[kind];
  await answerPerson(dependencies, press, { text: namedAt(dependencies, press, text) });
}

/** The sentence with what the message that was pressed is called. */
export function namedAt(
  { links }: PressDependencies,
  { title, channel, message }: ButtonPress,
  sentence: string,
): string {
  return named(sentence, title || 'This request', links.message(channel, message));
}

async function originalLink(
  { store, permalink }: PressDependencies,
  { record, channel }: ButtonPress,
): Promise<string> {
  const place = (await store.read(record))?.place;
  // A link leads no further than the channel the person is in.
  const isHere = place?.channel === channel && place.message !== null;
  return mismatchSentence(isHere ? await permalink(channel, place.message) : undefined);
}
