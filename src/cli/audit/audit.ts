import { Argument, type Command, Option } from 'commander';
import { duration } from '../../core/config/values.ts';
import { namedBy } from '../../core/lib/short-id.ts';
import type { System } from '../../core/lib/system.ts';
import { auditLine } from '../../core/store/audit-line.ts';
import type { AuditEntry } from '../../core/store/store.ts';
import { createMovingLine, whileShown } from '../moving-line.ts';
import { createJson, csvCell, type RowWriter, safeJson } from '../output.ts';
import { storyText, wordsOf } from '../story.ts';
import { type Column, createTable } from '../table.ts';
import { EXIT, type ExitCode, print, type Terminal } from '../terminal.ts';
import { addReport } from './report.ts';
import { headsIn, type VerifyOptions, verify } from './verify.ts';
import {
  countText,
  inStore,
  type Json,
  READING,
  readEntries,
  TURN,
  timeText,
  type Visit,
} from './visit.ts';

/** `audit`: reads the audit log in the bot's store, even while the bot is running, and verifies it. */
export function addAudit(
  audit: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
): void {
  const run = async (verb: (visit: Visit) => Promise<ExitCode>) =>
    onEnd(await inStore(terminal, system, verb));
  filtered(audit.command('list'), '7d')
    .description('list entries, oldest first')
    .option('--json', 'print one JSON object')
    .action((options: Filter & Json, command: Command) =>
      run((visit) => listEntries(visit, sinceIn(options, command), options)),
    );
  audit
    .command('show <id>')
    .description('tell the story of one record, by its short id, its id, or how its id begins')
    .option('--json', 'print one JSON object')
    .action((id: string, options: Json) => run((visit) => showRecord(visit, id, options)));
  filtered(audit.command('export'))
    .description(
      'print entries in a format for other programs; chain: with number and link, all of them',
    )
    .addOption(new Option('--format <format>').choices(['jsonl', 'csv', 'chain']).default('jsonl'))
    .action((options: Filter & { format: Format }, command: Command) => {
      const { format, ...filter } = options;
      if (format === 'chain' && Object.keys(filter).length > 0) {
        command.error(
          'error: --format chain prints all entries, without --since, --kind and --who.',
        );
      }
      const wanted = sinceIn(filter, command);
      return run((visit) =>
        format === 'chain' ? exportChain(visit) : exportEntries(visit, wanted, format),
      );
    });
  addReport(audit, run);
  audit
    .command('verify')
    .description('check that no entry is missing, changed or moved; exits with 1 if one is')
    .option('--head', 'print the end of the log, to keep elsewhere')
    .option(
      '--against <file>',
      'the lines that AUDIT_LOG wrote: the log must have the same entries',
    )
    .addArgument(new Argument('[kept]', 'a head you kept earlier: the log must still contain it'))
    .option('--json', 'print one JSON object')
    .action((kept: string | undefined, options: VerifyOptions, command: Command) => {
      // As from a file that is missing, or that --head left empty.
      if (kept?.trim() === '')
        command.error('error: the head is empty: nothing would be compared.');
      const heads = kept === undefined ? [] : headsIn(kept);
      if (heads === undefined) command.error('error: that is not a head as --head prints it.');
      return run((visit) => verify(visit, heads ?? [], options));
    });
}

interface Filter {
  readonly since?: string;
  readonly kind?: string;
  readonly who?: string;
}

type Format = 'jsonl' | 'csv' | 'chain';

/** @param since the default; absent: all entries */
function filtered(command: Command, since?: string): Command {
  return command
    .option('--since <time>', 'only entries this recent, such as 7d or 12h', since)
    .option(
      '--kind <action>',
      'only these actions: approvals.ballot, approvals for all of them, or self-approval',
    )
    .option('--who <id>', 'only what this person or source did');
}

/** A filter with its parsed time. */
interface Wanted extends Filter {
  readonly sinceMs: number | null;
}

function sinceIn(filter: Filter, command: Command): Wanted {
  if (filter.since === undefined) return { ...filter, sinceMs: null };
  const read = duration.safeParse(filter.since);
  if (!read.success) command.error(`error: --since ${read.error.issues[0]?.message}.`);
  return { ...filter, sinceMs: read.data ?? null };
}

/** The matching entries, in batches. */
async function* entriesIn(
  visit: Visit,
  { sinceMs, kind, who }: Wanted,
): AsyncGenerator<readonly AuditEntry[]> {
  const { clock } = visit.system;
  const since = sinceMs === null ? {} : { sinceAt: Math.max(0, clock.now() - sinceMs) };
  let entries: AuditEntry[] = [];
  for await (const entry of readEntries(visit, since)) {
    const { action, actor } = entry;
    const isKind = kind === undefined || `.${action}.`.includes(`.${kind}.`);
    // People who decided together share one entry.
    const isWho = who === undefined || actor === who || actor.split(',').includes(who);
    if (!isKind || !isWho) continue;
    entries.push(entry);
    if (entries.length < TURN) continue;
    yield entries;
    entries = [];
  }
  if (entries.length > 0) yield entries;
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: 'Time', cell: ({ at }) => timeText(at), whole: true, keep: true },
  { head: 'Who', cell: ({ actor }) => actor, whole: true },
  { head: 'What', cell: wordsOf, keep: true },
  { head: 'Kind', cell: ({ action }) => action },
  { head: 'Record', cell: ({ record }) => record ?? '', whole: true },
];

