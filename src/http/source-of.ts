import type { Credentials, Head, Matcher } from './credentials.ts';
import { secretMatcher } from './secret-matcher.ts';
import { signatureMatcher } from './standard-webhooks.ts';

/** Whoever may send, and the one way in which it proves to be who it is. */
export interface AuthenticSource {
  readonly auth:
    | { readonly kind: 'bearer' }
    | { readonly kind: 'header'; readonly name: string }
    | { readonly kind: 'standard-webhooks' };
  /** One, or two while rotating. */
  readonly secrets: readonly string[];
}

export interface SourceFinder<Source> {
  (credentials: Credentials): Source | undefined;
  /** False: it is nobody's, whatever its body is. */
  readonly couldBe: (head: Head) => boolean;
}

/**
 * Finds the source that a request comes from. A source is known in its own way alone: one that signs
 * is not let in by its secret as a bearer. undefined: nobody's, or credentials of several sources.
 * All sources are looked at each time, so that the time tells nothing.
 */
export function sourceFinder<Source extends AuthenticSource>(
  sources: readonly Source[],
): SourceFinder<Source> {
  const known = sources.map((source) => ({ source, matcher: matcherOf(source) }));
  const find = (credentials: Credentials) => {
    const found = known.filter(({ matcher }) => matcher.matches(credentials));
    return found.length === 1 ? found[0]?.source : undefined;
  };
  const couldBe = (head: Head) =>
    known.filter(({ matcher }) => matcher.couldMatch(head)).length > 0;
  return Object.assign(find, { couldBe });
}

function matcherOf({ auth, secrets }: AuthenticSource): Matcher {
  if (auth.kind === 'standard-webhooks') return signatureMatcher(secrets);
  const isSecret = secretMatcher(secrets);
  if (auth.kind === 'bearer') {
    return byHead(({ headers }) => isSecret(bearerOf(headers.authorization)));
  }
  // Node writes the names of headers in small letters.
  const name = auth.name.toLowerCase();
  return byHead(({ headers }) => isSecret(headers[name]));
}

function byHead(matches: (head: Head) => boolean): Matcher {
  return { couldMatch: matches, matches };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
