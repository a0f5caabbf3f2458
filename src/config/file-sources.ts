import type { Source, SourceAuth } from './config.ts';
import { Unfit } from './environment.ts';
import { list, optional, type Place, type Reader, required, section } from './file-reader.ts';
import { channelId } from './file-routes.ts';
import { entryName, headerName, knownRoute, oneOf, variableName } from './file-values.ts';
import { readIntakeSecrets } from './read-secrets.ts';

/** A source, and the variable that holds its secret. */
export interface NamedSource {
  readonly source: Source;
  readonly variable: string;
}

export interface SourcesNeeds {
  /** The environment. */
  readonly lookUp: (variable: string) => string | undefined;
  /** What no source of the file may use besides. */
  readonly ownSecrets: readonly string[];
  /** Names of all routes there are. */
  readonly routes: readonly string[];
  /** Whether a variable that is not set is a problem. */
  readonly needsSecrets: boolean;
}

/** The sources of the file that can be used: with an id and a secret. */
export function sourcesReader(needs: SourcesNeeds): Reader<NamedSource[]> {
  const formWith = (routesLeast: number) =>
    section({
      id: required(entryName),
      auth: optional(oneOf('bearer', 'header', 'standard-webhooks'), 'bearer'),
      header: optional(headerName, 'X-Webhook-Secret'),
      secret: required(variableName),
      routes: list(required(knownRoute(needs.routes)), { least: routesLeast }),
      channels: list(required(channelId)),
      kinds: list(required(oneOf('approval', 'task'))),
    });
  const [withRoutes, withoutRoutes] = [formWith(1), formWith(0)];
  const source = (owners: Map<string, string>): Reader<NamedSource | null> => ({
    keys: withRoutes.keys,
    read(value, place) {
      const form = sendsTasksAlone(value) ? withoutRoutes : withRoutes;
      const { id, auth, header, secret, routes, channels, kinds } = form.read(value, place);
      const secrets = secret === null ? null : secretsIn(secret, auth, place, needs);
      if (id === null || secret === null || secrets === null) return null;
      noteShared({ secrets, variable: secret }, place, owners);
      return {
        source: {
          id,
          auth: authOf(auth, header),
          secrets,
          routes,
          channels,
          kinds: kinds.length === 0 ? ['approval'] : kinds,
        },
        variable: secret,
      };
    },
  });
  return {
    keys: list(source(new Map())).keys,
    read(value, place) {
      noteTwins(value, place);
      const owners = new Map(needs.ownSecrets.map((secret) => [secret, 'the source default']));
      return list(source(owners)).read(value, place);
    },
  };
}

/** A secret tells sources apart. `owners`: whose each secret is. */
function noteShared(
  { secrets, variable }: { readonly secrets: readonly string[]; readonly variable: string },
  { path, note }: Place,
  owners: Map<string, string>,
): void {
  const owner = secrets.map((secret) => owners.get(secret)).find((each) => each !== undefined);
  if (owner !== undefined) {
    note([...path, 'secret'], `names ${variable}, which holds a secret of ${owner}, too`);
  }
  for (const secret of secrets) owners.set(secret, `sources[${path.at(-1)}]`);
}

function authOf(kind: SourceAuth['kind'], name: string): SourceAuth {
  return kind === 'header' ? { kind, name } : { kind };
}

/** null when there is none, or a wrong one, which is noted. */
function secretsIn(
  variable: string,
  auth: SourceAuth['kind'],
  { path, note }: Place,
  { lookUp, needsSecrets }: SourcesNeeds,
): string[] | null {
  const value = lookUp(variable);
  if (value === undefined) {
    if (needsSecrets) note([...path, 'secret'], `names ${variable}, which is not set`);
    return null;
  }
  const secrets = value.split(',').map((part) => part.trim());
  try {
    return readIntakeSecrets(
      secrets.filter((part) => part !== ''),
      auth,
    );
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    note([...path, 'secret'], `names ${variable}, whose value ${error.message}`);
    return null;
  }
}

function noteTwins(value: unknown, { path, note }: Place): void {
  if (!Array.isArray(value)) return;
  const ids: unknown[] = value.map((each) => each?.id);
  for (const [index, id] of ids.entries()) {
    const first = ids.indexOf(id);
    if (typeof id === 'string' && first < index) {
      note([...path, index, 'id'], `is the id of sources[${first}], too`);
    }
  }
}

/** A work item is announced in a channel that the request names: no route is needed for it. */
function sendsTasksAlone(value: unknown): boolean {
  const kinds: unknown = typeof value === 'object' && value !== null && Reflect.get(value, 'kinds');
  return Array.isArray(kinds) && kinds.includes('task') && !kinds.includes('approval');
}