async function listEntries(visit: Visit, wanted: Wanted, { json }: Json): Promise<ExitCode> {
  const { terminal } = visit;
  const { stdout, stderr } = terminal;
  const columns = stdout.isTTY ? (stdout.columns ?? 80) : null;
  const writer = json ? createJson({ entries: [] }, shown) : createTable(COLUMNS, columns);
  const count = await writeRows(READING, visit, entriesIn(visit, wanted), writer);
  stderr.write(`${countText(count)}.\n`);
  return EXIT.done;
}

/** Writes rows as they come, and returns their number. */
async function writeRows<Row>(
  text: string,
  { terminal, system }: Visit,
  parts: AsyncIterable<readonly Row[]>,
  writer: RowWriter<Row>,
): Promise<number> {
  using line = createMovingLine(terminal, system);
  line.show(text);
  let count = 0;
  for await (const rows of parts) {
    // In a terminal the rows themselves show progress.
    if (terminal.stdout.isTTY) line[Symbol.dispose]();
    count += rows.length;
    await print(terminal, writer.rows(rows));
  }
  line[Symbol.dispose]();
  await print(terminal, writer.end());
  return count;
}

async function showRecord(visit: Visit, id: string, { json }: Json): Promise<ExitCode> {
  const { store, terminal } = visit;
  const { stderr } = terminal;
  const found = new Map<string, AuditEntry[]>();
  const isNamed = namedBy(id);
  await whileShown(READING, visit, async () => {
    for await (const entry of readEntries(visit, {})) {
      const { record } = entry;
      if (record === null || !isNamed(record)) continue;
      const entries = found.get(record) ?? [];
      // For several records only their ids are printed.
      if (found.size < 2) entries.push(entry);
      found.set(record, entries);
    }
  });
  const [[record, entries] = ['', []], ...others] = found;
  if (entries.length === 0) {
    stderr.write(`The audit log has no entry for a record ${JSON.stringify(id)}.\n`);
    return EXIT.notDone;
  }
  if (others.length > 0) {
    const ids = [...found.keys()].join(', ');
    stderr.write(`Several records match: ${ids}. Use one of these ids.\n`);
    return EXIT.notDone;
  }
  const kept = await store.read(record);
  if (json) await print(terminal, safeJson({ record, entries: entries.map(shown) }));
  else await print(terminal, storyText({ record, kept, entries, timeText }));
  return EXIT.done;
}

const CSV_HEAD = ['id', 'at', 'action', 'record', 'actor', 'facts'];

async function exportEntries(visit: Visit, wanted: Wanted, format: Format): Promise<ExitCode> {
  const writer: RowWriter<AuditEntry> = {
    rows: (entries) => entries.map((entry) => lineOf(entry, format)).join(''),
    end: () => '',
  };
  if (format === 'csv') await print(visit.terminal, `${CSV_HEAD.join(',')}\n`);
  await writeRows('Exporting the audit log', visit, entriesIn(visit, wanted), writer);
  return EXIT.done;
}

/** Checkpoints too, shard by shard. */
async function exportChain(visit: Visit): Promise<ExitCode> {
  const writer: RowWriter<string> = { rows: (lines) => lines.join(''), end: () => '' };
  await writeRows('Exporting the audit log', visit, chainLines(visit), writer);
  return EXIT.done;
}

async function* chainLines({ store, system, terminal }: Visit): AsyncGenerator<readonly string[]> {
  for (let shard = 0; shard < store.auditShards(); shard += 1) {
    let lines: string[] = [];
    for await (const entry of (await store.auditChain(shard)).entries()) {
      lines.push(auditLine(shard, entry));
      if (lines.length < TURN) continue;
      await system.timers.sleep(0);
      terminal.signal.throwIfAborted();
      yield lines;
      lines = [];
    }
    yield lines;
  }
}

function lineOf(entry: AuditEntry, format: Format): string {
  const { id, at, action, record, actor, facts } = shown(entry);
  const line =
    format === 'csv'
      ? [id, at, action, record ?? '', actor, JSON.stringify(facts)].map(csvCell).join(',')
      : JSON.stringify({ id, at, action, record, actor, facts });
  return `${line}\n`;
}

function shown({ at, ...entry }: AuditEntry) {
  return { ...entry, at: new Date(at).toISOString() };
}
