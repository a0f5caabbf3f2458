import * as z from 'zod';
import { isPattern } from '../identity-tokens/claims.ts';
import { PRESET_NAMES } from '../identity-tokens/presets.ts';
import { closest } from '../lib/closest.ts';
import { type Logins, loginKey } from '../lib/logins.ts';
import { present } from '../lib/present.ts';
import { also, type Check, membersAt, ownIds, type Path } from './also.ts';
import {
  type CheckContext,
  checkFile,
  checkKey,
  checkSource,
  checkSources,
  oneCaseEach,
  onePersonEach,
} from './file-checks.ts';
import { tokenRules } from './token-rules.ts';
import {
  A_LIST,
  announcePlace,
  callbackAddress,
  catalogueId,
  channelId,
  displayName,
  duration,
  entryName,
  flag,
  groupId,
  headerName,
  issuerAddress,
  linkWith,
  list,
  loginName,
  type NamedPeople,
  oneOf,
  pathId,
  pathName,
  pathPrefix,
  type Reviewers,
  robotName,
  routeName,
  systemName,
  teamId,
  text,
  userId,
  variableName,
  wholeNumber,
} from './values.ts';

/** For people unknown to the service: `require` refuses them, `omit` sends no user id. */
export type IdentityRule = 'require' | 'omit';

/** What the schema of gatepost.yaml depends on. */
interface FileContext extends CheckContext {
  /** Names of all routes. */
  readonly routes: readonly string[];
  /** Ids of all projects that are in the catalogue, or that a source describes. */
  readonly projects: readonly unknown[];
  /** The default for routes, moves and test cases. */
  readonly identity: IdentityRule;
  readonly rules: RouteRules;
}

/** What features add to a route, which is known only to them: each adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface RouteMembers {}

/** How to read each of them. */
export type RoutePieces = { readonly [Key in keyof RouteMembers]: z.ZodType<RouteMembers[Key]> } & {
  /** More than yes and no. */
  readonly selfApproval?: z.ZodType<SelfApproval>;
};

/** loud: once everybody else was told. */
type SelfApproval = boolean | 'loud';

/** What features say of routes. It is handed in (`app/configuration.ts`). */
export interface RouteRules {
  readonly pieces: RoutePieces;
  /** What a whole route has to comply with, in order. */
  readonly checks: readonly RouteCheck[];
  /** Everybody who can decide, now or later. */
  everybodyOn(route: RouteSection): Reviewers;
}

export interface RouteCheck {
  /** The key that is wrong otherwise. */
  readonly path: string;
  readonly error: string;
  holds(route: RouteSection): boolean;
}

/** Gatepost.yaml, and all that its keys have to comply with. */
export function fileSchema(context: FileContext) {
  return also(section(fileShape(context)), (file, note) => checkFile(file, note, context));
}

/**
 * The shape of gatepost.yaml, with its defaults. docs/configuration.md has a row for each key. A key without a value
 * counts as missing.
 */
