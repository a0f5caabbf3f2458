import { closest } from '../lib/closest.ts';
import { fileTrouble } from '../lib/file-trouble.ts';
import { present } from '../lib/present.ts';
import { itemsAt, membersAt, valueAt } from './also.ts';
import type { Config, EnvironmentSettings, IdentityRule, Route, Source } from './config.ts';
import { ConfigFile, type FileProblem } from './config-file.ts';
import { type Env, fileVariable, lookUp, type ReadFile } from './environment.ts';
import {
  type FileSettings,
  fileSchema,
  fileShape,
  isAnybody,
  misplacedKeyProblem,
  type RouteRules,
  routeSection,
} from './file.ts';
import { secretReader } from './source-secrets.ts';
import { keyShortness, overlaps, shortness, sourceOf } from './sources.ts';
import { idsIn, splitList, text, userId } from './values.ts';
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

/** Settings that both the environment and gatepost.yaml can provide. */
type Entries =
  | {
      readonly settings: Omit<Config, keyof EnvironmentSettings>;
      readonly problems: readonly [];
      readonly warnings: readonly string[];
    }
  | {
      readonly settings: null;
      readonly problems: readonly (FileProblem | VariableProblem)[];
    };

/** The environment's source and route, and everything in the file, whose entries replace those of the same name. */
export function readEntries(from: EntriesFrom): Entries {
  const { env, values, command, rules } = from;
  const { text, file, names, isRouted, context, problem } = openFile(from);
  const read = file.read(fileSchema(context), (key, path) => misplacedKeyProblem(key, path, rules));
  const isRead = problem === undefined && text !== undefined && file.isReadable;
  const problems = [
    ...(problem === undefined ? [] : [problem]),
    ...(isRead ? missingBeside(names, from) : []),
    ...file.problems,
  ];
  if (read === undefined || problems.length > 0) return { settings: null, problems };
  const own = context.own === undefined ? [] : [context.own];
  const sources = read.sources.map((section) => ({ section, source: sourceOf(section, context) }));
  // An invalid channel is reported separately.
  const hasRoute = isRouted && values.GATEPOST_CHANNEL !== undefined;
  const route = hasRoute ? [defaultRoute(values, context.identity, rules)] : [];
  const routes = Object.entries(read.routes).map(([name, each]) => ({ ...each, name }));
  const { teams, dialect, move, cases, accounts, catalogue, links, retention, identity } = read;
  return {
    problems: [],
    settings: {
      sources: [...own, ...sources.flatMap(({ source }) => source)],
      routes: [...route, ...routes],
      identityOverrides: identity.overrides,
      identityUserId: identity.userId,
      identityEmails: identity.emails,
      identityLogins: identity.logins,
      identityRobots: identity.robots,
      administrators: administratorsIn(file, read.administrators, values),
      budgetPerMinute: read.budget.perMinute,
      watchMaxAgeMs: read.watch.maxAge,
      ...{ teams, dialect, move, cases, accounts, catalogue, links, retention },
    },
    warnings: [
      ...uselessIn(env, { isRouted, isAsked: own.length > 0 }, text ?? ''),
      ...replacedIn(file, names).flatMap((name) =>
        // Variables that the file names are used.
        isSet(env, name) && !(text ?? '').includes(name)
          ? [`${name} has no effect: gatepost.yaml says otherwise`]
          : [],
      ),
      ...warning('identity.emails', trust(identity)),
      ...overlaps(sources.flatMap(({ source }) => source)),
      ...own.flatMap((source) => warning('GATEPOST_INTAKE_SECRET', shortness(source))),
      ...sources.flatMap(({ section: { secret = '' }, source }) =>
        source.flatMap((each) => warning(secret, shortness(each))),
      ),
      ...sources.flatMap(({ section: { callback }, source }) =>
        source.flatMap((each) =>
          warning(callback?.secret ?? '', keyShortness(each.callback?.secrets)),
        ),
      ),
      ...route.flatMap((each) => warning('GATEPOST_REVIEWERS', emptiness(each, rules))),
      ...routes.flatMap((each) => warning(`routes.${each.name}.reviewers`, emptiness(each, rules))),
      ...routes.flatMap((each) =>
        warning(`routes.${each.name}.selfApproval`, aloneness(each, rules)),
      ),
      ...unusedIn(read, context.own ?? (command === 'start' ? undefined : { routes: [DEFAULT] })),
    ],
  };
}

/** The file, as far as it can be read, and what its settings depend on. */
function openFile(from: EntriesFrom) {
  const { env, values, command, rules, readFile } = from;
  const { text, problem } = textOf(from);
  const file = new ConfigFile(text ?? '');
  const names = namesIn(file);
  const isRouted = isSet(env, 'GATEPOST_CHANNEL') && !names.routes.includes(DEFAULT);
  const hasService = isSet(env, 'SERVICE_URL');
  // Without the list of accounts few people could be found in the service.
  const identity: IdentityRule = hasService && isSet(env, 'SCIM_TOKEN') ? 'require' : 'omit';
  const context = {
    routes: isRouted ? [...names.routes, DEFAULT] : names.routes,
    projects: projectsIn(file),
    identity,
    noKey: missingIn(env, ['SERVICE_URL', 'SERVICE_API_KEY']),
    hasService,
    own: names.sources.includes(DEFAULT) ? undefined : defaultSource(values),
    secretsOf: secretReader(env, readFile, command === 'start'),
    readFile,
    isAltered: file.isAltered,
    rules,
  };
  return { text, problem, file, names, isRouted, context };
}

