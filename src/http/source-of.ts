import type { Credentials } from './credentials.ts';
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

/** Whether a request comes from the source the matcher was made for. */
type Matcher = (credentials: Credentials) => boolean;

/**
 * Finds the source that a request comes from. A source is known in its own way alone: one that signs
 * is not let in by its secret as a bearer. undefined: nobody's, or credentials of several sources.
 * All sources are looked at each time, so that the time tells nothing.
 */
export function sourceFinder<Source extends AuthenticSource>(
  sources: readonly Source[],
): (credentials: Credentials) => Source | undefined {
  const known = sources.map((source) => ({ source, matches: matcherOf(source) }));
  return (credentials) => {
    const found = known.filter(({ matches }) => matches(credentials));
    return found.length === 1 ? found[0]?.source : undefined;
  };
}

function matcherOf({ auth, secrets }: AuthenticSource): Matcher {
  if (auth.kind === 'standard-webhooks') return signatureMatcher(secrets);
  const isSecret = secretMatcher(secrets);
  if (auth.kind === 'bearer') return ({ headers }) => isSecret(bearerOf(headers.authorization));
  // Node writes the names of headers in small letters.
  const name = auth.name.toLowerCase();
  return ({ headers }) => isSecret(headers[name]);
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
