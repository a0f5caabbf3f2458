import * as z from 'zod';
import { isPattern } from '../identity-tokens/claims.ts';
import { PRESET_NAMES } from '../identity-tokens/presets.ts';
import { closest } from '../lib/closest.ts';
import {
  canBeCovered,
  GROUPS_MAX,
  hasFewGroups,
  PLACES_MAX,
  type Place,
  withMore,
} from './places.ts';
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
  type NamedPeople,
  needName,
  oneOf,
  pathId,
  pathName,
  pathPrefix,
  type Reviewers,
  robotName,
  shortDuration,
  teamId,
  text,
  union,
  userId,
  variableName,
  wholeNumber,
} from './values.ts';

/** For people unknown to the service: `require` refuses them, `omit` sends no user id. */
export type IdentityRule = 'require' | 'omit';

/** What the rules of gatepost.yaml depend on. */
interface FileContext {
  /** Names of all routes. */
  readonly routes: readonly string[];
  /** The default for routes, moves and test cases. */
  readonly identity: IdentityRule;
  /** What has to be set before SERVICE_API_KEY can be used; null: nothing. */
  readonly noKey: string | null;
}

/**
 * The shape of gatepost.yaml, with its defaults. docs/configuration.md has a row for each key. A key without a value
 * counts as missing.
 */
export function fileShape({ routes, identity, noKey }: FileContext) {
  return {
    sources: list(sourceSection(routes)),
    routes: names(routeSection(identity)),
    identity: section({
      userId: oneOf('id', 'externalId', 'none').default('id'),
      emails: oneOf('confirmed', 'any').default('confirmed'),
      overrides: names(text),
      /** Slack user ids by system and login there; under `email` by address. */
      logins: names(names(userId)),
      /** Robots and schedules that count as known requesters, as `system:login`. */
      robots: list(robotName),
    }).prefault({}),
    teams: list(teamId),
    administrators: section(somebody).prefault({}),
    budget: section({ perMinute: wholeNumber(1, 100_000).default(240) }).prefault({}),
    watch: section({ maxAge: duration.prefault('7d') }).prefault({}),
    retention: section({
      done: duration.prefault('30d'),
      decided: duration.prefault('7d'),
      audit: duration.prefault('400d'),
    }).prefault({}),
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
      who: people,
      /** Who else can, between some projects, by id; an empty list stands for all. */
      rules: list(section({ from: list(text), to: list(text), who: people })),
      /** Ids of the projects that items can be moved between; empty: all in the catalogue. */
      projects: list(text),
      /** What happens to a move by a person unknown to the service. */
      identity: oneOf('require', 'omit').default(identity),
      announce: announcePlace.default(true),
    }).prefault({}),
    cases: section({
      who: people,
      /** What happens to a test case by a person unknown to the service. */
      identity: oneOf('require', 'omit').default(identity),
      announce: announcePlace.default(true),
    }).prefault({}),
    /** Whether administrators are told when a member who is deactivated in Slack still has an account. */
    accounts: section({ tellOfLeavers: flag.default(false) }).prefault({}),
    catalogue: section({
      projects: list(
        section({
          id: catalogueId,
          name: text,
          /** The slug of its Space. */
          space: text.nullable().default(null),
          /** Its own slug, as in links. */
          slug: text.nullable().default(null),
          /** Of its default workflow. */
          statuses: list(named),
          /** A type without its own statuses has its project's. */
          types: list(section({ id: catalogueId, name: text, statuses: list(named) })),
        }),
      ),
      /** `space`: the slug of its Space. */
      testProjects: list(section({ id: pathId, name: text, space: pathName, suites: list(named) })),
    }).prefault({}),
    /** With `{key}` or `{id}`, and optionally slugs; null: moved or created items are not linked. */
    links: section({
      task: linkWith('key', ['spaceSlug', 'projectSlug']).nullable().default(null),
      testCase: linkWith('id', ['testProjectId']).nullable().default(null),
    }).prefault({}),
  };
}

type Shape = ReturnType<typeof fileShape>;
export type FileSettings = { readonly [Key in keyof Shape]: z.output<Shape[Key]> };