/** No text if no file is named, or it cannot be read. */
function textOf({ values, readFile }: EntriesFrom): {
  readonly text?: string;
  readonly problem?: VariableProblem;
} {
  const path = values.GATEPOST_CONFIG;
  if (path === undefined) return {};
  try {
    return { text: readFile(path) };
  } catch (error) {
    const message = `must be the path of a file that can be read: it ${fileTrouble(error)}`;
    return { problem: { name: 'GATEPOST_CONFIG', message } };
  }
}

export interface PeopleRead extends Pick<Config, 'administrators' | 'identityOverrides'> {
  /** There may be more administrators: something about them is not valid. */
  readonly isPartial: boolean;
}

/** Who administers Gatepost, and the accounts that are set: each as far as it is valid, whatever else is wrong. */
export function readPeople(from: EntriesFrom): PeopleRead {
  const { file, context, problem } = openFile(from);
  const { administrators: schema } = fileShape(context);
  const inFile = valueAt(file.value, ['administrators']);
  const inVariable = lookUp(from.env, 'GATEPOST_ADMINISTRATORS');
  const entries =
    inFile === undefined
      ? splitList(inVariable ?? '')
      : [...itemsAt(inFile, 'users'), ...itemsAt(inFile, 'groups')];
  const isNamed = isSet(from.env, 'GATEPOST_CONFIG');
  const isFileRead =
    file.isReadable &&
    problem === undefined &&
    isNamed === (from.values.GATEPOST_CONFIG !== undefined);
  const isValid =
    inFile === undefined
      ? inVariable === undefined || from.values.GATEPOST_ADMINISTRATORS !== undefined
      : schema.safeParse(inFile).success;
  const overrides = Object.entries(membersAt(file.value, 'identity', 'overrides'));
  return {
    administrators: idsIn(entries),
    isPartial: !isValid || !isFileRead,
    identityOverrides: Object.fromEntries(
      overrides.filter(
        ([user, account]) => userId.safeParse(user).success && text.safeParse(account).success,
      ),
    ),
  };
}

/** Like routes: the file's replace the environment's. */
function administratorsIn(
  file: ConfigFile,
  administrators: Config['administrators'],
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

/** Routes that no request can reach. `own`: the source of the environment. */
function unusedIn(
  { sources, routes }: FileSettings,
  own: Pick<Source, 'routes'> | undefined,
): string[] {
  const used = [...sources, ...(own === undefined ? [] : [own])].flatMap((each) => each.routes);
  return Object.keys(routes)
    .filter((name) => !used.includes(name))
    .map((name) => `routes.${name} is used by no source: name it in the routes of one`);
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

/** The source from the environment; undefined if there is none. */
function defaultSource({
  GATEPOST_INTAKE_SECRET: secrets,
  GATEPOST_SOURCE_NAME: name,
}: Values): Source | undefined {
  if (secrets === undefined) return undefined;
  return {
    id: DEFAULT,
    // Otherwise nothing: "Asked by default" would be misread.
    ...present({ name }),
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

interface Names {
  readonly sources: readonly string[];
  readonly routes: readonly string[];
}

/** Includes invalid entries, so that one mistake does not look like several. */
function namesIn(file: ConfigFile): Names {
  const sources = itemsAt(file.value, 'sources');
  return {
    sources: sources.map((source) => {
      const id = valueAt(source, ['id']);
      return typeof id === 'object' ? '' : String(id);
    }),
    routes: Object.keys(membersAt(file.value, 'routes')),
  };
}

/** Items can only be moved between these. */
function projectsIn({ value }: ConfigFile): readonly unknown[] {
  return [
    ...itemsAt(value, 'catalogue', 'projects').map((each) => valueAt(each, ['id'])),
    ...itemsAt(value, 'sources').flatMap((source) => itemsAt(source, 'projects')),
  ];
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

function trust({ emails }: FileSettings['identity']): string | undefined {
  if (emails === 'confirmed') return undefined;
  return 'is any: addresses that Slack has not confirmed count for full members, which is safe only if single sign-on owns the addresses in this workspace';
}

function emptiness(route: Route, { everybodyOn }: RouteRules): string | undefined {
  return isAnybody(everybodyOn(route)) ? undefined : 'is empty: nobody can decide';
}

function aloneness(route: Route, { everybodyOn }: RouteRules): string | undefined {
  const { users, groups, channel } = everybodyOn(route);
  const isAlone = users.length === 1 && groups.length === 0 && !channel;
  if (route.selfApproval !== 'loud' || !isAlone) return undefined;
  return 'is loud, but there is no other reviewer to tell';
}

function warning(name: string, words: string | undefined): string[] {
  return words === undefined ? [] : [`${name} ${words}`];
}
