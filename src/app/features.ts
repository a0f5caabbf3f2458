/**
 * What exists: one row for each feature, with its commands and kinds of records. Everything that treats features alike
 * reads this table; `wiring.ts` says what runs for each row. Commands that need no feature load it too, so it loads
 * none.
 */

export interface Feature {
  /** Its own folder of `src`. */
  readonly files: string;
  /** What the ids of its buttons and forms, and the actions of its entries in the audit log begin with. */
  readonly prefix: string;
  /** Absent: nobody uses it from Slack. */
  readonly slack?: SlackPart;
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
  },
  accounts: {
    files: 'operations/accounts',
    prefix: 'people',
    slack: {
      does: null,
      commands: ['/people'],
      shortcuts: [],
      events: ['user_change'],
      hasOptions: false,
    },
  },
  tasks: {
    files: 'operations/tasks',
    prefix: 'tasks',
    slack: {
      does: 'move work items',
      commands: ['/move-task'],
      shortcuts: ['tasks.move'],
      events: [],
      hasOptions: true,
    },
  },
  'test-cases': {
    files: 'operations/test-cases',
    prefix: 'test-cases',
    slack: {
      does: 'create test cases',
      commands: ['/new-case'],
      shortcuts: ['test-cases.create'],
      events: [],
      hasOptions: true,
    },
  },
} as const satisfies Readonly<Record<string, Feature>>;

export type FeatureName = keyof typeof TABLE;

export const FEATURES: Readonly<Record<FeatureName, Feature>> = TABLE;