/**
 * JSON Schema of gatepost.yaml (draft 7, which editors support). Without rules that depend on the environment or other
 * keys, such as route names and unique ids; `start` and `doctor` check everything.
 */
export function jsonSchemaOfFile(): object {
  const shape = fileShape({ routes: [], identity: 'omit', noKey: null });
  return z.toJSONSchema(z.strictObject(shape), {
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

export const HOLDS_KEYS = 'must be a mapping of keys to values';

/** An object with these keys only. Each unknown key is a separate issue, in order. The result is frozen. */
function section<Of extends z.core.$ZodLooseShape>(shape: Of) {
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
export function unknownKeyProblem(key: string, known: readonly string[]): string {
  const home = HOMES.find(({ keys }) => keys().includes(key));
  if (home !== undefined) return `is not known here: ${home.where}`;
  const near = closest(key, known);
  return near === undefined
    ? `is not known: choose from ${known.join(', ')}`
    : `is not known: did you mean ${near}?`;
}

/** Where a key belongs that is in another place. */
const HOMES: readonly { readonly keys: () => readonly string[]; readonly where: string }[] = [
  {
    keys: () => Object.keys(routeShape('omit')),
    where: 'it is a key of a route, so indent it under routes and the name of the route',
  },
  {
    keys: () => Object.keys(fileShape({ routes: [], identity: 'omit', noKey: null })),
    where: 'it is a key of the whole file, so do not indent it',
  },
];

type Present<Names> = {
  readonly [Name in keyof Names as undefined extends Names[Name] ? never : Name]: Names[Name];
} & {
  readonly [Name in keyof Names as undefined extends Names[Name] ? Name : never]?: Exclude<
    Names[Name],
    undefined
  >;
};

/** Without missing names, so that the rest can override defaults. */
function present<Names extends object>(names: Names): Present<Names> {
  const given = Object.entries(names).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Present<Names>; // as: only optional members are missing
}

/** Entries under names that people choose; `checkFile` checks the names. */
function names<Item extends z.ZodType>(item: Item) {
  return z.record(z.string(), item, { error: HOLDS_KEYS }).prefault({});
}

const named = section({ id: catalogueId, name: text });

const somebody = { users: list(userId), groups: list(groupId) };
const NOBODY = 'must name at least one person or group';

function isSomebody({ users, groups }: NamedPeople): boolean {
  return users.length + groups.length > 0;
}

const people = section({ ...somebody, channel: flag.default(false) }).prefault({});

const STEPS_MAX = 5;

/** A number of these people have to approve. */
const needSection = section({
  name: needName,
  of: section(somebody).refine(isSomebody, { error: NOBODY }),
  count: wholeNumber(1, 100).default(1),
});

/** Additional people who can decide after a while. */
const escalationSection = section({
  after: duration,
  to: section({
    ...somebody,
    /** Which of the route's needs they can fill; undefined: any. */
    needs: z.array(text, { error: A_LIST }).readonly().optional(),
  }).refine(isSomebody, { error: NOBODY }),
});

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
    z.union([z.array(claimValue).min(1), claimValue.transform((value) => [value])], {
      error: CLAIM,
    }),
  ),
  /** Files: the issuer's keys, and the certificates of its authority. */
  jwksFile: text.nullable().default(null),
  ca: text.nullable().default(null),
});

export type OidcSection = z.output<typeof oidcSection>;

function sourceSection(routes: readonly string[]) {
  return section({
    id: entryName,
    name: displayName.optional(),
    auth: oneOf('bearer', 'header', 'standard-webhooks', 'oidc', 'path').default('bearer'),
    header: headerName.default('X-Webhook-Secret'),
    /** Required but with `auth: oidc`: see `oidc-sources.ts`. */
    secret: variableName.optional(),
    oidc: oidcSection.optional(),
    routes: list(knownRoute(routes)),
    channels: list(channelId),
    kinds: list(oneOf('approval', 'gate', 'task')),
    agents: flag.default(true),
    callback: section({ url: callbackAddress, secret: variableName }).optional(),
  });
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
export function routeSection(identity: IdentityRule) {
  return section(routeShape(identity))
    .refine(hasEnoughReviewers, {
      path: ['quorum'],
      error: 'is greater than the number of reviewers',
    })
    .refine(hasNeedsNamed, {
      path: ['escalate'],
      error: 'names needs that the route does not have',
    })
    .refine(hasPeopleForNeeds, {
      path: ['need'],
      error: 'cannot be covered by different reviewers',
    })
    .prefault({} as never); // as: without its channel it is an issue
}

function routeShape(identity: IdentityRule) {
  return {
    channel: channelId,
    /** Where the outcome is announced, in addition to the message. */
    outcomes: section({
      thread: flag.default(true),
      channel: channelId.nullable().default(null),
      requester: flag.default(true),
    }).prefault({}),
    reviewers: people,
    quorum: wholeNumber(1, 100).default(1),
    /** Needs that different people have to fill, whatever the quorum. */
    need: list(needSection)
      .refine((needs) => new Set(needs.map(({ name }) => name)).size === needs.length, {
        error: 'must not use a name twice',
      })
      .refine((needs) => needs.length <= PLACES_MAX, {
        error: `must have at most ${PLACES_MAX} entries`,
      })
      .refine(hasFewGroups, { error: `must name at most ${GROUPS_MAX} groups` }),
    /** More people who can decide, and are asked, after a request has waited this long. */
    escalate: list(escalationSection)
      .refine(areInOrder, { error: 'must each have a later after than the one before' })
      .refine((steps) => steps.length <= STEPS_MAX, {
        error: `must have at most ${STEPS_MAX} entries`,
      })
      .refine((steps) => hasFewGroups(steps.map(({ to }) => ({ of: to }))), {
        error: `must name at most ${GROUPS_MAX} groups`,
      }),
    /** People who can decide but are not mentioned. */
    quiet: section(somebody).prefault({}),
    /** Absent people can name a substitute who decides for them. */
    substitutes: flag.default(false),
    /** How long an approval waits before it is sent, and can be undone. */
    hold: shortDuration.prefault('0s'),
    /** loud: for emergencies, only for own gates. Everybody else who can decide is told first. */
    selfApproval: z
      .union([flag, z.literal('loud')], { error: 'must be true, false or loud' })
      .default(false),
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
      times: wholeNumber(1, 10).default(3),
    })
      .transform(({ after, times }) => ({ afterMs: after, times }))
      .prefault({}),
  };
}

