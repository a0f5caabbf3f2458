import { cleanLine } from '../lib/clean-line.ts';
import { present } from '../lib/present.ts';
import { emailProblem, readEmail } from '../lib/read-email.ts';
import { type Claims, claimText } from './claims.ts';
import { issuerName, loginsOf, PRESETS, type PresetName, type ProvenRun } from './presets.ts';

/** What an identity token says about a request, beyond the claims that its source demands. Cleaned, to be shown. */
export interface Proof {
  /** Who says so, for people: `GitHub`, `GitHub at ghe.example.com`, or the issuer's host. */
  readonly by: string;
  readonly subject: string;
  /** Its repository, project or namespace: keys and reading are bound to it. By id where there is one. */
  readonly scope: string;
  /** The name of that. */
  readonly repository?: string;
  readonly run?: ProvenRun;
  /** Who started the run, if the issuer says so. */
  readonly person?: ProvenPerson;
  /** The token's id, for the audit log: some systems give one token for a whole job, so it is not spent. */
  readonly tokenId?: string;
}

/** A login, an address, or both. */
export interface ProvenPerson {
  readonly login?: { readonly login: string; readonly at: string; readonly id?: string };
  readonly email?: string;
  /** They started it first. The token does not say who ran it again. */
  readonly isRerun?: true;
}

/** undefined: the token does not say whose it is. */
export function proofOf(
  claims: Claims,
  { preset, issuer }: { readonly preset: PresetName | null; readonly issuer: string },
): Proof | undefined {
  const subject = lineOf(claimText(claims, 'sub'));
  const row = preset === null ? undefined : PRESETS[preset];
  const raw = (name: string) => claimText(claims, name);
  const line = (name: string) => lineOf(raw(name));
  const scope = row === undefined ? raw('sub') : row.scope(raw);
  if (subject === undefined || !scope) return undefined;
  const repository = row?.repository(line);
  const run = row?.run(line, issuer);
  const person =
    preset === null ? undefined : personOf(row?.person?.(raw), loginsOf(preset, issuer));
  const tokenId = lineOf(claimText(claims, 'jti'));
  return {
    by: shownName(preset, issuer),
    subject,
    scope,
    ...present({ repository, run, person, tokenId }),
  };
}

/** `GitHub`; `GitHub at ghe.example.com` for one that is self-hosted. */
function shownName(preset: PresetName | null, issuer: string): string {
  if (preset === null) return issuerName(issuer);
  const { shown, issuer: own } = PRESETS[preset];
  return own === null || own === issuer ? shown : `${shown} at ${issuerName(issuer)}`;
}

const LINE_MAX = 300;

function lineOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanLine(text).slice(0, LINE_MAX) || undefined;
}

/** What cannot be a login or an address is left out: it would be somebody else, or nobody. */
function personOf(
  said: ReturnType<NonNullable<(typeof PRESETS)[PresetName]['person']>>,
  at: string,
): ProvenPerson | undefined {
  if (said === undefined) return undefined;
  const { login = '', id, email = '', isRerun } = said;
  const isLogin = /^\S{1,100}$/.test(login) && cleanLine(login) === login;
  const { address } = readEmail(email);
  const isEmail = address !== '' && emailProblem(address) === null;
  if (!isLogin && !isEmail) return undefined;
  return {
    ...(isLogin && { login: { login, at, ...present({ id }) } }),
    ...(isEmail && { email: address }),
    ...(isRerun && { isRerun }),
  };
}
