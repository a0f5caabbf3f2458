import { canBothMatch } from '../identity-tokens/claims.ts';
import { present } from '../lib/present.ts';
import { webhookKey } from '../lib/webhook-key.ts';
import type { Source, SourceAuth } from './config.ts';
import type { FileSettings } from './file.ts';
import type { CheckContext } from './file-checks.ts';
import { formOf } from './source-secrets.ts';

/** Sources of gatepost.yaml as Gatepost knows them, and what is said about them. */

type Section = FileSettings['sources'][number];

/** The source of a section; nothing if its secret is not set, and need not be. */
export function sourceOf(
  { auth, header, secret, oidc, kinds, callback, name, ...rest }: Section,
  { hasService, secretsOf }: Pick<CheckContext, 'hasService' | 'secretsOf'>,
): readonly Source[] {
  const { secrets } = auth === 'oidc' ? { secrets: [] } : secretsOf(secret, formOf(auth));
  if (auth !== 'oidc' && secrets.length === 0) return [];
  const usual = auth !== 'path' && hasService ? 'approval' : 'gate';
  return [
    {
      ...rest,
      ...present({ name }),
      auth: authOf(auth, header, oidc),
      secrets,
      kinds: kinds.length > 0 ? kinds : [usual],
      ...(callback !== undefined && {
        callback: { url: callback.url, secrets: callback.secrets },
      }),
    },
  ];
}

function authOf(
  kind: Section['auth'],
  header = 'X-Webhook-Secret',
  oidc: Section['oidc'],
): SourceAuth {
  if (kind === 'header') return { kind, name: header };
  if (kind !== 'oidc') return { kind };
  if (oidc === undefined) throw new Error('a source with auth: oidc was read without oidc');
  return { kind, ...oidc };
}

const SHORT_SECRET = 16;
/** The minimum of Standard Webhooks 1.0. */
const SHORT_KEY_BYTES = 24;

/** The warning for guessable secrets of a source; undefined: none. */
export function shortness({ auth, secrets }: Source): string | undefined {
  if (auth.kind === 'standard-webhooks') return keyShortness(secrets);
  if (secrets.some((each) => each.startsWith('whsec_')))
    return 'begins with whsec_: gatepost ask would sign with it, but this source does not accept signatures';
  const isShort = secrets.some(({ length }) => length < SHORT_SECRET);
  return isShort ? `is shorter than ${SHORT_SECRET} characters: too easy to guess` : undefined;
}

/** The same for signing secrets. */
export function keyShortness(secrets: readonly string[] = []): string | undefined {
  const isShort = secrets.some((each) => (webhookKey(each)?.length ?? 0) < SHORT_KEY_BYTES);
  return isShort ? `has fewer than ${SHORT_KEY_BYTES} bytes: too easy to guess` : undefined;
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
