import type { NewAuditEntry } from '../core/store/store.ts';
import { DONE } from '../operations/accounts/change.ts';
import type { OwnFacts } from './logger.ts';

interface LogLine {
  /** Constant: listed in docs/logs-and-metrics.md. */
  readonly message: string;
  /** Ids and words of the code: no titles or other people's text. */
  readonly facts: OwnFacts;
}

type Facts = NewAuditEntry['facts'];
type Row = (facts: Facts, actor: string) => LogLine;

/** Log lines at level info for entries of the audit log, by action; others are not logged. */
const LINES: Readonly<Record<string, Row>> = {
  'approvals.asked': ({ route, channel }, source) =>
    line('asked', { what: 'approval', source, route, channel }),
  'approvals.post': ({ post, channel }) => line('posted', { what: 'approval', post, channel }),
  'approvals.ballot': ({ action, refused }, user) =>
    line('pressed', {
      what: 'approval',
      action,
      user,
      result: refused === undefined ? 'accepted' : 'refused',
      code: refused,
    }),
  'approvals.respond': ({ action }, user) => line('sent', { what: 'approval', action, user }),
  'approvals.outcome': ({ status, credit, route, tookMs }) =>
    line('outcome', { what: 'approval', status, credit, route, tookMs }),
  'approvals.withdrawn': (_, source) => line('withdrawn', { what: 'approval', source }),
  'alerts.raised': ({ about }) => line('alert', { about }),
  ...operationLines('tasks.move', 'move', {
    done: 'moved',
    otherwise: 'no move is confirmed',
    codes: ['moved', 'found-moved'],
  }),
  ...operationLines('test-cases', 'test-case', {
    done: 'created',
    otherwise: 'no test case is confirmed',
    codes: ['created'],
  }),
  ...operationLines('people', 'account', {
    done: 'changed',
    otherwise: 'no change is confirmed',
    codes: DONE,
  }),
};

/** undefined: not logged. */
export function logLineOf({ action, facts, actor }: NewAuditEntry): LogLine | undefined {
  return LINES[action]?.(facts, actor);
}

/** Lines of an operation: `codes` are the outcomes that mean success. */
function operationLines(
  prefix: string,
  what: string,
  { done, otherwise, codes }: { done: string; otherwise: string; codes: readonly string[] },
): Record<string, Row> {
  const end: Row = ({ outcome, refusal, line: number }, user) => {
    const code = String(outcome ?? 'not-allowed');
    const facts = { what, user, result: code, code: refusal, line: number };
    return line(codes.includes(code) ? done : otherwise, facts);
  };
  return {
    [`${prefix}.asked`]: (_, user) => line('asked', { what, user }),
    [`${prefix}.send`]: ({ line: number }, user) => line('sent', { what, user, line: number }),
    [`${prefix}.outcome`]: end,
    [`${prefix}.refused`]: end,
    [`${prefix}.post`]: ({ post, channel }) => line('posted', { what, post, channel }),
  };
}

/** Members that are undefined are not logged. */
function line(message: string, facts: OwnFacts): LogLine {
  return { message, facts };
}
