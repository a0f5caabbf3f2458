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

/** What the audit log calls it. */
export const REFUSED = 'tasks.move.refused';

/** A way that an item may go, as far as it is known. */
export interface Way {
  /** null: the project that it is in is not known. Absent: the item is not known yet. */
  readonly from?: string | null;
  /** Absent: not chosen yet. */
  readonly to?: string;
}

interface Mover {
  readonly user: string;
  readonly channel: string;
  /** Their account was read for the same press already. */
  readonly isAccountRead?: boolean;
}

/** Finds out whether a person may move items that way. Denied unless it is known. Throws StoreError. */
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

/** Whether items may go that way at all, whoever moves them; null: they may. */
function betweenProjects({ projects }: Config['move'], { from, to }: Way) {
  if (projects.length === 0 || from === undefined) return null;
  if (from === null) return 'source-unknown';
  if (!projects.includes(from)) return 'source-project';
  return to === undefined || projects.includes(to) ? null : 'target-project';
}

/** Everybody who may move items that way, wherever it leads as long as that is not known. */
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
