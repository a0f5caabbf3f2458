import type * as z from 'zod';
import type { ClaimRules } from '../identity-tokens/claims.ts';
import { PRESETS, type PresetName, sharedBy } from '../identity-tokens/presets.ts';
import { fileTrouble } from '../lib/file-trouble.ts';
import type { ReadFile } from './environment.ts';

/** Which identity tokens a source takes (`auth: oidc`). */

interface OidcSection {
  readonly preset?: PresetName | undefined;
  readonly issuer?: string | undefined;
  readonly audience: string;
  readonly claims: ClaimRules;
  readonly jwksFile: string | null;
  readonly ca: string | null;
}

/** Which identity tokens a source takes (OpenID Connect). */
export interface TokenRules {
  readonly preset: PresetName | null;
  /** As in `iss`. */
  readonly issuer: string;
  readonly audience: string;
  readonly claims: ClaimRules;
  /** A file with the issuer's keys, instead of discovery. */
  readonly jwksFile: string | null;
  /** Certificates of its authority, in PEM. */
  readonly ca: string | null;
}

/** Whose tokens a source takes. */
export function tokenRules(
  oidc: OidcSection,
  issues: z.RefinementCtx,
  { readFile }: { readonly readFile: ReadFile },
): TokenRules {
  const note = (message: string, ...path: string[]) =>
    issues.addIssue({ code: 'custom', message, path });
  const { audience, claims, jwksFile, preset } = oidc;
  const usual = preset === undefined ? null : PRESETS[preset].issuer;
  const issuer = oidc.issuer ?? usual;
  if (issuer === null) {
    const missing = preset === undefined ? 'must have a preset or an issuer' : NO_ISSUER[preset];
    note(missing ?? 'must have an issuer');
    return { preset: null, issuer: '', audience, claims, jwksFile, ca: null };
  }
  const shared = preset === undefined ? sharedBy(issuer) : undefined;
  if (shared !== undefined) note(`is the issuer of the preset ${shared}: name that, too`, 'issuer');
  const why = claimsFault(issuer, oidc);
  if (why !== undefined) note(why, 'claims');
  const textOf = (name: 'jwksFile' | 'ca') => {
    const named = oidc[name];
    if (named === null) return null;
    try {
      return readFile(named);
    } catch (error) {
      note(`names a file that ${fileTrouble(error)}`, name);
      return null;
    }
  };
  // Its keys change: the file is read again later.
  textOf('jwksFile');
  return { preset: preset ?? null, issuer, audience, claims, jwksFile, ca: textOf('ca') };
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
