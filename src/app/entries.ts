import { entitlement } from '../approvals/electorate/through.ts';
import type { Config } from '../core/config/config.ts';
import type { Metrics } from '../core/http/metrics.ts';
import type { NewAuditEntry } from '../core/store/store.ts';
import type { OwnFacts } from './logger.ts';

/** What becomes of entries of the audit log with this action. */
export interface Entry {
  /** Counts them in the metrics. */
  readonly count?: (facts: Facts, metrics: Metrics, config: Config) => void;
  /** Their lines of the log at level info; absent: they are not logged. */
  readonly line?: (facts: Facts, actor: string) => LogLine;
  /** In a few words; the person is in the next column of a list, and at the start of a story line. Absent: its facts. */
  readonly words?: (facts: Facts) => string;
}

/** By action. */
export type Entries = Readonly<Record<string, Entry>>;

type Facts = NewAuditEntry['facts'];

interface LogLine {
  /** Constant: listed in docs/logs-and-metrics.md. */
  readonly message: string;
  /** Ids and words of the code: no titles or other people's text. */
  readonly facts: OwnFacts;
}

/** How the log names what one person asks the service to do once. */
export interface OperationWords {
  /** What the actions of its entries begin with; counted as this kind. */
  readonly action: string;
  readonly what: string;
  /** Messages after success, and after anything else. */
  readonly done: string;
  readonly otherwise: string;
  /** The outcomes that mean success. */
  readonly success: readonly string[];
}

export function operationEntries({
  action,
  what,
  done,
  otherwise,
  success,
}: OperationWords): Entries {
  const codeOf = ({ outcome }: Facts) => String(outcome ?? 'not-allowed');
  const end: Entry = {
    count: (facts, metrics) => metrics.count('operation', { kind: action, result: codeOf(facts) }),
    line(facts, user) {
      const result = codeOf(facts);
      const { refusal: code, line: number } = facts;
      const message = success.includes(result) ? done : otherwise;
      return line(message, { what, user, result, code, line: number });
    },
  };
  return {
    [`${action}.asked`]: { line: (_, user) => line('asked', { what, user }) },
    [`${action}.send`]: {
      line: ({ line: number }, user) => line('sent', { what, user, line: number }),
    },
    [`${action}.outcome`]: end,
    [`${action}.refused`]: end,
    [`${action}.post`]: { line: ({ post, channel }) => line('posted', { what, post, channel }) },
  };
}

