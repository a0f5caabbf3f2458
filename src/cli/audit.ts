import { Argument, type Command, Option } from 'commander';
import { isAlwaysSigned } from '../app/features.ts';
import { formatProblems, readStoreConfig } from '../core/config/read-config.ts';
import { duration } from '../core/config/values.ts';
import { namedBy } from '../core/lib/short-id.ts';
import type { System } from '../core/lib/system.ts';
import {
  type AuditProblem,
  signatureChecker,
  type VerifiedChain,
  verifyChain,
} from '../core/store/audit-chain.ts';
import { visitStore } from '../core/store/open-store.ts';
import { type AuditEntry, type Store, StoreConfigError, StoreError } from '../core/store/store.ts';
import { createMovingLine, whileShown } from './moving-line.ts';
import { createJson, safeJson } from './output.ts';
import { storyText, wordsOf } from './story.ts';
import { type Column, createTable, type RowWriter } from './table.ts';
import {
  EXIT,
  type ExitCode,
  OutputError,
  print,
  type Terminal,
  unwrittenCode,
} from './terminal.ts';

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
    .description('print entries in a format for other programs')
    .addOption(new Option('--format <format>').choices(['jsonl', 'csv']).default('jsonl'))
    .action((options: Filter & { format: Format }, command: Command) =>
      run((visit) => exportEntries(visit, sinceIn(options, command), options.format)),
    );
  audit
    .command('verify')
    .description('check that no entry is missing, changed or moved; exits with 1 if one is')
    .option('--head', 'print the end of the log, to keep elsewhere')
    .addArgument(new Argument('[kept]', 'a head you kept earlier: the log must still contain it'))
    .option('--json', 'print one JSON object')
    .action((kept: string | undefined, options: Json & { head?: true }, command: Command) => {
      const heads = headsIn(kept ?? '');
      if (heads === undefined) command.error('error: that is not a head as --head prints it.');
      return run((visit) => verify(visit, heads ?? [], options));
    });
}

interface Visit {
  readonly terminal: Terminal;
  readonly store: Store;
  readonly check: ReturnType<typeof signatureChecker>;
  readonly system: System;
}

interface Json {
  readonly json?: true;
}

interface Filter {
  readonly since?: string;
  readonly kind?: string;
  readonly who?: string;
}

type Format = 'jsonl' | 'csv';

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

