import { hash } from 'node:crypto';
import type { Config, Route } from './config.ts';

/** The part of the configuration that can change while Gatepost runs: who can decide, who people are, and ids. */
export type RuleSettings = Pick<
  Config,
  | 'routes'
  | 'identityOverrides'
  | 'identityUserId'
  | 'identityEmails'
  | 'identityLogins'
  | 'identityRobots'
  | 'catalogue'
>;

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
  return {
    config: {
      ...config,
      get routes() {
        return current.routes;
      },
      get identityOverrides() {
        return current.identityOverrides;
      },
      get identityUserId() {
        return current.identityUserId;
      },
      get identityEmails() {
        return current.identityEmails;
      },
      get identityLogins() {
        return current.identityLogins;
      },
      get identityRobots() {
        return current.identityRobots;
      },
      get catalogue() {
        return catalogue;
      },
    },
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

export function ruleSettings(settings: Config | RuleSettings): RuleSettings {
  const { routes, catalogue, identityLogins, identityRobots } = settings;
  const { identityOverrides, identityUserId, identityEmails } = settings;
  const identity = { identityOverrides, identityUserId, identityEmails };
  return { routes, ...identity, identityLogins, identityRobots, catalogue };
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
  const reloaded = Object.keys(ruleSettings(after));
  return [...names].filter(
    (name) =>
      !reloaded.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}
