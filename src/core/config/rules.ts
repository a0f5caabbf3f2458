import { hash } from 'node:crypto';
import type { Config, Route } from './config.ts';

/** The routes' rules: the only part of the configuration that can change while Gatepost runs. */
export interface Rules {
  /** The shared configuration, with the current routes. */
  readonly config: Config;
  replace(routes: readonly Route[]): void;
}

export function rulesOf(config: Config): Rules {
  let { routes } = config;
  return {
    config: {
      ...config,
      get routes() {
        return routes;
      },
    },
    replace(others) {
      routes = others;
    },
  };
}

/** Equal rules have equal digests. They contain no secret. */
export function digestOf(rules: Route | readonly Route[]): string {
  return hash('sha256', JSON.stringify(rules), 'base64url').slice(0, 12);
}

/** Names of changed settings other than rules. */
export function othersChanged(before: Config, after: Config): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Config)[]);
  return [...names].filter(
    (name) => name !== 'routes' && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}
