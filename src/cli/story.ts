import { APPROVAL_KIND } from '../approvals/approval.ts';
import { cleanLine } from '../core/lib/clean-line.ts';
import type { AuditEntry, StoredRecord } from '../core/store/store.ts';

type Facts = AuditEntry['facts'];
type Words = (facts: Facts, actor: string) => string;

const said = (value: Facts[string] | undefined) => String(value ?? '').replaceAll('-', ' ');

/** An approval's actions in words. The person is in the next column of a list, and at the start of a story line. */
const ACTIONS: Readonly<Record<string, Words>> = {
  'approvals.asked': ({ route, channel }) => `asked for a decision on route ${route} in ${channel}`,
  'approvals.post': ({ post, channel }) => `posted ${said(post)} in ${channel}`,
  'approvals.ballot': ({ action, refused }) =>
    refused === undefined
      ? `pressed ${said(action)}: accepted`
      : `pressed ${said(action)}: refused (${said(refused)})`,
  'approvals.respond': ({ action, serviceUser }) =>
    `${said(action)} was sent to the service${serviceUser === null ? '' : ` as ${serviceUser}`}`,
  'approvals.answered': ({ answer, class: kind }) =>
    kind === undefined
      ? `the service answered ${answer}`
      : `result unknown: ${answer} (${said(kind)})`,
  'approvals.outcome': ({ status, credit, resolvedAt, authority }) =>
    authority === 'gatepost'
      ? `outcome ${status}, recorded by Gatepost${resolvedAt ? ` at ${resolvedAt}` : ''}`
      : `outcome ${status}${CREDITS[String(credit)] ?? ''}${resolvedAt ? `, at ${resolvedAt} by the service's clock` : ''}`,
  'approvals.told': ({ user, via, about, text }) =>
    `told ${user} (${WAYS[String(via)] ?? said(via)}; ${said(about)}): “${text}”`,
  'approvals.blocked': ({ channel, code }) => `could not post in ${channel} (${said(code)})`,
  'approvals.taken-back': () => 'took back their approval',
  'approvals.self-approval': () => 'approved their own request',
  'approvals.self-approval.reviewed': ({ of }) => `reviewed that ${of} approved their own request`,
  'approvals.withdrawn': ({ supersededBy }) =>
    supersededBy === undefined ? 'withdrew the request' : `replaced the request by ${supersededBy}`,
  'approvals.result': ({ state, claimed }) =>
    claimed === true ? `claimed the approval for one run: ${state}` : `reported: ${state}`,
  'approvals.away': ({ until, substitute }) =>
    `is away until ${until}${substitute === null ? '' : `, with ${substitute} as substitute`}`,
  'approvals.back': () => 'is back',
  'approvals.substitute-declined': ({ of }) => `declined to stand in for ${of}`,
  'gatepost.rules': ({ from, to }) => `took rules ${to} in place of ${from}`,
  'gatepost.start': ({ version, config }) => `started version ${version} with settings ${config}`,
  'gatepost.stop': () => 'stopped',
  'alerts.raised': ({ about }) => `told administrators about ${said(about)}`,
};

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

/** The last word of an operation's action, in words. */
const OPERATIONS: Readonly<Record<string, string>> = {
  asked: 'asked for it',
  send: 'sent to the service',
  again: 'asked for it again',
  refused: 'refused and told why',
  outcome: 'ended',
  post: 'posted',
};

/** An entry in a few words, without its time and person. */
export function wordsOf({ action, facts, actor }: AuditEntry): string {
  const own = ACTIONS[action];
  if (own !== undefined) return own(facts, actor);
  const last = action.split('.').at(-1) ?? '';
  const rest = Object.entries(facts).filter(([, value]) => value !== null);
  const told = rest.map(([name, value]) => `${name} ${value}`).join(', ');
  return [OPERATIONS[last] ?? last, told].filter((part) => part !== '').join(': ');
}

/** The whole story of a record. `kept`: the record itself, if it still exists. */
export function storyText({
  record,
  kept,
  entries,
  timeText,
}: {
  readonly record: string;
  readonly kept: StoredRecord | undefined;
  readonly entries: readonly AuditEntry[];
  readonly timeText: (at: number) => string;
}): string {
  const title = titleOf(kept);
  const head = title === undefined ? record : `${record}  "${cleanLine(title)}"`;
  const lines = entries.map((entry) =>
    [timeText(entry.at), entry.actor, wordsOf(entry)].map(cleanLine).join('  '),
  );
  const end = kept === undefined ? ['The record itself is no longer stored.'] : [];
  return [head, ...lines, ...end].map((line) => `${line}\n`).join('');
}

function titleOf(kept: StoredRecord | undefined): string | undefined {
  if (kept?.kind !== APPROVAL_KIND) return undefined;
  const { title }: { title?: unknown } = JSON.parse(kept.data);
  return typeof title === 'string' ? title : undefined;
}