export function fileShape(context: FileContext) {
  const { identity, noKey, projects, rules } = context;
  const known = text.refine((id) => projects.includes(id), NOT_LISTED);
  const who = also(people, (named, note) => checkKey(named, note, context)).prefault({});
  return {
    sources: list(sourceSection(context), (sources, note) => checkSources(sources, note, context)),
    routes: names(routeSection(identity, rules), { key: routeName }),
    identity: section({
      userId: oneOf('id', 'externalId', 'none').default('id'),
      emails: oneOf('confirmed', 'any').default('confirmed'),
      overrides: names(text, { key: userId, check: onePersonEach }),
      /** Slack user ids by system and login there; under `email` by address. */
      logins: names(names(userId, { key: loginName, check: oneCaseEach }), {
        key: systemName,
      }).transform(byLoginKey),
      /** Robots and schedules that count as known requesters, as `system:login`. */
      robots: list(robotName.transform(robotKey)),
    }).prefault({}),
    teams: list(teamId),
    administrators: section(somebody).prefault({}),
    budget: section({ perMinute: wholeNumber(1, 100_000).default(240) }).prefault({}),
    watch: section({ maxAge: duration.prefault('7d') }).prefault({}),
    retention: section({
      done: duration.prefault('30d'),
      decided: duration.prefault('7d'),
      audit: duration.prefault('400d'),
    })
      .transform(({ done, decided, audit }) => ({
        doneMs: done,
        /** At most `doneMs`. */
        decidedMs: Math.min(decided, done),
        auditMs: audit,
      }))
      .prefault({}),
    /** Names that the interface does not specify; see `defaultDialect` for the defaults. */
    dialect: section({
      approval: section({
        status: text.optional(),
        prompt: text.optional(),
        resolvedAt: text.optional(),
        auth: oneOf('none', 'bearer')
          .refine((auth) => auth === 'none' || noKey === null, noKey ?? '')
          .default('none'),
      })
        .transform(present)
        .prefault({}),
      task: section({
        /** Starts with a slash, and does not end with one. */
        path: pathPrefix.refine(() => noKey === null, noKey ?? ''),
        item: text.optional(),
        id: text.optional(),
        key: text.optional(),
        title: text.optional(),
        updatedAt: text.optional(),
        status: text.optional(),
        projectId: text.optional(),
        subItems: text.optional(),
      })
        .transform(present)
        .optional(),
    })
      .transform(present)
      .prefault({}),
    move: section({
      /** Where a work item is read before a move. */
      source: oneOf('push', 'http', 'manual', 'none').default('none'),
      /** Who can move items between all projects. */
      who: who,
      /** Who else can, between some projects, by id; an empty list stands for all. */
      rules: list(section({ from: list(known), to: list(known), who: who })),
      /** Ids of the projects that items can be moved between; empty: all in the catalogue. */
      projects: list(known),
      /** What happens to a move by a person unknown to the service. */
      identity: oneOf('require', 'omit').default(identity),
      announce: announcePlace.default(true),
    }).prefault({}),
    cases: section({
      who: who,
      /** What happens to a test case by a person unknown to the service. */
      identity: oneOf('require', 'omit').default(identity),
      announce: announcePlace.default(true),
    }).prefault({}),
    /** Whether administrators are told when a member who is deactivated in Slack still has an account. */
    accounts: section({ tellOfLeavers: flag.default(false) }).prefault({}),
    catalogue: section({
      projects: list(
        section({
          ...naming,
          /** The slug of its Space. */
          space: text.nullable().default(null),
          /** Its own slug, as in links. */
          slug: text.nullable().default(null),
          /** Of its default workflow. */
          statuses: list(named, ownIds('statuses')),
          /** A type without its own statuses has its project's. */
          types: list(
            section({ ...naming, statuses: list(named, ownIds('statuses')) }),
            ownIds('types'),
          ),
        }),
        ownIds('projects'),
      ),
      /** `space`: the slug of its Space. */
      testProjects: list(
        section({ id: pathId, name: text, space: pathName, suites: list(named, ownIds('suites')) }),
        ownIds('testProjects'),
      ),
    }).prefault({}),
    /** With `{key}` or `{id}`, and optionally slugs; null: moved or created items are not linked. */
    links: section({
      task: linkWith('key', ['spaceSlug', 'projectSlug']).nullable().default(null),
      testCase: linkWith('id', ['testProjectId']).nullable().default(null),
    }).prefault({}),
  };
}

const NOT_LISTED = 'is an id neither in catalogue.projects nor in the projects of a source';

type Shape = ReturnType<typeof fileShape>;
export type FileSettings = { readonly [Key in keyof Shape]: z.output<Shape[Key]> };

/**
 * JSON Schema of gatepost.yaml (draft 7, which editors support). Without rules that depend on the environment or other
 * keys, such as route names and unique ids; `start` and `doctor` check everything.
 */
export function jsonSchemaOfFile(rules: RouteRules): object {
  return z.toJSONSchema(z.strictObject(fileShape({ ...BARE, rules })), {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema: written }) {
      delete written.readOnly;
      // The default depends on SCIM_TOKEN.
      if (written.enum?.includes('omit')) delete written.default;
    },
  });
}

/** The keys alone, whatever is around them. */
export const BARE: Omit<FileContext, 'rules'> = {
  routes: [],
  projects: [],
  identity: 'omit',
  noKey: null,
  hasService: true,
  own: undefined,
  secretsOf: () => ({ secrets: [] }),
  readFile: () => '',
  isAltered: () => false,
};

