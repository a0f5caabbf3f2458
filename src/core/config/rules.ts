import { hash } from 'node:crypto';
import type { Config, Route } from './config.ts';

/** The rules of routes, the one part of the configuration that can change while Gatepost runs. */
export interface Rules {
  /** What everybody reads: its routes are those that hold at the moment. */
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

/** The same rules have the same one. They hold no secret. */
export function digestOf(rules: Route | readonly Route[]): string {
  return hash('sha256', JSON.stringify(rules), 'base64url').slice(0, 12);
}

/** Names of settings that differ besides rules. */
export function othersChanged(before: Config, after: Config): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Config)[]);
  return [...names].filter(
    (name) => name !== 'routes' && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}
