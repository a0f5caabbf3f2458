import { createHash } from 'node:crypto';
import type { Store } from '../store/store.ts';

/** A pin that nobody used for so long is forgotten. */
const LIFETIME_MS = 400 * 86_400_000;
/** One that is used begins its lifetime anew, but is not written at every decision. */
const RENEWED_AFTER_MS = 30 * 86_400_000;

/** What is kept of a person and of the account that was found for them. */
export interface Pinned {
  /** Service user id that the person is pinned to. */
  readonly account: string | null;
  /** Slack user id that the found account is pinned to. */
  readonly holder: string | null;
  /** It is to be written: something is missing, or old. */
  readonly isDue: boolean;
}

interface Pin {
  readonly account: string;
  readonly holder: string;
  /** On the store's clock. */
  readonly at: number;
}

/** `ids`: every id of one person, the one they are pinned by first. Throws StoreError. */
export async function readPin(
  store: Pick<Store, 'get' | 'now'>,
  ids: readonly string[],
  account: string | null,
): Promise<Pinned> {
  const [held, ...pins] = await Promise.all([
    account === null ? undefined : store.get(accountKey(account)),
    ...ids.map((id) => store.get(personKey(id))),
  ]);
  const [pin] = pins.filter((text) => text !== undefined).map(parsed);
  const isOld = pin !== undefined && store.now() - pin.at > RENEWED_AFTER_MS;
  const holder = held === undefined ? null : parsed(held).holder;
  const isDue = pins[0] === undefined || holder === null || isOld;
  return { account: pin?.account ?? null, holder, isDue };
}

/**
 * Pins a person and an account to each other, as far as neither is pinned yet, and keeps a pin that is
 * in use from growing old. Of two who come at once one wins: read it again. Throws StoreError.
 */
export async function keepPin(
  store: Pick<Store, 'get' | 'put' | 'putIfAbsent' | 'now'>,
  ids: readonly [string, ...string[]],
  account: string,
  { account: pinned }: Pinned,
): Promise<void> {
  const [holder] = ids;
  const text = textOf({ account, holder, at: store.now() });
  const isFirst = await store.putIfAbsent(accountKey(account), text, LIFETIME_MS);
  const held = isFirst ? text : await store.get(accountKey(account));
  if (held === undefined || !ids.includes(parsed(held).holder)) return;
  if (pinned === account && !isFirst) await writePin(store, holder, account);
  else await store.putIfAbsent(personKey(holder), text, LIFETIME_MS);
}

/** Pins them to each other, whatever was kept before. Throws StoreError. */
export async function writePin(
  store: Pick<Store, 'put' | 'now'>,
  holder: string,
  account: string,
): Promise<void> {
  const text = textOf({ account, holder, at: store.now() });
  // The account first: if only that is written, the person still has to be let in.
  await store.put(accountKey(account), text, LIFETIME_MS);
  await store.put(personKey(holder), text, LIFETIME_MS);
}

/** Forgets what a person is pinned to; their account is free for others. Throws StoreError. */
export async function dropPin(
  store: Pick<Store, 'get' | 'take'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const text = await store.get(personKey(id));
    if (text === undefined) continue;
    await freeAccount(store, ids, parsed(text).account);
    await store.take(personKey(id));
  }
}

/** Unless it is somebody else's by now. Throws StoreError. */
export async function freeAccount(
  store: Pick<Store, 'get' | 'take'>,
  ids: readonly string[],
  account: string,
): Promise<void> {
  const key = accountKey(account);
  const held = await store.get(key);
  if (held !== undefined && ids.includes(parsed(held).holder)) await store.take(key);
}

function personKey(slackId: string): string {
  return `people.pin:${slackId}`;
}

function accountKey(account: string): string {
  // An id of the service may have any length.
  return `people.account:${createHash('sha256').update(account).digest('base64url')}`;
}

function textOf(pin: Pin): string {
  return JSON.stringify(pin);
}

function parsed(text: string): Pin {
  // as: written by `textOf` alone
  return JSON.parse(text) as Pin;
}
