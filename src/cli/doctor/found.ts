import type { Config } from '../../core/config/config.ts';
import type { Connect } from '../../core/http/exchange.ts';
import type { System } from '../../core/lib/system.ts';
import type { Finder } from '../../core/people/directory.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import type { Lookup } from '../../core/slack/lookup.ts';
import type { SlackClient } from '../../core/slack/web-api.ts';
import type { Store } from '../../core/store/store.ts';

/** What was found out about one thing. */
export interface Found {
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null: nothing. With `ok` it is advice. */
  readonly fix: string | null;
}

export const fine = (detail: string): Found => ({ ok: true, detail, fix: null });
export const advice = (detail: string, fix: string): Found => ({ ok: true, detail, fix });
export const wrong = (detail: string, fix: string): Found => ({ ok: false, detail, fix });

/** Several of a kind are one line: what is wrong first, then what is advised. */
export function together(found: readonly Found[]): Found {
  const bad = found.filter(({ ok }) => !ok);
  const advised = found.filter(({ ok, fix }) => ok && fix !== null);
  const amiss = [...bad, ...advised];
  const shown = amiss.length > 0 ? amiss : found;
  const fixes = [...new Set(shown.flatMap(({ fix }) => fix ?? []))];
  return {
    ok: bad.length === 0,
    detail: [...new Set(shown.map(({ detail }) => detail))].join('; '),
    fix: fixes.length === 0 ? null : fixes.join(' '),
  };
}

/** What is found out about each of these, one line for all: no more than so many are asked about. */
export async function some(
  names: readonly string[],
  most: number,
  look: (name: string) => Promise<Found>,
): Promise<Found> {
  const all = [...new Set(names)];
  if (all.length === 0) return fine('none is configured');
  const checked = together(await Promise.all(all.slice(0, most).map(look)));
  return besides(checked, all.length - most);
}

/** The same, with how many more there are that nobody was asked about. */
export function besides(checked: Found, unasked: number): Found {
  if (unasked <= 0) return checked;
  return { ...checked, detail: `${checked.detail}; ${unasked} more were not checked` };
}

/** What each check works with. */
export interface CheckNeeds {
  readonly config: Config;
  readonly system: System;
  /** The way out. */
  readonly connect: Connect;
  readonly service: ServiceClient;
  readonly client: SlackClient;
  /** Each person and group is asked about once, whichever check comes first. */
  readonly lookup: Pick<Lookup, 'recent'>;
  /** The same of accounts; null: the service's list of users cannot be read. */
  readonly accounts: Pick<Finder, 'recent'> | null;
  /** Opened once; null: there is none yet. Throws StoreError. */
  readonly store: () => Promise<Store | null>;
  /** What the store warned of. */
  readonly warnings: readonly string[];
  /** What it would have otherwise, without being wrong. */
  readonly advised: readonly string[];
  readonly signal: AbortSignal;
}
