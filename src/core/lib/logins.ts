import { cleanLine } from './clean-line.ts';
import { foldEmail } from './fold-email.ts';

/** The name that somebody has in another system, such as `octocat` at `github`. */
export interface Login {
  readonly login: string;
  readonly at: string;
  /** The number of their account there, if it is known: unlike a login, nobody else gets it. */
  readonly id?: string;
}

/** Whose a login or an address is, by `identity.logins`: Slack user ids by `loginKey`. */
export type Logins = Readonly<Record<string, string>>;

/** Where `identity.logins` has addresses. */
export const EMAIL = 'email';

/** Why a text is no login in another system; undefined: it is one. */
export function loginFault(login: string): string | undefined {
  const isLogin = /^\S{1,100}$/.test(login) && cleanLine(login) === login;
  return isLogin ? undefined : 'must be a login of up to 100 characters, without blanks';
}

/** As in `identity.robots`, such as `github:renovate[bot]`; compared without case. */
export function loginKey({ login, at }: Login): string {
  return `${at}:${foldEmail(login)}`.toLowerCase();
}

/** The Slack user id, by the id of the account or by its name, as `id/583231`; undefined: nobody is linked. */
export function linkedTo(logins: Logins, { id, ...login }: Login): string | undefined {
  const byId = id === undefined ? [] : [loginKey({ ...login, login: `id/${id}` })];
  const key = [...byId, loginKey(login)].find((each) => Object.hasOwn(logins, each));
  return key === undefined ? undefined : logins[key];
}

/** All logins and addresses that are linked with this person. */
export function loginsOf(logins: Logins, user: string): readonly Login[] {
  return Object.entries(logins).flatMap(([key, owner]) => {
    const end = key.indexOf(':');
    return owner === user ? [{ at: key.slice(0, end), login: key.slice(end + 1) }] : [];
  });
}

/** For people: `octocat (GitHub)`; an address alone. */
export function loginText({ login, at }: Login): string {
  if (at === EMAIL) return login;
  const name = login === SCHEDULE ? 'a schedule' : login;
  return `${name} (${SYSTEMS.get(at) ?? at})`;
}

/** In place of a login, of a run that nobody started. No system allows brackets in a login but for its robots. */
export const SCHEDULE = '[schedule]';

const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['bitbucket', 'Bitbucket'],
  ['buildkite', 'Buildkite'],
  ['circleci', 'CircleCI'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['jenkins', 'Jenkins'],
]);
