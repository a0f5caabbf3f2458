import type { Config } from '../../core/config/config.ts';
import type { Connect } from '../../core/http/exchange.ts';
import type { System } from '../../core/lib/system.ts';
import type { Finder } from '../../core/people/directory.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import type { SlackClient } from '../../core/slack/call-slack.ts';
import type { Lookup } from '../../core/slack/lookup.ts';
import type { Store } from '../../core/store/store.ts';

/** The result of a check. */
export interface Found {
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null: nothing. With `ok` it is advice. */
  readonly fix: string | null;
}

export const fine = (detail: string): Found => ({ ok: true, detail, fix: null });
export const advice = (detail: string, fix: string): Found => ({ ok: true, detail, fix });
export const wrong = (detail: string, fix: string): Found => ({ ok: false, detail, fix });

/** Combines several results into one line: problems first, then advice. */
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

/** Slack answers about a hundred look-ups of people a minute, which the running bot needs too. */
export const PEOPLE_MOST = 40;

/** Checks at most `most` of them, and combines the results into one line. */
export async function checkAtMost(
  names: readonly string[],
  most: number,
  look: (name: string) => Promise<Found>,
): Promise<Found> {
  const all = [...new Set(names)];
  if (all.length === 0) return fine('none is configured');
  const checked = together(await Promise.all(all.slice(0, most).map(look)));
  return withUnchecked(checked, all.length - most);
}

/** Adds how many were not checked. */
export function withUnchecked(checked: Found, unchecked: number): Found {
  if (unchecked <= 0) return checked;
  return { ...checked, detail: `${checked.detail}; ${unchecked} more were not checked` };
}

/** Dependencies of all checks. */
export interface CheckNeeds {
  readonly config: Config;
  readonly system: System;
  /** For outgoing requests. */
  readonly connect: Connect;
  readonly service: ServiceClient;
  readonly client: SlackClient;
  /** Reads each person and group once for all checks. */
  readonly lookup: Pick<Lookup, 'recent'>;
  /** The same for accounts; null: the service's list of users is not available. */
  readonly accounts: Pick<Finder, 'recent'> | null;
  /** Opened once; null: there is none yet. Throws StoreError. */
  readonly store: () => Promise<Store | null>;
  /** The store's warnings. */
  readonly warnings: readonly string[];
  /** The store's advice, where nothing is wrong. */
  readonly advised: readonly string[];
  readonly signal: AbortSignal;
}
