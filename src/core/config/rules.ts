import { hash } from 'node:crypto';
import type { Config, Route } from './config.ts';

const RELOADED = [
  'routes',
  'identityOverrides',
  'identityUserId',
  'identityEmails',
  'identityLogins',
  'identityRobots',
  'catalogue',
] as const satisfies readonly (keyof Config)[];

/** The part of the configuration that can change while Gatepost runs: who can decide, who people are, and ids. */
export type RuleSettings = Pick<Config, (typeof RELOADED)[number]>;

export interface Rules {
  /** The shared configuration, with the current rules. */
  readonly config: Config;
  /** The current rules of the file alone. */
  readonly settings: RuleSettings;
  replace(settings: RuleSettings): void;
  /** Adds what automations report to the catalogue. */
  extendCatalogue(more: MoreCatalogue): void;
}

type MoreCatalogue = (own: Config['catalogue']) => Config['catalogue'];

export function rulesOf(config: Config): Rules {
  let current = ruleSettings(config);
  let more: MoreCatalogue = (own) => own;
  let { catalogue } = current;
  const shared = { ...config };
  for (const name of RELOADED) {
    const get = () => (name === 'catalogue' ? catalogue : current[name]);
    Object.defineProperty(shared, name, { enumerable: true, get });
  }
  return {
    config: shared,
    get settings() {
      return current;
    },
    replace(settings) {
      current = ruleSettings(settings);
      catalogue = more(current.catalogue);
    },
    extendCatalogue(next) {
      more = next;
      catalogue = more(current.catalogue);
    },
  };
}

export function ruleSettings(settings: RuleSettings): RuleSettings {
  // as: each of its members
  return Object.fromEntries(RELOADED.map((name) => [name, settings[name]])) as RuleSettings;
}

/** The rules that say who people are. */
export function identityRules(settings: RuleSettings): Omit<RuleSettings, 'routes' | 'catalogue'> {
  const { routes: _, catalogue: __, ...identity } = settings;
  return identity;
}

/** Equal rules have equal digests. They contain no secret. */
export function digestOf(rules: Route | Partial<RuleSettings>): string {
  return hash('sha256', JSON.stringify(rules), 'base64url').slice(0, 12);
}

/**
 * The entry of the audit log with the text of one digest. `route` null: who people are. `text` null: too long to be kept
 * there.
 */
export const RULES_TEXT = 'gatepost.rules.text';

/** Names of changed settings other than rules. */
export function othersChanged(before: Config, after: Config): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Config)[]);
  const reloaded: readonly string[] = RELOADED;
  return [...names].filter(
    (name) =>
      !reloaded.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}
