import { closest } from '../lib/closest.ts';
import { fileTrouble } from '../lib/file-trouble.ts';
import { type Logins, loginKey } from '../lib/logins.ts';
import { webhookKey } from '../lib/webhook-key.ts';
import type { Config, IdentityRule, Route, Source, SourceAuth } from './config.ts';
import { ConfigFile, type FileProblem, type Path, valueAt } from './config-file.ts';
import { type Env, fileVariable, lookUp, type ReadFile, secretIn } from './environment.ts';
import {
  type FileSettings,
  fileShape,
  HOLDS_KEYS,
  isAnybody,
  misplacedKeyProblem,
  type RouteRules,
  routeSection,
  unknownKeyProblem,
} from './file.ts';
import { checkVerified, overlaps, tokenRules } from './oidc-sources.ts';
import {
  entryName,
  groupId,
  intakeSecrets,
  isQuoted,
  loginName,
  QUOTED,
  type SecretForm,
  systemName,
  text,
  userId,
  variableName,
} from './values.ts';
import {
  type Command,
  SECRETS,
  slackMode,
  VARIABLES,
  type Values,
  type VariableProblem,
} from './variables.ts';

/** The name of the source and route from the environment. */
const DEFAULT = 'default';

interface EntriesFrom {
  /** With the secrets that files hold, but for those that only gatepost.yaml names. */
  readonly env: Env;
  readonly values: Values;
  readonly command: Command;
  readonly readFile: ReadFile;
  readonly rules: RouteRules;
}

/** Settings that only the environment has. */
type FromEnvironment =
  | 'slack'
  | 'service'
  | 'store'
  | 'keys'
  | 'proxies'
  | 'http'
  | 'logLevel'
  | 'logFormat'
  | 'auditLog';

/** Settings that both the environment and gatepost.yaml can provide. */
interface Entries {
  readonly settings: Omit<Config, FromEnvironment>;
  readonly problems: readonly (FileProblem | VariableProblem)[];
  readonly warnings: readonly string[];
}

/** The environment's source and route, and everything in the file, whose entries replace those of the same name. */
export function readEntries(from: EntriesFrom): Entries {
  const { env, values, rules } = from;
  const opened = openFile(from);
  const file = new ConfigFile(opened.text ?? '', (key) => misplacedKeyProblem(key, rules));
  const names = namesIn(file);
  const source = names.sources.includes(DEFAULT) ? undefined : defaultSource(values);
  const isRouted = isSet(env, 'GATEPOST_CHANNEL') && !names.routes.includes(DEFAULT);
  const hasService = isSet(env, 'SERVICE_URL');
  // Without the list of accounts few people could be found in the service.
  const identity = hasService && isSet(env, 'SCIM_TOKEN') ? 'require' : 'omit';
  const read = readFile(file, {
    routes: isRouted ? [...names.routes, DEFAULT] : names.routes,
    identity,
    noKey: missingIn(env, ['SERVICE_URL', 'SERVICE_API_KEY']),
    rules,
  });
  if (!hasService) checkWithoutService(file);
  const sources = sourcesIn(file, read.sources, from, source?.secrets ?? []);
  const own = source === undefined ? [] : [{ source, variable: 'GATEPOST_INTAKE_SECRET' }];
  // An invalid channel is reported separately.
  const hasRoute = isRouted && values.GATEPOST_CHANNEL !== undefined;
  const route = hasRoute ? [defaultRoute(values, identity, rules)] : [];
  const routes = Object.entries(read.routes).map(([name, each]) => ({ ...each, name }));
  checkVerified(
    file,
    [...route, ...routes],
    [...own, ...sources].map((each) => each.source),
  );
  const isRead = opened.text !== undefined && file.isReadable;
  const { teams, dialect, move, cases, accounts, catalogue, links } = read;
  return {
    settings: {
      sources: [...own, ...sources].map((each) => each.source),
      routes: [...route, ...routes],
      identityOverrides: read.identity.overrides,
      identityUserId: read.identity.userId,
      identityEmails: read.identity.emails,
      identityLogins: loginsIn(read.identity),
      identityRobots: read.identity.robots.map(robotKey),
      administrators: administratorsIn(file, read, values),
      budgetPerMinute: read.budget.perMinute,
      watchMaxAgeMs: read.watch.maxAge,
      retention: retentionOf(read),
      ...{ teams, dialect, move, cases, accounts, catalogue, links },
    },
    problems: [...opened.problems, ...(isRead ? missingBeside(names, from) : []), ...file.problems],
    warnings: [
      ...uselessIn(env, { isRouted, isAsked: source !== undefined }, opened.text ?? ''),
      ...replacedIn(file, names).flatMap((name) =>
        // Variables that the file names are used.
        isSet(env, name) && !(opened.text ?? '').includes(name)
          ? [`${name} has no effect: gatepost.yaml says otherwise`]
          : [],
      ),
      ...warning('identity.emails', trust(read.identity)),
      ...overlaps(sources.map(({ source }) => source)),
      ...[...own, ...sources].flatMap((each) => warning(each.variable, shortness(each.source))),
      ...sources.flatMap(({ source, callback = '' }) =>
        warning(callback, keyShortness(source.callback?.secrets ?? [])),
      ),
      ...route.flatMap((each) => warning('GATEPOST_REVIEWERS', emptiness(each, rules))),
      ...routes.flatMap((each) => warning(`routes.${each.name}.reviewers`, emptiness(each, rules))),
    ],
  };
}

