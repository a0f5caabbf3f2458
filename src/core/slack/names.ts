import { RemoteFailure } from '../lib/failure.ts';
import type { Lookup } from './lookup.ts';

/**
 * Display names by Slack user id, as far as known here, for programs. Returns at once: unknown names are looked up in
 * the background, for the next call.
 */
export type Names = (users: readonly string[]) => Readonly<Record<string, string>>;

export function createNames(lookup: Pick<Lookup, 'known' | 'lastSeen'>): Names {
  function ask(user: string): void {
    lookup.known.person(user).catch((error: unknown) => {
      // The id is shown instead of the name.
      if (!(error instanceof RemoteFailure)) throw error;
    });
  }

  return (users) => {
    const named = [...new Set(users)].map((user) => [user, lookup.lastSeen(user)?.displayName]);
    for (const [user = '', name] of named) if (name === undefined) ask(user);
    return Object.fromEntries(named.filter(([, name]) => name !== undefined));
  };
}