const HOLDS_KEYS = 'must be a mapping of keys to values';

/** An object with these keys only. Each unknown key is a separate issue, in order. The result is frozen. */
export function section<Of extends z.core.$ZodLooseShape>(shape: Of) {
  const known = Object.keys(shape);
  const keys = z.strictObject(shape, {
    error: (issue) => {
      if (issue.input === undefined) return 'is required';
      if (issue.code !== 'unrecognized_keys') return HOLDS_KEYS;
      return issue.keys.map((key) => unknownKeyProblem(key, known)).join('\n');
    },
  });
  return keys.readonly();
}

/** The problem with an unknown key. */
function unknownKeyProblem(key: string, known: readonly string[]): string {
  const near = closest(key, known);
  return near === undefined
    ? `is not known: choose from ${known.join(', ')}`
    : `is not known: did you mean ${near}?`;
}

/** The problem with a key that belongs in another place of the file; undefined: in none. */
export function misplacedKeyProblem(
  key: string,
  [top, route]: Path,
  rules: RouteRules,
): string | undefined {
  const isInRoute = top === 'routes' && route !== undefined;
  if (!isInRoute && Object.hasOwn(routeShape('omit', rules.pieces), key))
    return `is not known here: ${OF_ROUTE}`;
  return Object.hasOwn(fileShape({ ...BARE, rules }), key)
    ? `is not known here: ${OF_FILE}`
    : undefined;
}

const OF_ROUTE = 'it is a key of a route, so indent it under routes and the name of the route';
const OF_FILE = 'it is a key of the whole file, so do not indent it';

/** Entries under names that people choose, which comply with `key`. `check`: see `also`. */
function names<Item extends z.ZodType>(
  item: Item,
  { key, check = () => {} }: { readonly key?: z.ZodType<string>; readonly check?: Check } = {},
) {
  const entries = z.record(z.string(), item, { error: HOLDS_KEYS });
  return also(entries, (value, note) => {
    for (const name of Object.keys(membersAt(value)))
      for (const { message } of key?.safeParse(name).error?.issues ?? []) note([name], message);
    check(value, note);
  }).prefault({});
}

function byLoginKey(logins: Readonly<Record<string, Readonly<Record<string, string>>>>): Logins {
  const all = Object.entries(logins).flatMap(([at, people]) =>
    Object.entries(people).map(([login, user]) => [loginKey({ login, at }), user] as const),
  );
  return Object.fromEntries(all);
}

function robotKey(robot: string): string {
  const end = robot.indexOf(':');
  return loginKey({ at: robot.slice(0, end), login: robot.slice(end + 1) });
}

const naming = { id: catalogueId, name: text };
const named = section(naming);

export const somebody = { users: list(userId), groups: list(groupId) };

/** People and groups, and at least one of them. */
export function notNobody<Of extends z.ZodType<NamedPeople>>(named: Of): Of {
  return named.refine(isSomebody, { error: 'must name at least one person or group' });
}

function isSomebody({ users, groups }: NamedPeople): boolean {
  return users.length + groups.length > 0;
}

const people = section({ ...somebody, channel: flag.default(false) });

/** Whether it names anybody. */
export function isAnybody(named: Reviewers): boolean {
  return isSomebody(named) || named.channel;
}

const CLAIM = 'must be a text or a list of texts, each with a * only at its end, after "/" or ":"';
const claimValue = z
  .union([z.string(), z.number(), z.boolean()], { error: CLAIM })
  .transform(String)
  .refine((value) => value !== '' && isPattern(value), { error: CLAIM });

/** The identity tokens that a source takes. */
const oidcSection = section({
  preset: oneOf(...PRESET_NAMES).optional(),
  issuer: issuerAddress.optional(),
  audience: text,
  /** Each claim has to have one of these values. */
  claims: names(
    z.union([z.array(claimValue).min(1, CLAIM), claimValue.transform((value) => [value])], {
      error: CLAIM,
    }),
  ),
  /** Files: the issuer's keys, and the certificates of its authority. */
  jwksFile: text.nullable().default(null),
  ca: text.nullable().default(null),
});

