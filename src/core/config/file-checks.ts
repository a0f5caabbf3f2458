import { PRESET_NAMES, provesPerson } from '../identity-tokens/presets.ts';
import { loginKey } from '../lib/logins.ts';
import { itemsAt, membersAt, type Note, ownIds, type Path, valueAt } from './also.ts';
import type { ReadFile } from './environment.ts';
import { formOf, type SecretsOf } from './source-secrets.ts';
import { entryName, groupId, userId } from './values.ts';

/** What keys of gatepost.yaml have to comply with together: rules for `also`, which may see values of any type. */

/** What they depend on besides the file. */
export interface CheckContext {
  readonly hasService: boolean;
  /** What has to be set before SERVICE_API_KEY can be used; null: nothing. */
  readonly noKey: string | null;
  /** The source of the environment. */
  readonly own:
    | {
        readonly id: string;
        readonly routes: readonly string[];
        readonly secrets: readonly string[];
      }
    | undefined;
  readonly secretsOf: SecretsOf;
  readonly readFile: ReadFile;
  /** Whether YAML reads another text than what is written at this place of the file. */
  readonly isAltered: (path: Path) => boolean;
}

/** What keys of different sections have to comply with together. */
export function checkFile(file: unknown, note: Note, context: CheckContext): void {
  checkAccounts(file, note, context);
  checkVerified(file, note, context);
  checkClaims(file, note, context);
  const hasTask = valueAt(file, ['dialect', 'task']) !== undefined;
  if (!hasTask && valueAt(file, ['move', 'source']) === 'http') {
    note(['move', 'source'], 'is http, which needs dialect.task.path');
  }
}

/** Without a service, only overrides give somebody an account. */
function checkAccounts(file: unknown, note: Note, { hasService }: CheckContext): void {
  const overrides = Object.keys(membersAt(file, 'identity', 'overrides'));
  if (hasService || overrides.length > 0) return;
  for (const [name, route] of Object.entries(membersAt(file, 'routes'))) {
    if (valueAt(route, ['identity']) === 'require') note(['routes', name, 'identity'], NOBODY);
  }
}

const NOBODY = 'is require, so nobody could decide: set SERVICE_URL, or identity.overrides';

/** A route that demands a proved person is open to no source that proves none. */
function checkVerified(file: unknown, note: Note, { own }: CheckContext): void {
  const sources = [...(own === undefined ? [] : [own]), ...itemsAt(file, 'sources')];
  for (const [name, route] of Object.entries(membersAt(file, 'routes'))) {
    if (valueAt(route, ['requester']) !== 'verified') continue;
    for (const source of sources) {
      const isOpen = itemsAt(source, 'routes').includes(name) && !provesWhoAsks(source);
      const id = entryName.safeParse(valueAt(source, ['id'])).data;
      // An id that is wrong may be a value that is not to be shown, and is a problem of its own.
      if (!isOpen || id === undefined) continue;
      note(
        ['routes', name, 'requester'],
        `is verified, but the source ${id} does not prove who asks: use auth: oidc with a preset that does, or take the route from it`,
      );
    }
  }
}

function provesWhoAsks(source: unknown): boolean {
  if (valueAt(source, ['auth']) !== 'oidc') return false;
  const named = valueAt(source, ['oidc', 'preset']) ?? null;
  const preset = PRESET_NAMES.find((name) => name === named) ?? null;
  // Another name is a problem of its own.
  return preset === null ? named !== null : provesPerson(preset);
}

/** A claim is compared with a text. */
function checkClaims(file: unknown, note: Note, { isAltered }: CheckContext): void {
  for (const index of itemsAt(file, 'sources').keys()) {
    const at = ['sources', index, 'oidc', 'claims'];
    for (const name of Object.keys(membersAt(file, ...at))) {
      const each = itemsAt(file, ...at, name).map((_, item) => [...at, name, item]);
      for (const path of [[...at, name], ...each]) if (isAltered(path)) note(path, ALTERED);
    }
  }
}

const ALTERED = 'is not read as it is written: put it in quotes';