function retentionOf({ retention: { done, decided, audit } }: FileSettings) {
  return { doneMs: done, decidedMs: Math.min(decided, done), auditMs: audit };
}

/** Like routes: the file's replace the environment's. */
function administratorsIn(
  file: ConfigFile,
  { administrators }: FileSettings,
  { GATEPOST_ADMINISTRATORS: named }: Values,
): Config['administrators'] {
  const isInFile = valueAt(file.value, ['administrators']) !== undefined;
  return isInFile || named === undefined ? administrators : named;
}

/** Variables that have no effect, or not the intended one. `text`: the file's, which may name variables. */
function uselessIn(
  env: Env,
  { isRouted, isAsked }: { readonly isRouted: boolean; readonly isAsked: boolean },
  text: string,
): string[] {
  const useless = {
    GATEPOST_REVIEWERS: isRouted ? undefined : ': the route of GATEPOST_CHANNEL is not used',
    GATEPOST_OUTCOME_CHANNEL: isRouted ? undefined : ': the route of GATEPOST_CHANNEL is not used',
    GATEPOST_SOURCE_NAME: isAsked
      ? undefined
      : ': only the source of GATEPOST_INTAKE_SECRET has this name',
    SERVICE_API_KEY: isSet(env, 'SERVICE_URL') ? undefined : ' without SERVICE_URL',
    SCIM_TOKEN: isSet(env, 'SERVICE_URL') ? undefined : ' without SERVICE_URL',
    REDIS_CONFIRM: isSet(env, 'REDIS_URL') ? undefined : ' without REDIS_URL',
    SLACK_APP_TOKEN:
      isSet(env, 'SLACK_MODE') || slackMode(env) === 'socket'
        ? undefined
        : ': with SLACK_SIGNING_SECRET too, the mode is http unless SLACK_MODE=socket is set',
  };
  const misspelt = Object.keys(env).filter((name) => !text.includes(name.replace(/_FILE$/, '')));
  return [
    ...misspelt.flatMap((name) => warning(name, misspelling(name))),
    ...Object.entries(useless).flatMap(([name, other]) =>
      other !== undefined && isSet(env, name) ? [`${name} has no effect${other}`] : [],
    ),
  ];
}

