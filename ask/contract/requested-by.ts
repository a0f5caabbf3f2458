import { loginFault } from '../../src/core/lib/logins.ts';
import { emailProblem, NO_EMAIL, readEmail } from '../../src/core/lib/read-email.ts';
import type { RequestedBy } from './approval-body.ts';

/**
 * Who asks, as one text: an e-mail address, a Slack user id, a login such as `github:octocat`, a name, or `none`.
 * @param name of the option, variable or header that has it. `problem` names that, and does not contain the text.
 */
export function readRequestedBy(
  name: string,
  who: string,
): { readonly requestedBy: RequestedBy | undefined } | { readonly problem: string } {
  if (who === 'none') return { requestedBy: undefined };
  if (USER_ID.test(who)) return { requestedBy: { slackUser: who } };
  const { at, login = '' } = LOGIN_AT.exec(who)?.groups ?? {};
  if (at !== undefined) {
    return loginFault(login) === undefined
      ? { requestedBy: { login, at: at.toLowerCase() } }
      : { problem: `${name} ${BAD_LOGIN}.` };
  }
  // An address with a full-width sign is refused, not taken for a name.
  if (!who.normalize('NFKC').includes('@')) return { requestedBy: { name: who } };
  const fault = emailProblem(readEmail(who).address);
  if (fault === null) return { requestedBy: { email: who } };
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

/** Names the requester to `/mcp`; percent-encoded beyond ASCII. */
export const REQUESTED_BY_HEADER = 'Gatepost-Requested-By';

/** undefined: the text would be read as another requester. */
export function requestedByHeader(by: RequestedBy): string | undefined {
  const { login, at, slackUser, email, name = '' } = by;
  const text = login !== undefined ? `${at}:${login}` : (slackUser ?? email ?? name);
  const read = readRequestedBy(REQUESTED_BY_HEADER, text);
  const isSame = 'requestedBy' in read && JSON.stringify(read.requestedBy) === JSON.stringify(by);
  return isSame ? text.replace(/[^ -~]|%/gu, encodeURIComponent) : undefined;
}

/** The text of the header; undefined: it is not percent-encoded. */
export function readRequestedByHeader(value: string): string | undefined {
  try {
    return decodeURIComponent(value).trim();
  } catch {
    return undefined;
  }
}