export const APPROVAL_ENTRIES: Entries = {
  'approvals.asked': {
    line: ({ route, channel }, source) =>
      line('asked', { what: 'approval', source, route, channel }),
    words: ({ route, channel }) => `asked for a decision on route ${route} in ${channel}`,
  },
  'approvals.post': {
    line: ({ post, channel }) => line('posted', { what: 'approval', post, channel }),
    words: ({ post, channel }) => `posted ${said(post)} in ${channel}`,
  },
  'approvals.ballot': {
    count: ({ refused }, metrics) =>
      metrics.count('ballot', { result: String(refused ?? 'accepted') }),
    line: ({ action, refused }, user) =>
      line('pressed', {
        what: 'approval',
        action,
        user,
        result: refused === undefined ? 'accepted' : 'refused',
        code: refused,
      }),
    words: ({ action, refused, through }) =>
      refused === undefined
        ? `pressed ${said(action)}: accepted${through === undefined ? '' : `, as ${entitlement(String(through))}`}`
        : `pressed ${said(action)}: refused (${said(refused)})`,
  },
  'approvals.respond': {
    line: ({ action }, user) => line('sent', { what: 'approval', action, user }),
    words: ({ action, serviceUser }) =>
      `about to send ${said(action)} to the service${serviceUser === null ? '' : ` as ${serviceUser}`}`,
  },
  'approvals.answered': {
    words: ({ answer, class: kind }) =>
      kind === undefined
        ? `the service answered ${answer}`
        : `result unknown: ${answer} (${said(kind)})`,
  },
  'approvals.outcome': {
    count({ status, credit, route, tookMs }, metrics, { routes }) {
      // Keeps the number of labels small.
      const name = routes.some((each) => each.name === route) ? String(route) : 'other';
      const labels = { status: String(status), credit: String(credit), route: name };
      metrics.count('outcome', labels);
      if (typeof tookMs === 'number') metrics.took('decision', { route: name }, tookMs);
    },
    line: ({ status, credit, route, tookMs }) =>
      line('outcome', { what: 'approval', status, credit, route, tookMs }),
    words: ({ status, credit, resolvedAt, authority }) =>
      authority === 'gatepost'
        ? `outcome ${status}, recorded by Gatepost${resolvedAt ? ` at ${resolvedAt}` : ''}`
        : `outcome ${status}${CREDITS[String(credit)] ?? ''}${resolvedAt ? `, at ${resolvedAt} by the service's clock` : ''}`,
  },
  'approvals.told': {
    words: ({ user, via, about, text }) =>
      `told ${user} (${WAYS[String(via)] ?? said(via)}; ${said(about)}): “${text}”`,
  },
  'approvals.blocked': {
    words: ({ channel, code }) => `could not post in ${channel} (${said(code)})`,
  },
  'approvals.taken-back': {
    words: ({ undone }) =>
      undone === undefined ? 'took back their approval' : `undid the decision of ${undone}`,
  },
  'approvals.self-approval': {
    words: () => 'approved their own request',
  },
  'approvals.self-approval.reviewed': {
    words: ({ of }) => `reviewed that ${of} approved their own request`,
  },
  'approvals.withdrawn': {
    line: (_, source) => line('withdrawn', { what: 'approval', source }),
    words: ({ supersededBy }) =>
      supersededBy === undefined
        ? 'withdrew the request'
        : `replaced the request by ${supersededBy}`,
  },
  'approvals.result': {
    words: ({ state, claimed }) =>
      claimed === true ? `claimed the approval for one run: ${state}` : `reported: ${state}`,
  },
  'approvals.away': {
    words: ({ until, substitute }) =>
      `is away until ${until}${substitute === null ? '' : `, with ${substitute} as substitute`}`,
  },
  'approvals.back': {
    words: () => 'is back',
  },
  'approvals.closed': {
    words: ({ route, until, why }) => `closed route ${route} until ${until}: ${why}`,
  },
  'approvals.opened': {
    words: ({ route, still }) =>
      still === undefined
        ? `opened route ${route}`
        : `ended a closing of route ${route}, which stays closed until ${still}`,
  },
  'approvals.substitute-declined': {
    words: ({ of }) => `declined to stand in for ${of}`,
  },
};

export const ALERT_ENTRIES: Entries = {
  'alerts.raised': {
    // It starts with two words of the code; an id may follow.
    count: ({ about }, metrics) =>
      metrics.count('alert', { cause: String(about).split('.').slice(0, 2).join('.') }),
    line: ({ about }) => line('alert', { about }),
    words: ({ about }) => `told administrators about ${said(about)}`,
  },
};

/** Of the program itself. */
export const OWN_ENTRIES: Entries = {
  'gatepost.rules': {
    words: ({ from, to }) => `took rules ${to} in place of ${from}`,
  },
  'gatepost.rules.text': {
    words: ({ digest, route }) =>
      `noted rules ${digest}: ${route === null ? 'who people are' : `route ${route}`}`,
  },
  'gatepost.start': {
    words: ({ version, config }) => `started version ${version} with settings ${config}`,
  },
  'gatepost.stop': {
    words: () => 'stopped',
  },
};

const said = (value: Facts[string] | undefined) => String(value ?? '').replaceAll('-', ' ');

const WAYS: Readonly<Record<string, string>> = {
  url: 'where they pressed',
  ephemeral: 'for them alone',
  direct: 'direct message',
};

const CREDITS: Readonly<Record<string, string>> = {
  certain: ', confirmed by the service',
  sent: ', after an answer was sent. The service did not say whose decision it accepted',
  none: ', decided elsewhere',
};

/** Members that are undefined are not logged. */
function line(message: string, facts: OwnFacts): LogLine {
  return { message, facts };
}