/** What the file has instead. */
function replacedIn(file: ConfigFile, { sources, routes }: Names): string[] {
  return [
    ...(sources.includes(DEFAULT) ? ['GATEPOST_INTAKE_SECRET'] : []),
    ...(routes.includes(DEFAULT) ? ['GATEPOST_CHANNEL'] : []),
    ...(valueAt(file.value, ['administrators']) === undefined ? [] : ['GATEPOST_ADMINISTRATORS']),
  ];
}

const OWN = 'GATEPOST_';

/** Only names that start like Gatepost's and resemble one are reported: Kubernetes sets others. */
function misspelling(name: string): string | undefined {
  const all: readonly string[] = [
    ...VARIABLES.map((each) => each.name),
    ...SECRETS.map(fileVariable),
  ];
  const known = all.filter((each) => each.startsWith(OWN));
  if (!name.startsWith(OWN) || known.includes(name)) return undefined;
  const near = closest(
    name.slice(OWN.length),
    known.map((each) => each.slice(OWN.length)),
  );
  return near === undefined ? undefined : `is not known: did you mean ${OWN}${near}?`;
}

/** Which of these variables are missing; null: none. */
function missingIn(env: Env, names: readonly string[]): string | null {
  const missing = names.filter((name) => !isSet(env, name));
  return missing.length === 0 ? null : `needs ${missing.join(' and ')} to be set`;
}

function isSet(env: Env, name: string): boolean {
  return lookUp(env, name) !== undefined;
}

/** No text if no file is named, or it cannot be read. */
function openFile({ values, readFile }: EntriesFrom): {
  readonly text?: string;
  readonly problems: readonly VariableProblem[];
} {
  const path = values.GATEPOST_CONFIG;
  if (path === undefined) return { problems: [] };
  try {
    return { text: readFile(path), problems: [] };
  } catch (error) {
    const message = `must be the path of a file that can be read: it ${fileTrouble(error)}`;
    return { problems: [{ name: 'GATEPOST_CONFIG', message }] };
  }
}

/** The source from the environment; undefined if there is none. */
function defaultSource({
  GATEPOST_INTAKE_SECRET: secrets,
  GATEPOST_SOURCE_NAME: name,
}: Values): Source | undefined {
  if (secrets === undefined) return undefined;
  return {
    id: DEFAULT,
    // Otherwise nothing: "Asked by default" would be misread.
    ...(name !== undefined && { name }),
    auth: { kind: 'bearer' },
    secrets,
    routes: [DEFAULT],
    channels: [],
    kinds: ['approval', 'gate'],
  };
}

/** The route from the environment: like a route of the file without other keys. */
function defaultRoute(values: Values, identity: IdentityRule, rules: RouteRules): Route {
  const route = routeSection(identity, rules).parse({
    channel: values.GATEPOST_CHANNEL,
    outcomes: { channel: values.GATEPOST_OUTCOME_CHANNEL },
    reviewers: values.GATEPOST_REVIEWERS,
  });
  return { ...route, name: DEFAULT };
}

/** Parses each key separately, so that a mistake in one does not hide others. */
function readFile(file: ConfigFile, context: Parameters<typeof fileShape>[0]): FileSettings {
  const shape = fileShape(context);
  const isSection = typeof file.value === 'object' && !Array.isArray(file.value);
  if (file.isReadable && !isSection) file.note([], HOLDS_KEYS);
  for (const key of isSection ? Object.keys(file.value ?? {}) : []) {
    if (Object.hasOwn(shape, key)) continue;
    const elsewhere = misplacedKeyProblem(key, context.rules);
    file.note([key], elsewhere ?? unknownKeyProblem(key, Object.keys(shape)));
  }
  const settings = Object.entries(shape).map(([key, schema]) => {
    const read = isSection ? file.read(schema, [key]) : undefined;
    return [key, read ?? schema.parse(undefined)];
  });
  const read = Object.fromEntries(settings) as FileSettings; // as: each key was parsed by its own schema
  for (const name of Object.keys(membersAt(file, ['routes']))) {
    file.check(entryName, name, ['routes', name]);
  }
  checkOverrides(file);
  checkLogins(file);
  checkIds(file);
  if (context.noKey !== null) checkKey(file, context.noKey);
  checkProjects(file);
  checkDescribed(file);
  const hasTask = valueAt(file.value, ['dialect', 'task']) !== undefined;
  if (!hasTask && valueAt(file.value, ['move', 'source']) === 'http') {
    file.note(['move', 'source'], 'is http, which needs dialect.task.path');
  }
  return read;
}

