import type { Proof } from '../../core/identity-tokens/proof.ts';
import { foldEmail } from '../../core/lib/fold-email.ts';
import { loginKey } from '../../core/lib/logins.ts';
import type { Approval, Requester } from '../approval.ts';
import { requestersOf } from './requester.ts';

/** Who asked, as an identity token proves it, apart from what the request itself says. */

/** In the audit log. */
export const VERIFIED_FACT = 'requester.verified';

/** Somebody is proved to have asked, and nobody unknown ran it again. */
export function areVerified(all: readonly Requester[]): boolean {
  const proved = all.map((each) => each.proved);
  return proved.includes('started') && !proved.includes('rerun');
}

export function isVerified(approval: Pick<Approval, 'requester' | 'alsoAskedBy'>): boolean {
  return areVerified(requestersOf(approval));
}

/** Whom a token names; undefined: nobody. */
export function provenRequester(proof: Proof | undefined): Requester | undefined {
  if (proof?.person === undefined) return undefined;
  const { isRerun, ...person } = proof.person;
  return { ...person, proved: isRerun ? 'rerun' : 'started' };
}

/** All who ask: whom the token names first. Nobody is named twice. */
export function askersIn(
  proven: Requester | undefined,
  claimed: Requester | undefined,
): readonly Requester[] {
  const isRepeated = proven !== undefined && claimed !== undefined && says(proven, claimed);
  return [proven, isRepeated ? undefined : claimed].filter((each) => each !== undefined);
}

/** Whether the request names the same login or address as the token, and nothing else. */
function says(proven: Requester, { login, email, user }: Requester): boolean {
  const isLogin =
    login === undefined ||
    (proven.login !== undefined && loginKey(login) === loginKey(proven.login));
  const isEmail =
    email === undefined ||
    (proven.email !== undefined && foldEmail(email) === foldEmail(proven.email));
  return user === undefined && (login ?? email) !== undefined && isLogin && isEmail;
}
