import type { Core } from '../core/core.ts';
import { type SignalStored, storeSignal } from '../core/engine/put-record.ts';
import { answerPerson } from '../core/slack/answer-person.ts';
import { StoreError } from '../core/store/store.ts';
import type { Action, Reachable } from './approval.ts';
import { contextOf } from './failure.ts';
import { CLICK_TROUBLE, type ClickTrouble, mismatchSentence, named } from './message/sentences.ts';
import { type ApprovalSignal, encodeSignal } from './receive.ts';

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
    message: press.message,
  });
}

/** Stores that a person wants to know how the gate stands now. */
export function askForCheck(core: Core, press: ButtonPress): Promise<PressStored> {
  const asker = askerOf(core, press);
  return store(core, press, { kind: 'check', asker, message: press.message });
}

async function store(core: Core, press: ButtonPress, body: ApprovalSignal): Promise<PressStored> {
  const { record, press: id, channel, message } = press;
  const signal = { id, body: encodeSignal(body) };
  const options = { place: { channel, message }, once: true };
  try {
    return await storeSignal(core, record, signal, options);
  } catch (error) {
    if (error instanceof StoreError) return { kind: error.code };
    throw error;
  }
}

function askerOf({ box }: Core, press: ButtonPress): Reachable {
  const { user, channel, responseUrl } = press;
  const sealed =
    responseUrl === null ? undefined : box.seal(responseUrl, contextOf('response-url'));
  return { user, channel, ...(sealed !== undefined && { responseUrl: sealed }) };
}

/** Tells a person whose press could not be stored, or belongs to no living message, what to do. */
export async function answerTrouble(
  core: Core,
  kind: ClickTrouble,
  press: ButtonPress,
): Promise<void> {
  const text =
    kind === 'mismatch' ? mismatchSentence(await originalOf(core, press)) : CLICK_TROUBLE[kind];
  await answerPerson(core, press, { text: namedAt(core, press, text) });
}

/** The sentence with what the message that was pressed is called. */
export function namedAt(
  { links }: Core,
  { title, channel, message }: ButtonPress,
  sentence: string,
): string {
  return named(sentence, title || 'This request', links.message(channel, message));
}

/** A link to the message that a copy is of; undefined: it is in another channel, or Slack gives none. Throws StoreError. */
export async function originalOf(
  { store, permalink }: Core,
  { record, channel }: ButtonPress,
): Promise<string | undefined> {
  const place = (await store.read(record))?.place;
  // A link leads no further than the channel the person is in.
  const isHere = place?.channel === channel && place.message !== null;
  return isHere ? permalink(channel, place.message) : undefined;
}
