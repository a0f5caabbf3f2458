import { entryOf } from '../app/features.ts';
import { APPROVAL_KIND } from '../approvals/approval.ts';
import { cleanLine } from '../core/lib/clean-line.ts';
import type { AuditEntry, StoredRecord } from '../core/store/store.ts';

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
export function wordsOf({ action, facts }: AuditEntry): string {
  const own = entryOf(action)?.words;
  if (own !== undefined) return own(facts);
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