/** With two Slack accounts for one service account, somebody could vote twice. */
function checkOverrides(file: ConfigFile): void {
  const path = ['identity', 'overrides'];
  const owners = new Map<unknown, string>();
  for (const [id, account] of Object.entries(membersAt(file, path))) {
    file.check(userId, id, [...path, id]);
    const owner = owners.get(account);
    if (owner === undefined) owners.set(account, id);
    else
      file.note([...path, id], `names the account of ${owner}: an account belongs to one person`);
  }
}

function loginsIn({ logins }: FileSettings['identity']): Logins {
  const all = Object.entries(logins).flatMap(([at, people]) =>
    Object.entries(people).map(([login, user]) => [loginKey({ login, at }), user] as const),
  );
  return Object.fromEntries(all);
}

function robotKey(robot: string): string {
  const end = robot.indexOf(':');
  return loginKey({ at: robot.slice(0, end), login: robot.slice(end + 1) });
}

/** Logins are compared without case. */
function checkLogins(file: ConfigFile): void {
  const root = ['identity', 'logins'];
  for (const at of Object.keys(membersAt(file, root))) {
    const path = [...root, at];
    file.check(systemName, at, path);
    const known = new Map<string, string>();
    for (const login of Object.keys(membersAt(file, path))) {
      file.check(loginName, login, [...path, login]);
      const key = loginKey({ login, at });
      const other = known.get(key);
      if (other === undefined) known.set(key, login);
      else file.note([...path, login], `is the same login as ${other}: case does not matter`);
    }
  }
}

/** Lists in which ids have to be unique. */
const LISTS_WITH_IDS: readonly Path[] = [
  ['sources'],
  ['catalogue', 'projects'],
  ['catalogue', 'projects', '*', 'statuses'],
  ['catalogue', 'projects', '*', 'types'],
  ['catalogue', 'projects', '*', 'types', '*', 'statuses'],
  ['catalogue', 'testProjects'],
  ['catalogue', 'testProjects', '*', 'suites'],
];

function checkIds(file: ConfigFile): void {
  for (const path of LISTS_WITH_IDS.flatMap((each) => pathsIn(file, each))) {
    const ids = itemsAt(file, path).map((item) => valueAt(item, ['id']));
    for (const [index, id] of ids.entries()) {
      const first = ids.indexOf(id);
      if (typeof id !== 'string' || first === index) continue;
      file.note([...path, index, 'id'], `is the id of ${path.at(-1)}[${first}], too`);
    }
  }
}

/** The actual paths for one with `*` as index. */
function pathsIn(file: ConfigFile, path: Path): readonly Path[] {
  const star = path.indexOf('*');
  if (star < 0) return [path];
  const [list, rest] = [path.slice(0, star), path.slice(star + 1)];
  return itemsAt(file, list).flatMap((_, index) => pathsIn(file, [...list, index, ...rest]));
}

function itemsAt(file: ConfigFile, path: Path): readonly unknown[] {
  const value = valueAt(file.value, path);
  return Array.isArray(value) ? value : [];
}

