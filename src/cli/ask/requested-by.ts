import type { ApprovalRequest } from '../../approvals/ways-in/approval-request.ts';
import { lookUp } from '../../core/config/environment.ts';
import { loginFault } from '../../core/config/values.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { loginText } from '../../core/lib/logins.ts';
import { emailProblem, NO_EMAIL, readEmail } from '../../core/lib/read-email.ts';

export type RequestedBy = NonNullable<ApprovalRequest['requestedBy']>;

type Env = Readonly<Record<string, string | undefined>>;

/** Who asks, as far as somebody has said so. `said`: the line about it, for the log. */
export interface Asker {
  readonly requestedBy?: RequestedBy;
  readonly said?: string;
  /** What is wrong with what was given. Does not contain it. */
  readonly problem?: string;
}

/** Names the requester in every system, before what a CI system says. */
export const REQUESTED_BY = 'GATEPOST_REQUESTED_BY';

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
  if (who === 'none') return { said: `Asked in nobody's name: ${name} is none` };
  if (USER_ID.test(who)) return askerOf({ slackUser: who });
  const { at, login = '' } = LOGIN_AT.exec(who)?.groups ?? {};
  if (at !== undefined) {
    return loginFault(login) === undefined
      ? askerOf({ login, at: at.toLowerCase() })
      : { problem: `${name} ${BAD_LOGIN}.` };
  }
  // An address with a full-width sign is refused, not taken for a name.
  if (!who.normalize('NFKC').includes('@')) return askerOf({ name: who });
  const fault = emailProblem(readEmail(who).address);
  if (fault === null) return askerOf({ email: who });
  return { problem: `${name} ${fault === NO_EMAIL ? FORMS : fault}.` };
}

/** A short one without a digit is a name in capitals. */
const USER_ID = /^[UW](?:[A-Z0-9]{8,31}|(?=[A-Z]*\d)[A-Z0-9]{4,7})$/;

/** A system and a login, such as `github:octocat`; not a name such as `Release: Ana`, and no prefix of an address. */
const LOGIN_AT = /^(?!mailto:|smtp:)(?<at>[a-z0-9][a-z0-9.-]{0,31}):(?!\s)(?<login>.*)$/is;

const BAD_LOGIN =
  'must have a login of up to 100 characters, without blanks, after the colon, such as github:octocat';
const FORMS =
  'must be an e-mail address, a Slack user id, a login such as github:octocat, a name, or none';

function textOf({ login, at, slackUser, email, name }: RequestedBy): string {
  if (login !== undefined && at !== undefined) return loginText({ login, at });
  return slackUser ?? email ?? name ?? '';
}