/** All of them are read every few seconds. */
const DESCRIBED_MAX = 200;

function sourceSection(context: FileContext) {
  const keys = section({
    id: entryName,
    name: displayName.optional(),
    auth: oneOf('bearer', 'header', 'standard-webhooks', 'oidc', 'path').default('bearer'),
    header: headerName.optional().meta({ default: 'X-Webhook-Secret' }),
    /** Required but with `auth: oidc`: see `oidc-sources.ts`. */
    secret: variableName.optional(),
    oidc: oidcSection.transform((oidc, issues) => tokenRules(oidc, issues, context)).optional(),
    routes: list(knownRoute(context.routes)),
    channels: list(channelId),
    kinds: list(oneOf('approval', 'gate', 'task', 'catalogue')),
    /** With kind `catalogue`: ids of the projects and test projects it may describe. */
    projects: z
      .array(catalogueId, { error: A_LIST })
      .refine((ids) => ids.length <= DESCRIBED_MAX, {
        error: `must have at most ${DESCRIBED_MAX} ids`,
      })
      .readonly()
      .prefault([]),
    agents: flag.default(true),
    callback: section({ url: callbackAddress, secret: variableName })
      .transform(({ url, secret }, issues) => {
        const { secrets, problem } = context.secretsOf(secret, 'standard-webhooks');
        if (problem !== undefined)
          issues.addIssue({ code: 'custom', path: ['secret'], message: problem });
        return { url, secret, secrets };
      })
      .optional(),
  });
  return also(keys, (source, note) => checkSource(source, note, context));
}

function knownRoute(routes: readonly string[]) {
  return z
    .unknown()
    .meta({ type: 'string' })
    .transform((value, context): string => {
      const name = routes.find((each) => each === value);
      if (name !== undefined) return name;
      const near = typeof value === 'string' ? closest(value, routes) : undefined;
      const known = routes.length === 0 ? 'none is configured' : routes.join(', ');
      const next = near === undefined ? known : `did you mean ${near}?`;
      context.addIssue(
        value === undefined ? 'is required' : `must be the name of a route: ${next}`,
      );
      return '';
    });
}

const reasonRule = oneOf('none', 'optional', 'required');

/** A route, with its defaults; the route from the environment is parsed with it too. */
export function routeSection(identity: IdentityRule, { pieces, checks }: RouteRules) {
  return checks
    .reduce(
      (route, { path, error, holds }) => route.refine(holds, { path: [path], error }),
      section(routeShape(identity, pieces)),
    )
    .prefault({} as never); // as: without its channel it is an issue
}

function routeShape(identity: IdentityRule, pieces: RoutePieces) {
  const { selfApproval = flag.default(false), ...others } = pieces;
  return {
    channel: channelId,
    /** Where the outcome is announced, in addition to the message. */
    outcomes: section({
      thread: flag.default(true),
      channel: channelId.nullable().default(null),
      requester: flag.default(true),
    }).prefault({}),
    reviewers: people.prefault({}),
    quorum: wholeNumber(1, 100).default(1),
    ...others,
    selfApproval,
    guests: flag.default(false),
    /** known, verified: a request whose requester is not is refused. */
    requester: oneOf('any', 'known', 'verified').default('any'),
    reason: section({
      approve: reasonRule.default('none'),
      reject: reasonRule.default('optional'),
    }).prefault({}),
    /** Slack asks for confirmation before an approval counts. */
    confirm: flag.default(false),
    /** Several requests can be decided at once on the Home tab. */
    several: flag.default(false),
    /** What happens to a ballot by a person unknown to the service. */
    identity: oneOf('require', 'omit').default(identity),
    /** Reminders in the thread: the first after this time, and each later one after twice the last. */
    remind: section({
      after: duration.nullable().default(null),
      times: wholeNumber(1, 10).optional().meta({ default: 3 }),
    })
      .refine(({ after, times }) => after !== null || times === undefined, {
        path: ['times'],
        error: 'needs after',
      })
      .transform(({ after, times = 3 }) => ({ afterMs: after, times }))
      .prefault({}),
  };
}

/** Where an approval is posted, and who can decide it. */
export type RouteSection = z.output<z.ZodReadonly<z.ZodObject<ReturnType<typeof routeShape>>>>;
