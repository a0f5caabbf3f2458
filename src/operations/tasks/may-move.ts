import type { Config, Reviewers } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import {
  authorizeWithAccount,
  type DenialWithAccount,
  type Permission,
} from '../../core/people/permission.ts';

/** Why moving an item is denied. */
export type MoveRefusal =
  | DenialWithAccount
  | 'not-from'
  | 'not-between'
  | 'source-project'
  | 'source-unknown'
  | 'target-project';

/** The audit log's name for a refusal. */
export const REFUSED = 'tasks.move.refused';

/** From where to where an item moves, as far as known. */
export interface Way {
  /** null: its project is not known. Absent: the item is not known yet. */
  readonly from?: string | null;
  /** Absent: not chosen yet. */
  readonly to?: string;
}

interface Mover {
  readonly user: string;
  readonly channel: string;
  /** The account was already read for the same press. */
  readonly isAccountRead?: boolean;
}

/** Authorizes a person to move items this way. Denied unless that is certain. Throws StoreError. */
export async function mayMove(
  core: Core,
  { isAccountRead = false, ...person }: Mover,
  way: Way,
): Promise<Permission<MoveRefusal>> {
  const { move } = core.config;
  const bar = betweenProjects(move, way);
  if (bar !== null) return { kind: 'not-allowed', code: bar };
  const rule = { who: moversOf(move, way), identity: move.identity, isAccountRead };
  const permission = await authorizeWithAccount(core, rule, person);
  if (permission.kind !== 'not-allowed' || permission.code !== 'not-named') return permission;
  return { kind: 'not-allowed', code: unnamed(move, way) };
}

/** Whether items may move this way at all; null: they may. */
function betweenProjects({ projects }: Config['move'], { from, to }: Way) {
  if (projects.length === 0 || from === undefined) return null;
  if (from === null) return 'source-unknown';
  if (!projects.includes(from)) return 'source-project';
  return to === undefined || projects.includes(to) ? null : 'target-project';
}

/** Everybody who can move items this way; as long as the destination is not known, to any. */
function moversOf({ who, rules }: Config['move'], way: Way): Reviewers {
  const fitting = rules.filter(({ from, to }) => covers(from, way.from) && covers(to, way.to));
  const all = [who, ...fitting.map((rule) => rule.who)];
  return {
    users: all.flatMap(({ users }) => users),
    groups: [...new Set(all.flatMap(({ groups }) => groups))],
    channel: all.some(({ channel }) => channel),
  };
}

function covers(ids: readonly string[], id: string | null | undefined): boolean {
  return ids.length === 0 || id === undefined || (id !== null && ids.includes(id));
}

function unnamed({ rules }: Config['move'], { from, to }: Way): MoveRefusal {
  if (rules.length === 0 || from === undefined) return 'not-named';
  return to === undefined ? 'not-from' : 'not-between';
}
