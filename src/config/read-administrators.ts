import type { Config } from './config.ts';
import { Environment } from './environment.ts';
import { readText } from './read-config.ts';
import { readEntries } from './read-entries.ts';

/**
 * Who looks after Gatepost, and whose accounts are set, as far as gatepost.yaml can be read here; what is
 * wrong with it is for `start` to say.
 */
export function readAdministrators(
  env: Readonly<Record<string, string | undefined>>,
): Pick<Config, 'administrators' | 'identityOverrides'> {
  const from = new Environment(env, 'people');
  const { administrators, identityOverrides } = readEntries(from, readText).settings;
  return { administrators, identityOverrides };
}
