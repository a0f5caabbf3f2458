/**
 * What exists: one row for each feature, with its commands and kinds of records. Everything that treats features alike
 * reads this table; `wiring.ts` says what runs for each row. Commands that need no feature load it too, so it loads
 * none.
 */

import type { Config, IdentityRule, NamedPeople, Route } from '../core/config/config.ts';
import { DONE } from '../operations/accounts/change.ts';
import {
  ALERT_ENTRIES,
  APPROVAL_ENTRIES,
  type Entries,
  type Entry,
  type OperationWords,
  OWN_ENTRIES,
  operationEntries,
} from './entries.ts';

export interface Feature {
  /** Its own folder of `src`. */
  readonly files: string;
  /** What the ids of its buttons and forms, and the actions of its entries in the audit log begin with. */
  readonly prefix: string;
  /** Its kinds of records. */
  readonly kinds: readonly string[];
  /** Absent: nobody uses it from Slack. */
  readonly slack?: SlackPart;
  /** Whom the configuration names for it. */
  readonly rolesIn?: (config: Config, decidersOf: (route: Route) => NamedPeople) => readonly Role[];
  /** The channels where the configuration has it post. */
  readonly channelsIn?: (config: Config) => readonly string[];
  /** What a person reads who uses it while no service is configured; absent: it needs none. */
  readonly off?: string;
  /** What one person asks the service to do once. */
  readonly operation?: OperationWords;
  /** Its other entries in the audit log, where more is said about them than their facts. */
  readonly entries?: Entries;
  /** Commands of the command line for operators, and what each does. */
  readonly operates?: Readonly<Record<string, string>>;
  /** The command line writes such entries too, without a signature if it has no keys. */
  readonly isWrittenByCommands?: true;
}

/** What the configuration names people for. */
export interface Role {
  readonly does: string;
  /** The route. */
  readonly on?: string;
  readonly who: NamedPeople;
  readonly guests: boolean;
  /** null: needs no account in the service. */
  readonly identity: IdentityRule | null;
}

/** The parts of `manifest.yml` for one feature; everything else, and all scopes, is needed by approvals. */
interface SlackPart {
  /** For the app's description; null: not mentioned. */
  readonly does: string | null;
  readonly commands: readonly string[];
  /** By callback id. */
  readonly shortcuts: readonly string[];
  readonly events: readonly string[];
  /** Whether its forms have lists that Slack loads. */
  readonly hasOptions: boolean;
}

