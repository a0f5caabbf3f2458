import type { NewAuditEntry } from '../core/store/store.ts';
import type { OwnFacts } from './logger.ts';

/** What is said about entries of the audit log with this action. */
export interface Entry {
  /** Their lines of the log at level info; absent: they are not logged. */
  readonly line?: (facts: Facts, actor: string) => LogLine;
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
  const end: Entry['line'] = ({ outcome, refusal, line: number }, user) => {
    const code = String(outcome ?? 'not-allowed');
    const facts = { what, user, result: code, code: refusal, line: number };
    return line(success.includes(code) ? done : otherwise, facts);
  };
  return {
    [`${action}.asked`]: { line: (_, user) => line('asked', { what, user }) },
    [`${action}.send`]: {
      line: ({ line: number }, user) => line('sent', { what, user, line: number }),
    },
    [`${action}.outcome`]: { line: end },
    [`${action}.refused`]: { line: end },
    [`${action}.post`]: { line: ({ post, channel }) => line('posted', { what, post, channel }) },
  };
}

export const APPROVAL_ENTRIES: Entries = {
  'approvals.asked': {
    line: ({ route, channel }, source) =>
      line('asked', { what: 'approval', source, route, channel }),
  },
  'approvals.post': {
    line: ({ post, channel }) => line('posted', { what: 'approval', post, channel }),
  },
  'approvals.ballot': {
    line: ({ action, refused }, user) =>
      line('pressed', {
        what: 'approval',
        action,
        user,
        result: refused === undefined ? 'accepted' : 'refused',
        code: refused,
      }),
  },
  'approvals.respond': {
    line: ({ action }, user) => line('sent', { what: 'approval', action, user }),
  },
  'approvals.outcome': {
    line: ({ status, credit, route, tookMs }) =>
      line('outcome', { what: 'approval', status, credit, route, tookMs }),
  },
  'approvals.withdrawn': {
    line: (_, source) => line('withdrawn', { what: 'approval', source }),
  },
};

export const ALERT_ENTRIES: Entries = {
  'alerts.raised': { line: ({ about }) => line('alert', { about }) },
};

/** Members that are undefined are not logged. */
function line(message: string, facts: OwnFacts): LogLine {
  return { message, facts };
}
