import { createHash } from 'node:crypto';
import type { Pinned } from './pin.ts';

/** What was found for a person is not what is kept of them: an administrator has to look. */
export interface Conflict {
  /**
   * changed: their address leads to another account than the pinned one. lost: to none. taken: to one
   * that is pinned to somebody else.
   */
  readonly kind: 'changed' | 'lost' | 'taken';
  /** Slack user id. */
  readonly user: string;
  /** Service user ids. */
  readonly pinned: string | null;
  readonly found: string | null;
  /** Slack user id of somebody else whom the found account is pinned to. */
  readonly holder: string | null;
}

/** What is in the way of taking a found account (null: none was found) for the person's own. */
export function conflictOf(
  ids: readonly [string, ...string[]],
  { account: pinned, holder: held }: Pinned,
  found: string | null,
): Conflict | null {
  const holder = held === null || ids.includes(held) ? null : held;
  const facts = { user: ids[0], pinned, found, holder };
  if (pinned !== null && found === null) return { kind: 'lost', ...facts };
  if (pinned !== null && pinned !== found) return { kind: 'changed', ...facts };
  return holder === null ? null : { kind: 'taken', ...facts };
}

/** Short, and different when anything about the conflict is. */
export function digestOf({ user, pinned, found, holder }: Conflict): string {
  const text = JSON.stringify([user, pinned, found, holder]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function isConflict(identity: { readonly kind: string }): identity is Conflict {
  return CONFLICTS.has(identity.kind);
}

const CONFLICTS: ReadonlySet<string> = new Set<Conflict['kind']>(['changed', 'lost', 'taken']);