/** Without an API key nobody can move or create anything. */
export function checkKey(named: unknown, note: Note, { noKey }: CheckContext): void {
  const isNamed =
    itemsAt(named, 'users').some((id) => userId.safeParse(id).success) ||
    itemsAt(named, 'groups').some((id) => groupId.safeParse(id).success) ||
    valueAt(named, ['channel']) === true;
  if (isNamed && noKey !== null) note([], noKey);
}

/** With two Slack accounts for one service account, somebody could vote twice. */
export function onePersonEach(overrides: unknown, note: Note): void {
  const owners = new Map<unknown, string>();
  for (const [id, account] of Object.entries(membersAt(overrides))) {
    const owner = owners.get(account);
    if (owner === undefined) owners.set(account, id);
    else note([id], `names the account of ${owner}: an account belongs to one person`);
  }
}

/** Logins are compared without case. */
export function oneCaseEach(logins: unknown, note: Note): void {
  const known = new Map<string, string>();
  for (const login of Object.keys(membersAt(logins))) {
    const key = loginKey({ login, at: '' });
    const other = known.get(key);
    if (other === undefined) known.set(key, login);
    else note([login], `is the same login as ${other}: case does not matter`);
  }
}

export function checkSource(
  source: unknown,
  note: Note,
  { hasService, secretsOf }: CheckContext,
): void {
  if (typeof source !== 'object' || Array.isArray(source)) return;
  const at = (key: string) => valueAt(source, [key]);
  const kinds = itemsAt(source, 'kinds');
  const auth = at('auth');
  if (!hasService && kinds.length > 0 && !kinds.includes('gate')) note(['kinds'], FOR_SERVICE);
  // A work item is announced in a channel that the request names, and a project nowhere.
  const needsRoute =
    kinds.length === 0 || kinds.some((kind) => kind !== 'task' && kind !== 'catalogue');
  if (needsRoute && Array.isArray(at('routes')) && itemsAt(source, 'routes').length === 0)
    note(['routes'], 'is required: at least one');
  if (auth === 'path' && kinds.some((kind) => kind !== 'gate'))
    note(['kinds'], 'must be [gate] with auth: path, which can ask gates alone');
  const describes = kinds.includes('catalogue');
  const isDescribing = itemsAt(source, 'projects').length > 0;
  if (describes && !isDescribing) note(['projects'], 'is required with kind catalogue: ids');
  if (!describes && isDescribing) note(['projects'], 'needs kinds: [catalogue]');
  if (auth !== 'header' && at('header') !== undefined) note(['header'], 'needs auth: header');
  const [hasSecret, hasOidc] = [at('secret') !== undefined, at('oidc') !== undefined];
  if (auth === 'oidc') {
    if (hasSecret) note(['secret'], 'is not used with auth: oidc: remove it');
    if (!hasOidc) note(['oidc'], 'is required with auth: oidc');
  } else {
    if (!hasSecret) note(['secret'], 'is required');
    if (hasOidc) note(['oidc'], 'needs auth: oidc');
    const { problem } = secretsOf(at('secret'), formOf(auth));
    if (problem !== undefined) note(['secret'], problem);
  }
}

const FOR_SERVICE = 'allows only what needs a service: set SERVICE_URL, or add gate';

/** Secrets identify sources, and which source describes a project is clear. */
export function checkSources(sources: unknown, note: Note, { own, secretsOf }: CheckContext): void {
  ownIds('sources')(sources, note);
  const owners = new Map(own?.secrets.map((secret) => [secret, 'the source default']));
  const describers = new Map<unknown, string>();
  for (const [index, source] of itemsAt(sources).entries()) {
    const [auth, variable] = [valueAt(source, ['auth']), valueAt(source, ['secret'])];
    const { secrets } = auth === 'oidc' ? { secrets: [] } : secretsOf(variable, formOf(auth));
    const owner = secrets.map((secret) => owners.get(secret)).find((each) => each !== undefined);
    if (owner !== undefined)
      note([index, 'secret'], `names ${variable}, which also holds a secret of ${owner}`);
    for (const secret of secrets) owners.set(secret, `sources[${index}]`);
    for (const [at, id] of itemsAt(source, 'projects').entries()) {
      const describer = describers.get(id);
      if (describer !== undefined) note([index, 'projects', at], `is in ${describer}, too`);
      else describers.set(id, `sources[${index}].projects`);
    }
  }
}
