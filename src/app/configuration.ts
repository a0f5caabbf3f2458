/**
 * The configuration, with what features say of routes: `core/config` reads it and knows none of them. Each has its keys
 * beside its rule, in `approvals/electorate` and `approvals/decision`.
 */

import { GUARD_PIECES } from '../approvals/decision/guards.ts';
import { decidersOf } from '../approvals/electorate/deciders.ts';
import { CLAUSE_PIECES, ROUTE_CHECKS } from '../approvals/electorate/electorate.ts';
import type { Env } from '../core/config/environment.ts';
import type { RouteRules } from '../core/config/file.ts';
import {
  type ReadConfig,
  type ReadConfigOptions,
  readAdministratorsBy,
  readConfigBy,
} from '../core/config/read-config.ts';
import type { PeopleRead } from '../core/config/read-entries.ts';

export const ROUTE_RULES: RouteRules = {
  // as: whoever declares a member has its piece
  pieces: { ...CLAUSE_PIECES, ...GUARD_PIECES } as RouteRules['pieces'],
  checks: ROUTE_CHECKS,
  everybodyOn: decidersOf,
};

/** Reads the environment and gatepost.yaml: see `readConfigBy`. */
export function readConfig(env: Env, options: ReadConfigOptions): ReadConfig {
  return readConfigBy(ROUTE_RULES, env, options);
}

/** See `readAdministratorsBy`. */
export function readAdministrators(env: Env): PeopleRead {
  return readAdministratorsBy(ROUTE_RULES, env);
}