/** Where an approval is posted, and who can decide it. */
export type RouteSection = z.output<ReturnType<typeof routeSection>>;

type RouteEscalation = z.output<typeof escalationSection>;

/** The people a route names. */
interface Named {
  readonly reviewers: Reviewers;
  readonly quiet: NamedPeople;
  readonly escalate: readonly RouteEscalation[];
  readonly need: readonly Place[];
  readonly quorum: number;
}

/** No reviewers at all only causes a warning: that nobody can decide may be intended. */
function hasEnoughReviewers(route: Named): boolean {
  const all = allNamed(route);
  return all === undefined || all.length === 0 || route.quorum <= all.length;
}

function hasPeopleForNeeds(route: Named): boolean {
  const all = allNamed(route);
  const tos = route.escalate.map(({ to }) => to);
  return all?.length === 0 || canBeCovered(withMore(route.need, tos), all);
}

/** Everybody who can decide, now or later; undefined: also members of groups or a channel. */
function allNamed(route: Named): readonly string[] | undefined {
  const { users, groups, channel } = everybodyOn(route);
  return channel || groups.length > 0 ? undefined : users;
}

/** Everybody who can decide on a route, now or later. */
export function everybodyOn({
  reviewers,
  quiet,
  escalate,
}: Omit<Named, 'need' | 'quorum'>): Reviewers {
  return { ...reviewers, ...union(reviewers, quiet, ...escalate.map(({ to }) => to)) };
}

function areInOrder(steps: readonly RouteEscalation[]): boolean {
  return steps.every(({ after }, at) => at === 0 || after > (steps[at - 1]?.after ?? 0));
}

function hasNeedsNamed({ need, escalate }: Named): boolean {
  const names = need.map(({ name }) => name);
  return escalate.every(({ to }) => to.needs?.every((name) => names.includes(name)) ?? true);
}
