import { hash } from 'node:crypto';
import type { Config, Route } from './config.ts';

/** The part of the configuration that can change while Gatepost runs: who can decide. */
export type RuleSettings = Pick<Config, 'routes' | 'identityLogins' | 'identityRobots'>;

export interface Rules {
  /** The shared configuration, with the current rules. */
  readonly config: Config;
  replace(settings: RuleSettings): void;
}

export function rulesOf(config: Config): Rules {
  let current = ruleSettings(config);
  return {
    config: {
      ...config,
      get routes() {
        return current.routes;
      },
      get identityLogins() {
        return current.identityLogins;
      },
      get identityRobots() {
        return current.identityRobots;
      },
    },
    replace(settings) {
      current = ruleSettings(settings);
    },
  };
}

export function ruleSettings({ routes, identityLogins, identityRobots }: Config | RuleSettings) {
  return { routes, identityLogins, identityRobots } satisfies RuleSettings;
}

/** Equal rules have equal digests. They contain no secret. */
export function digestOf(rules: Route | RuleSettings): string {
  return hash('sha256', JSON.stringify(rules), 'base64url').slice(0, 12);
}

/** Names of changed settings other than rules. */
export function othersChanged(before: Config, after: Config): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Config)[]);
  const reloaded = Object.keys(ruleSettings(after));
  return [...names].filter(
    (name) =>
      !reloaded.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}