/** Without an API key nobody can move or create anything. */
function checkKey(file: ConfigFile, noKey: string): void {
  const rules = itemsAt(file, ['move', 'rules']).map((_, index) => ['rules', index]);
  const paths = [
    ['move', 'who'],
    ...rules.map((rule) => ['move', ...rule, 'who']),
    ['cases', 'who'],
  ];
  for (const path of paths) {
    const isNamed =
      itemsAt(file, [...path, 'users']).some((id) => userId.safeParse(id).success) ||
      itemsAt(file, [...path, 'groups']).some((id) => groupId.safeParse(id).success) ||
      valueAt(file.value, [...path, 'channel']) === true;
    if (isNamed) file.note(path, noKey);
  }
}

/** Reports settings that need the service, or accounts that only the service or overrides can provide. */
function checkWithoutService(file: ConfigFile): void {
  for (const [index, source] of itemsAt(file, ['sources']).entries()) {
    const kinds = valueAt(source, ['kinds']);
    const isForService = Array.isArray(kinds) && kinds.length > 0 && !kinds.includes('gate');
    if (isForService) file.note(['sources', index, 'kinds'], FOR_SERVICE);
  }
  if (Object.keys(membersAt(file, ['identity', 'overrides'])).length > 0) return;
  for (const name of Object.keys(membersAt(file, ['routes']))) {
    const path = ['routes', name, 'identity'];
    if (valueAt(file.value, path) !== 'require') continue;
    file.note(path, 'is require, so nobody could decide: set SERVICE_URL, or identity.overrides');
  }
}

const FOR_SERVICE = 'allows only what needs a service: set SERVICE_URL, or add gate';

/** Items can only be moved between projects in the catalogue, or that a source describes. */
function checkProjects(file: ConfigFile): void {
  const projects = itemsAt(file, ['catalogue', 'projects']).map((each) => valueAt(each, ['id']));
  const described = itemsAt(file, ['sources']).flatMap((_, index) =>
    itemsAt(file, ['sources', index, 'projects']),
  );
  const known = new Set([...projects, ...described].map((id) => text.safeParse(id).data));
  const rules = itemsAt(file, ['move', 'rules']).flatMap((_, index) => [
    ['move', 'rules', index, 'from'],
    ['move', 'rules', index, 'to'],
  ]);
  for (const path of [['move', 'projects'], ...rules]) {
    for (const [index, item] of itemsAt(file, path).entries()) {
      const id = text.safeParse(item).data;
      const isStrange = id !== undefined && !known.has(id);
      if (isStrange) file.note([...path, index], NOT_LISTED);
    }
  }
}

const NOT_LISTED = 'is an id neither in catalogue.projects nor in the projects of a source';

/** Which source describes a project is clear. */
function checkDescribed(file: ConfigFile): void {
  const owners = new Map<unknown, string>();
  for (const [index, source] of itemsAt(file, ['sources']).entries()) {
    const path = ['sources', index, 'projects'];
    const kinds = valueAt(source, ['kinds']);
    const describes = Array.isArray(kinds) && kinds.includes('catalogue');
    const ids = itemsAt(file, path);
    if (describes && ids.length === 0) file.note(path, 'is required with kind catalogue: ids');
    if (!describes && ids.length > 0) file.note(path, 'needs kinds: [catalogue]');
    for (const [at, id] of ids.entries()) {
      const owner = owners.get(id);
      if (owner !== undefined) file.note([...path, at], `is in ${owner}, too`);
      else owners.set(id, `sources[${index}].projects`);
    }
  }
}

/** A source, and the variables that hold its secrets. */
interface NamedSource {
  readonly source: Source;
  readonly variable: string;
  readonly callback?: string;
}

