import { type ClaimRules, canBothMatch } from '../identity-tokens/claims.ts';
import { PRESETS, provesPerson, sharedBy } from '../identity-tokens/presets.ts';
import { fileTrouble } from '../lib/file-trouble.ts';
import type { Route, Source, TokenRules } from './config.ts';
import type { ConfigFile, Path } from './config-file.ts';
import type { FileSettings, OidcSection } from './file.ts';

/** Sources that authenticate with identity tokens (`auth: oidc`), and what depends on what these prove. */

type SourceSection = FileSettings['sources'][number];

/** Whose tokens a source takes; undefined, with problems added: nobody's. */
export function tokenRules(
  file: ConfigFile,
  path: Path,
  { oidc, secret }: Pick<SourceSection, 'oidc' | 'secret'>,
  readFile: (path: string) => string,
): TokenRules | undefined {
  const at = (...steps: string[]) => [...path, ...steps];
  if (secret !== undefined) file.note(at('secret'), 'is not used with auth: oidc: remove it');
  if (oidc === undefined) {
    file.note(at('oidc'), 'is required with auth: oidc');
    return undefined;
  }
  const { audience, claims, jwksFile } = oidc;
  const issuer = issuerIn(file, at('oidc'), oidc);
  if (issuer === undefined) return undefined;
  const why = claimsFault(issuer, oidc);
  if (why !== undefined) file.note(at('oidc', 'claims'), why);
  const textOf = (name: 'jwksFile' | 'ca') => {
    const named = oidc[name];
    if (named === null) return null;
    try {
      return readFile(named);
    } catch (error) {
      file.note(at('oidc', name), `names a file that ${fileTrouble(error)}`);
      return null;
    }
  };
  // Its keys change: the file is read again later.
  textOf('jwksFile');
  return { preset: oidc.preset ?? null, issuer, audience, claims, jwksFile, ca: textOf('ca') };
}

function issuerIn(
  file: ConfigFile,
  path: Path,
  { preset, issuer }: OidcSection,
): string | undefined {
  const usual = preset === undefined ? null : PRESETS[preset].issuer;
  const own = issuer ?? usual;
  if (own === null) {
    const missing = preset === undefined ? 'must have a preset or an issuer' : NO_ISSUER[preset];
    file.note(path, missing ?? 'must have an issuer');
    return undefined;
  }
  const shared = preset === undefined ? sharedBy(own) : undefined;
  if (shared !== undefined) {
    file.note([...path, 'issuer'], `is the issuer of the preset ${shared}: name that, too`);
  }
  return own;
}

const NO_ISSUER: Readonly<Partial<Record<NonNullable<OidcSection['preset']>, string>>> = {
  circleci: 'must have the issuer of your organisation: https://oidc.circleci.com/org/<its id>',
  kubernetes:
    "must have your cluster's issuer, as kubectl get --raw /.well-known/openid-configuration shows it",
};

/** Anybody who uses the same issuer can choose the audience, and the names of branches and environments. */
function claimsFault(issuer: string, { claims, preset }: OidcSection): string | undefined {
  if (Object.keys(claims).length === 0) return 'must name at least one claim';
  const shared = preset === undefined ? undefined : sharedBy(issuer);
  if (shared === undefined) return undefined;
  const { owners } = PRESETS[shared];
  return isBound(claims, owners)
    ? undefined
    : `must say whose the tokens are, because many organisations share this issuer: add ${Object.keys(owners).join(', ')}, with the owner before any *`;
}

function isBound(claims: ClaimRules, owners: Readonly<Record<string, RegExp>>): boolean {
  return Object.entries(owners).some(([name, form]) => {
    const patterns = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return patterns?.every((pattern) => form.test(pattern)) ?? false;
  });
}

/** Adds a problem for each route that demands a proved person, and is open to a source that proves none. */
export function checkVerified(
  file: ConfigFile,
  routes: readonly Pick<Route, 'name' | 'requester'>[],
  sources: readonly Pick<Source, 'id' | 'auth' | 'routes'>[],
): void {
  for (const { name, requester } of routes) {
    if (requester !== 'verified') continue;
    const silent = sources.filter(
      ({ auth, routes: own }) =>
        own.includes(name) && !(auth.kind === 'oidc' && provesPerson(auth.preset)),
    );
    for (const { id } of silent) {
      file.note(
        ['routes', name, 'requester'],
        `is verified, but the source ${id} does not prove who asks: use auth: oidc with a preset that does, or take the route from it`,
      );
    }
  }
}

/** A warning for each two sources that one token can match: its requests have to name one. */
export function overlaps(sources: readonly Pick<Source, 'id' | 'auth'>[]): readonly string[] {
  const all = sources.flatMap(({ id, auth }) => (auth.kind === 'oidc' ? [{ id, auth }] : []));
  return all.flatMap((one, index) =>
    all.slice(index + 1).flatMap((other) => {
      const isSame =
        one.auth.issuer === other.auth.issuer && one.auth.audience === other.auth.audience;
      return isSame && canBothMatch(one.auth.claims, other.auth.claims)
        ? [
            `sources ${one.id} and ${other.id} can match the same identity token: such requests have to name one in Gatepost-Source (--source)`,
          ]
        : [];
    }),
  );
}