const TABLE = {
  approvals: {
    files: 'approvals',
    prefix: 'approvals',
    kinds: ['approval', 'home', 'several', 'absence', 'closing'],
    slack: {
      does: 'Decide on waiting automations',
      commands: ['/approvals'],
      shortcuts: [],
      events: [
        'app_home_opened',
        'channel_unarchive',
        'group_unarchive',
        'member_joined_channel',
        'user_change',
      ],
      hasOptions: false,
    },
    rolesIn: ({ routes }, decidersOf) =>
      routes.map((route) => {
        const { name: on, guests, identity } = route;
        return { does: 'decide', on, who: decidersOf(route), guests, identity };
      }),
    channelsIn: ({ routes, sources }) => [
      ...routes.flatMap(({ channel, outcomes }) => [channel, outcomes.channel ?? []].flat()),
      ...sources.flatMap(({ channels }) => channels),
    ],
    entries: APPROVAL_ENTRIES,
    operates: {
      close: "close a route: nobody can approve until then; needs the bot's settings",
      open: "open a route that somebody closed; needs the bot's settings",
    },
  },
  accounts: {
    files: 'operations/accounts',
    prefix: 'people',
    kinds: ['account-change'],
    slack: {
      does: null,
      commands: ['/people'],
      shortcuts: [],
      events: ['user_change'],
      hasOptions: false,
    },
    rolesIn: ({ administrators: who }) => [
      { does: 'manage accounts', who, guests: false, identity: null },
    ],
    off: 'Looking up and managing accounts is off until the person who runs Gatepost sets SERVICE_URL and SCIM_TOKEN.',
    operation: {
      action: 'people',
      what: 'account',
      done: 'changed',
      otherwise: 'no change is confirmed',
      success: DONE,
    },
    isWrittenByCommands: true,
  },
  tasks: {
    files: 'operations/tasks',
    prefix: 'tasks',
    kinds: ['move', 'move-batch', 'snapshot'],
    slack: {
      does: 'move work items',
      commands: ['/move-task'],
      shortcuts: ['tasks.move'],
      events: [],
      hasOptions: true,
    },
    rolesIn: ({ move: { who, rules, identity } }) =>
      [who, ...rules.map((rule) => rule.who)].map((who) => {
        return { does: 'move work items', who, guests: false, identity };
      }),
    channelsIn: ({ move }) => announcedIn(move),
    off: 'Moving work items is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.',
    operation: {
      action: 'tasks.move',
      what: 'move',
      done: 'moved',
      otherwise: 'no move is confirmed',
      success: ['moved', 'found-moved'],
    },
  },
  'test-cases': {
    files: 'operations/test-cases',
    prefix: 'test-cases',
    kinds: ['test-case', 'test-case-batch'],
    slack: {
      does: 'create test cases',
      commands: ['/new-case'],
      shortcuts: ['test-cases.create'],
      events: [],
      hasOptions: true,
    },
    rolesIn: ({ cases: { who, identity } }) => [
      { does: 'create test cases', who, guests: false, identity },
    ],
    channelsIn: ({ cases }) => announcedIn(cases),
    off: 'Creating test cases is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.',
    operation: {
      action: 'test-cases',
      what: 'test-case',
      done: 'created',
      otherwise: 'no test case is confirmed',
      success: ['created'],
    },
  },
  catalogue: {
    files: 'operations/catalogue',
    prefix: 'catalogue',
    kinds: [],
  },
  // Not features, but parts of the core and the program itself.
  alerts: { files: 'core/alerts', prefix: 'alerts', kinds: ['alert'], entries: ALERT_ENTRIES },
  gatepost: { files: 'app', prefix: 'gatepost', kinds: [], entries: OWN_ENTRIES },
} as const satisfies Readonly<Record<string, Feature>>;

function announcedIn({ announce }: Config['move' | 'cases']): readonly string[] {
  return typeof announce === 'string' ? [announce] : [];
}

export type FeatureName = keyof typeof TABLE;

export type KindOf<Name extends FeatureName> = (typeof TABLE)[Name]['kinds'][number];

export const FEATURES: Readonly<Record<FeatureName, Feature>> = TABLE;

// as: the keys of the table
export const FEATURE_NAMES = Object.keys(TABLE) as readonly FeatureName[];

export const ROWS: readonly Feature[] = Object.values(TABLE);

/** Commands for operators, and what each does. */
export const OPERATES: Readonly<Record<string, string>> = Object.assign(
  {},
  ...ROWS.map(({ operates }) => operates),
);

/**
 * The feature that a command, an id in Slack (of a button, a form, a shortcut) or an action in the audit log belongs
 * to; undefined: none that this version has.
 */
export function featureOf(id: string): Feature | undefined {
  const [prefix] = id.split('.', 1);
  return ROWS.find((row) => row.prefix === prefix || row.slack?.commands.includes(id));
}

/** Whether entries with this action are always signed: the bot does not start without keys. */
export function isAlwaysSigned(action: string): boolean {
  const row = featureOf(action);
  return row !== undefined && row.isWrittenByCommands !== true;
}

const ENTRIES = new Map(
  ROWS.flatMap(({ operation, entries }) => [
    ...Object.entries(entries ?? {}),
    ...(operation === undefined ? [] : Object.entries(operationEntries(operation))),
  ]),
);

/** What is said about entries with this action; undefined: no more than their facts. */
export function entryOf(action: string): Entry | undefined {
  return ENTRIES.get(action);
}