/** The file's sources. `ownSecrets`: secrets that none of them may share. */
function sourcesIn(
  file: ConfigFile,
  sources: FileSettings['sources'],
  from: EntriesFrom,
  ownSecrets: readonly string[],
): readonly NamedSource[] {
  const owners = new Map(ownSecrets.map((secret) => [secret, 'the source default']));
  const secrets = itemsAt(file, ['sources']).map((item, index) => {
    const path = ['sources', index];
    if (!hasRoutes(item)) file.note([...path, 'routes'], 'is required: at least one');
    if (valueAt(item, ['auth']) === 'oidc') return [];
    const auth = valueAt(item, ['auth']);
    const form = auth === 'standard-webhooks' || auth === 'path' ? auth : 'bearer';
    if (typeof item === 'object' && valueAt(item, ['secret']) === undefined) {
      file.note([...path, 'secret'], 'is required');
    }
    const kinds = valueAt(item, ['kinds']);
    if (auth === 'path' && Array.isArray(kinds) && kinds.some((kind) => kind !== 'gate')) {
      file.note([...path, 'kinds'], 'must be [gate] with auth: path, which can ask gates alone');
    }
    if (valueAt(item, ['oidc']) !== undefined) file.note([...path, 'oidc'], 'needs auth: oidc');
    const own = secretsOf(file, [...path, 'secret'], form, from);
    const owner = own.map((secret) => owners.get(secret)).find((each) => each !== undefined);
    if (owner !== undefined) {
      const variable = valueAt(item, ['secret']);
      file.note([...path, 'secret'], `names ${variable}, which also holds a secret of ${owner}`);
    }
    // Secrets identify sources.
    for (const secret of own) owners.set(secret, `sources[${index}]`);
    return own;
  });
  return sources.flatMap(
    ({ auth, header, secret, oidc, kinds, callback, name, ...rest }, index) => {
      const own = secrets[index] ?? [];
      const variable = secret ?? '';
      const shown = authOf(file, index, { auth, header, oidc, secret }, from);
      if (shown === undefined || (own.length === 0 && auth !== 'oidc')) return [];
      const source: Source = {
        ...rest,
        ...(name !== undefined && { name }),
        auth: shown,
        secrets: own,
        kinds: kinds.length > 0 ? kinds : usualKinds(auth, from.env),
        ...(callback !== undefined && { callback: callbackOf(file, callback.url, index, from) }),
      };
      return [{ source, variable, ...(callback !== undefined && { callback: callback.secret }) }];
    },
  );
}

function usualKinds(auth: SourceAuth['kind'], env: Env): Source['kinds'] {
  return [auth !== 'path' && isSet(env, 'SERVICE_URL') ? 'approval' : 'gate'];
}

/** undefined: a problem was added. */
function authOf(
  file: ConfigFile,
  index: number,
  {
    auth,
    header,
    oidc,
    secret,
  }: Pick<FileSettings['sources'][number], 'auth' | 'header' | 'oidc' | 'secret'>,
  { readFile }: EntriesFrom,
): SourceAuth | undefined {
  if (auth === 'header') return { kind: auth, name: header };
  if (auth !== 'oidc') return { kind: auth };
  const rules = tokenRules(file, ['sources', index], { oidc, secret }, readFile);
  return rules && { kind: auth, ...rules };
}

/** The source's callback address and secrets. */
function callbackOf(file: ConfigFile, url: string, index: number, from: EntriesFrom) {
  const path = ['sources', index, 'callback', 'secret'];
  return { url, secrets: secretsOf(file, path, 'standard-webhooks', from) };
}

/** A work item is announced in a channel that the request names, and a project nowhere: these need no route. */
function hasRoutes(item: unknown): boolean {
  const [kinds, routes] = [valueAt(item, ['kinds']), valueAt(item, ['routes'])];
  const isForOthers =
    Array.isArray(kinds) &&
    kinds.length > 0 &&
    kinds.every((each) => each === 'task' || each === 'catalogue');
  if (isForOthers || typeof item !== 'object') return true;
  return Array.isArray(routes) ? routes.length > 0 : routes !== undefined;
}

