import { lookUp } from '../src/core/config/environment.ts';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { loginText } from '../src/core/lib/logins.ts';
import type { RequestedBy } from './contract/approval-body.ts';
import { readRequestedBy } from './contract/requested-by.ts';
import { REQUESTED_BY } from './starters.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Who asks, as far as somebody has said so. `said`: the line about it, for the log. */
export interface Asker {
  readonly requestedBy?: RequestedBy;
  readonly said?: string;
  /** What is wrong with what was given. Does not contain it. */
  readonly problem?: string;
}

/** What was given: the option, otherwise the variable. Empty counts as not given. */
export function givenAsker(env: Env, option = ''): Asker | undefined {
  const who = option.trim();
  if (who !== '') return readAsker('--requested-by', who);
  const value = lookUp(env, REQUESTED_BY);
  return value === undefined ? undefined : readAsker(REQUESTED_BY, value);
}

/** For what nobody gave, such as the starter of a run. */
export function askerOf(requestedBy: RequestedBy | undefined): Asker {
  if (requestedBy === undefined) return {};
  return { requestedBy, said: `Asked in the name of ${cleanLine(textOf(requestedBy))}` };
}

function readAsker(name: string, who: string): Asker {
  const read = readRequestedBy(name, who);
  if ('problem' in read) return read;
  const { requestedBy } = read;
  if (requestedBy === undefined) return { said: `Asked in nobody's name: ${name} is none` };
  return askerOf(requestedBy);
}

function textOf({ login, at, slackUser, email, name }: RequestedBy): string {
  if (login !== undefined && at !== undefined) return loginText({ login, at });
  return slackUser ?? email ?? name ?? '';
}
