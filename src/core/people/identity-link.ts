import { createHash } from 'node:crypto';
import type { Store } from '../store/store.ts';

/** An unused link is dropped after this time. */
const LIFETIME_MS = 400 * 86_400_000;
/** Using a link extends its lifetime, but it is not written at every decision. */
const RENEWED_AFTER_MS = 30 * 86_400_000;

/** The stored links of a person and of the account found for them. */
export interface KnownLink {
  /** Service user id that the person is linked to. */
  readonly account: string | null;
  /** Slack user id that the account is linked to. */
  readonly holder: string | null;
  /** It has to be written, because something is missing or old. */
  readonly isDue: boolean;
}

interface IdentityLink {
  readonly account: string;
  readonly holder: string;
  /** On the store's clock. */
  readonly at: number;
}

/** `ids`: all ids of one person, starting with the one used for the link. Throws StoreError. */
export async function readLink(
  store: Store,
  ids: readonly string[],
  account: string | null,
): Promise<KnownLink> {
  const [held, ...texts] = await Promise.all([
    account === null ? undefined : store.get(accountKey(account)),
    ...ids.map((id) => store.get(personKey(id))),
  ]);
  const [link] = texts.filter((text) => text !== undefined).map(parsed);
  const isOld = link !== undefined && store.now() - link.at > RENEWED_AFTER_MS;
  const holder = held === undefined ? null : parsed(held).holder;
  const isDue = texts[0] === undefined || holder === null || isOld;
  return { account: link?.account ?? null, holder, isDue };
}

/** The Slack user id that the account is linked to; null: none. Throws StoreError. */
export async function holderOf(store: Store, account: string): Promise<string | null> {
  const held = await store.get(accountKey(account));
  return held === undefined ? null : parsed(held).holder;
}

/**
 * Links a person and an account if neither is linked yet, and renews the lifetime of a link in use. If two people try
 * at once, only one succeeds: read it again. Throws StoreError.
 */
export async function keepLink(
  store: Store,
  ids: readonly [string, ...string[]],
  account: string,
  { account: linkedTo }: KnownLink,
): Promise<void> {
  const [holder] = ids;
  const text = textOf({ account, holder, at: store.now() });
  const isFirst = await store.putIfAbsent(accountKey(account), text, LIFETIME_MS);
  const held = isFirst ? text : await store.get(accountKey(account));
  if (held === undefined || !ids.includes(parsed(held).holder)) return;
  if (linkedTo === account && !isFirst) await writeLink(store, holder, account);
  else await store.putIfAbsent(personKey(holder), text, LIFETIME_MS);
}

/** Links them, replacing any stored link. Throws StoreError. */
export async function writeLink(store: Store, holder: string, account: string): Promise<void> {
  const text = textOf({ account, holder, at: store.now() });
  // The account first: if only that is written, the person is not authorized yet.
  await store.put(accountKey(account), text, LIFETIME_MS);
  await store.put(personKey(holder), text, LIFETIME_MS);
}

/** Unlinks a person, and frees their account for others. Throws StoreError. */
export async function dropLink(store: Store, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const text = await store.get(personKey(id));
    if (text === undefined) continue;
    await freeAccount(store, ids, parsed(text).account);
    await store.take(personKey(id));
  }
}

/** Unless it is linked to somebody else by now. Throws StoreError. */
export async function freeAccount(
  store: Store,
  ids: readonly string[],
  account: string,
): Promise<void> {
  const key = accountKey(account);
  const held = await store.get(key);
  if (held !== undefined && ids.includes(parsed(held).holder)) await store.take(key);
}

function personKey(slackId: string): string {
  return `people.link:${slackId}`;
}

function accountKey(account: string): string {
  // Service ids can have any length.
  return `people.account:${createHash('sha256').update(account).digest('base64url')}`;
}

function textOf(link: IdentityLink): string {
  return JSON.stringify(link);
}

function parsed(text: string): IdentityLink {
  // as: only `textOf` writes it
  return JSON.parse(text) as IdentityLink;
}
