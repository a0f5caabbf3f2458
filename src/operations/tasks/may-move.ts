import type { Config, Reviewers } from '../../core/config/config.ts';
import {
  type AccountAuthorizationDependencies,
  authorizeWithAccount,
  type DenialWithAccount,
  type Permission,
} from '../../core/people/permission.ts';

/** Why a person may not move an item. */
export type MoveRefusal =
  | DenialWithAccount
  | 'not-from'
  | 'not-between'
  | 'source-project'
  | 'source-unknown'
  | 'target-project';

/** What the audit log calls it. */
export const REFUSED = 'tasks.move.refused';

export interface MayMoveNeeds {
  /** Without people: they are those of `places.move`. */
  readonly policy: Omit<AccountAuthorizationDependencies, 'who'>;
  readonly places: { readonly move: Config['move'] };
}

/** A way that an item may go, as far as it is known. */
export interface Way {
  /** null: the project that it is in is not known. Absent: the item is not known yet. */
  readonly from?: string | null;
  /** Absent: not chosen yet. */
  readonly to?: string;
}

/** Finds out whether a person may move items that way. Denied unless it is known. Throws StoreError. */
export async function mayMove(
  { policy, places: { move } }: MayMoveNeeds,
  person: { readonly user: string; readonly channel: string },
  way: Way,
): Promise<Permission<MoveRefusal>> {
  const bar = betweenProjects(move, way);
  if (bar !== null) return { kind: 'not-allowed', code: bar };
  const permission = await authorizeWithAccount({ ...policy, who: moversOf(move, way) }, person);
  if (permission.kind !== 'not-allowed' || permission.code !== 'not-named') return permission;
  return { kind: 'not-allowed', code: unnamed(move, way) };
}

/** Who is asked of again at the same press: their account was read for it already. */
export function accountRead<Needs extends MayMoveNeeds>(needs: Needs): Needs {
  return { ...needs, policy: { ...needs.policy, account: null } };
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