/** The secrets in the variable named at a path of the file; none, with a problem added, if that is wrong. */
function secretsOf(
  file: ConfigFile,
  path: Path,
  form: SecretForm,
  { env, command, readFile }: EntriesFrom,
): readonly string[] {
  const variable = variableName.safeParse(valueAt(file.value, path)).data;
  if (variable === undefined) return [];
  const { value, problem } = secretIn(env, variable, readFile);
  if (problem !== undefined) {
    file.note(path, `names ${variable}, but ${fileVariable(variable)} ${problem}`);
    return [];
  }
  if (value === undefined) {
    if (command === 'start') file.note(path, `names ${variable}, which is not set`);
    return [];
  }
  if (isQuoted(value)) {
    file.note(path, `names ${variable}, whose value ${QUOTED}`);
    return [];
  }
  const read = intakeSecrets(form).safeParse(value);
  const [issue] = read.error?.issues ?? [];
  if (issue) file.note(path, `names ${variable}, whose value ${issue.message}`);
  return read.data ?? [];
}

interface Names {
  readonly sources: readonly string[];
  readonly routes: readonly string[];
}

/** Includes invalid entries, so that one mistake does not look like several. */
function namesIn(file: ConfigFile): Names {
  const sources = itemsAt(file, ['sources']);
  return {
    sources: sources.map((source) => {
      const id = valueAt(source, ['id']);
      return typeof id === 'object' ? '' : String(id);
    }),
    routes: Object.keys(membersAt(file, ['routes'])),
  };
}

function membersAt(file: ConfigFile, path: Path): object {
  const value = valueAt(file.value, path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Without a source there are no requests, and without a route they go nowhere. */
function missingBeside({ sources, routes }: Names, { env, command }: EntriesFrom) {
  const problems: VariableProblem[] = [];
  const hasSource = isSet(env, 'GATEPOST_INTAKE_SECRET');
  if (!hasSource && sources.length === 0 && command === 'start') {
    const message = 'is required: gatepost.yaml has no source';
    problems.push({ name: 'GATEPOST_INTAKE_SECRET', message });
  }
  if (isSet(env, 'GATEPOST_CHANNEL') || routes.includes(DEFAULT)) return problems;
  if (routes.length === 0) {
    const message = 'is required: gatepost.yaml has no route';
    problems.push({ name: 'GATEPOST_CHANNEL', message });
  } else if (hasSource && !sources.includes(DEFAULT)) {
    const message = 'is required: the source of GATEPOST_INTAKE_SECRET uses the route default';
    problems.push({ name: 'GATEPOST_CHANNEL', message });
  }
  return problems;
}

const SHORT_SECRET = 16;
/** The minimum of Standard Webhooks 1.0. */
const SHORT_KEY_BYTES = 24;

/** The warning for guessable secrets of a source; undefined: none. */
function shortness({ auth, secrets }: Source): string | undefined {
  if (auth.kind === 'standard-webhooks') return keyShortness(secrets);
  if (secrets.some((each) => each.startsWith('whsec_')))
    return 'begins with whsec_: gatepost ask would sign with it, but this source does not accept signatures';
  const isShort = secrets.some(({ length }) => length < SHORT_SECRET);
  return isShort ? `is shorter than ${SHORT_SECRET} characters: too easy to guess` : undefined;
}

/** The same for signing secrets. */
function keyShortness(secrets: readonly string[]): string | undefined {
  const isShort = secrets.some((each) => (webhookKey(each)?.length ?? 0) < SHORT_KEY_BYTES);
  return isShort ? `has fewer than ${SHORT_KEY_BYTES} bytes: too easy to guess` : undefined;
}

function trust({ emails }: FileSettings['identity']): string | undefined {
  if (emails === 'confirmed') return undefined;
  return 'is any: addresses that Slack has not confirmed count for full members, which is safe only if single sign-on owns the addresses in this workspace';
}

function emptiness(route: Route, { everybodyOn }: RouteRules): string | undefined {
  return isAnybody(everybodyOn(route)) ? undefined : 'is empty: nobody can decide';
}

function warning(name: string, words: string | undefined): string[] {
  return words === undefined ? [] : [`${name} ${words}`];
}
