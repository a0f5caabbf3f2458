import type { Config } from './config.ts';
import { type ConfigProblem, Environment } from './environment.ts';
import { readService } from './read-config.ts';
import { readStore } from './read-store.ts';

export type ReadPeopleConfig =
  | {
      readonly ok: true;
      readonly config: Pick<Config, 'store'> & {
        readonly service: { readonly baseUrl: string; readonly scimToken: string };
      };
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** What the command `people` needs: the service, and the store where one is. All problems come together. */
export function readPeopleConfig(
  env: Readonly<Record<string, string | undefined>>,
): ReadPeopleConfig {
  const from = new Environment(env, 'people');
  const { baseUrl, scimToken } = readService(from);
  const store = readStore(from);
  if (from.problems.length > 0) return { ok: false, problems: from.problems };
  return { ok: true, config: { service: { baseUrl, scimToken: scimToken ?? '' }, store } };
}