/** Runs a verb with the store, and reports why it failed. */
async function inStore(
  terminal: Terminal,
  system: System,
  verb: (visit: Visit) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { env, stderr } = terminal;
  const read = readStoreConfig(env);
  if (!read.ok) {
    stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  let store: Store | null = null;
  try {
    store = await visitStore(read.config, system);
    if (store === null) {
      stderr.write(
        "There is no Gatepost store here. Set REDIS_URL or DATA_DIR to the bot's values.\n",
      );
      return EXIT.notDone;
    }
    const check = signatureChecker(read.config.keys);
    return await verb({ terminal, store, check, system });
  } catch (error) {
    if (error instanceof OutputError) return unwrittenCode(error);
    if (terminal.signal.aborted && error === terminal.signal.reason) {
      stderr.write('Interrupted: not all entries were written.\n');
      return EXIT.interrupted;
    }
    if (error instanceof StoreConfigError) {
      stderr.write(`Cannot read the store: ${error.message}. ${error.fix}\n`);
      return EXIT.usage;
    }
    if (!(error instanceof StoreError)) throw error;
    stderr.write(`Cannot read the store (REDIS_URL, DATA_DIR): ${error.message}.\n`);
    return EXIT.notDone;
  } finally {
    await store?.[Symbol.asyncDispose]();
  }
}

const READING = 'Reading the audit log';
/** How many entries are read in one turn of the event loop, and written together. */
const TURN = 1_000;

/** Yields the entries until interrupted. */
async function* readEntries(
  { store, system, terminal }: Visit,
  filter: Parameters<Store['readAudit']>[0],
): AsyncGenerator<AuditEntry> {
  let read = 0;
  for await (const entry of store.readAudit(filter)) {
    read += 1;
    // A folder is read synchronously, and signals are handled only between turns of the event loop.
    if (read % TURN === 0) await system.timers.sleep(0);
    // A truncated export would look complete.
    terminal.signal.throwIfAborted();
    yield entry;
  }
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

function countText(entries: number): string {
  return entries === 1 ? '1 entry' : `${entries} entries`;
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

function lineOf(entry: AuditEntry, format: Format): string {
  const { id, at, action, record, actor, facts } = shown(entry);
  const line =
    format === 'csv'
      ? [id, at, action, record ?? '', actor, JSON.stringify(facts)].map(csvCell).join(',')
      : JSON.stringify({ id, at, action, record, actor, facts });
  return `${line}\n`;
}

/** Spreadsheets would take some texts for formulas. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function shown({ at, ...entry }: AuditEntry) {
  return { ...entry, at: new Date(at).toISOString() };
}

/** To the second, in UTC, because entries come from several machines. */
function timeText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

interface Head {
  readonly shard: number;
  readonly seq: number;
  readonly link: string;
}

/** `<shard>:<number>:<link>`, comma-separated; undefined for another text. */
function headsIn(text: string): readonly Head[] | undefined {
  if (text === '') return [];
  const heads = text
    .split(',')
    .map((part) => /^(\d+):(\d+):([0-9a-f]{40,64}|-)$/.exec(part.trim()));
  if (heads.includes(null)) return undefined;
  return heads.map((found) => {
    const [, shard, seq, link = ''] = found ?? [];
    return { shard: Number(shard), seq: Number(seq), link };
  });
}

function headText(chains: readonly VerifiedChain[]): string {
  return chains.map(({ shard, head }) => `${shard}:${head.seq}:${head.link}`).join(',');
}

/** Retention may run while the log is read. */
const TRIES = 3;

async function verify(
  visit: Visit,
  kept: readonly Head[],
  { json, head }: Json & { readonly head?: true },
): Promise<ExitCode> {
  const { terminal } = visit;
  const verified = await whileShown('Verifying the audit log', visit, () => verifyAll(visit, kept));
  const strangers = kept.filter(({ shard }) => !verified.some((chain) => chain.shard === shard));
  const problems = [
    ...verified.flatMap((chain) => chain.problems),
    ...strangers.map(({ shard, seq }) => noChain(shard, seq)),
  ];
  const sum = (of: (chain: VerifiedChain) => number) =>
    verified.reduce((total, chain) => total + of(chain), 0);
  const [entries, unsigned] = [sum((chain) => chain.entries), sum((chain) => chain.unsigned)];
  const notSealed = sum((chain) => chain.notSealed);
  const earlier = sum((chain) => chain.earlier);
  const sinceCheckpoint = sum((chain) => chain.sinceCheckpoint);
  const unknownKeys = [...new Set(verified.flatMap((chain) => chain.unknownKeys))];
  // An entry with an unknown key may be anybody's.
  const ok = problems.length === 0 && unknownKeys.length === 0;
  if (json) {
    const counts = { entries, notSealed, sinceCheckpoint, earlier, unsigned };
    await print(terminal, safeJson({ ok, ...counts, head: headText(verified), problems }));
  } else if (head && ok) {
    await print(terminal, `${headText(verified)}\n`);
  }
  const many = verified.length > 1;
  const sentences = [
    ...problems.map(({ sentence, shard }) => (many ? `Shard ${shard}: ${sentence}` : sentence)),
    ...(ok ? [`${countText(entries)}: none is missing, changed or moved.`] : []),
    ...(problems.length > 0
      ? ['The audit log is not intact. Keep a copy of the store, and find out who can write to it.']
      : []),
    ...(unsigned > 0 ? [unsignedText(unsigned, unknownKeys, ok)] : []),
    ...(earlier > 0 ? [`Signed by a build before 0.2.0: ${countText(earlier)}.`] : []),
    ...(ok ? unsealedTexts({ notSealed, sinceCheckpoint }) : []),
  ];
  const text = sentences.map((sentence) => `${sentence}\n`).join('');
  if (json || head) terminal.stderr.write(text);
  else await print(terminal, text);
  return ok ? EXIT.done : EXIT.notDone;
}

/** `isIntact`: none is visibly forged. */
function unsignedText(count: number, unknownKeys: readonly string[], isIntact: boolean): string {
  if (unknownKeys.length > 0) {
    return `The signatures of ${countText(count)} could not be checked. They may have been changed. Add to GATEPOST_KEYS, and verify again: ${unknownKeys.join(', ')}.`;
  }
  if (!isIntact) {
    return count === 1 ? '1 entry has no signature.' : `${count} entries have no signature.`;
  }
  return count === 1
    ? '1 entry has no signature: `gatepost people` wrote it without GATEPOST_KEYS.'
    : `${count} entries have no signature: \`gatepost people\` wrote them without GATEPOST_KEYS.`;
}

function unsealedTexts({
  notSealed,
  sinceCheckpoint,
}: Pick<VerifiedChain, 'notSealed' | 'sinceCheckpoint'>): string[] {
  return [
    ...(notSealed > 0 ? [`Not sealed (from before the first checkpoint): ${notSealed}.`] : []),
    ...(sinceCheckpoint > 0
      ? [`Not sealed yet (after the last checkpoint): ${sinceCheckpoint}.`]
      : []),
  ];
}

function noChain(shard: number, seq: number): AuditProblem {
  return { shard, seq, kind: 'head', sentence: 'The log that this head belongs to is missing.' };
}

/** One shard at a time, because a long log may change while it is read. */
async function verifyAll(visit: Visit, kept: readonly Head[]): Promise<VerifiedChain[]> {
  const verified: VerifiedChain[] = [];
  for (let shard = 0; shard < visit.store.auditShards(); shard += 1)
    verified.push(await verifyShard(visit, shard, kept));
  return verified;
}

async function verifyShard(
  { store, check }: Visit,
  shard: number,
  kept: readonly Head[],
): Promise<VerifiedChain> {
  const head = kept.find((each) => each.shard === shard);
  for (let tries = 1; ; tries += 1) {
    const chain = await store.auditChain(shard);
    const verified = await verifyChain(chain, { check, isAlwaysSigned, kept: head });
    if (verified.problems.length === 0 || tries === TRIES) return verified;
    const { anchor } = await store.auditChain(shard);
    if (anchor.seq === chain.anchor.seq) return verified;
  }
}
