import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import type { VerifiedChain } from '../../core/store/audit-chain.ts';
import { reportKey } from '../../core/store/report-key.ts';
import type { AuditEntry } from '../../core/store/store.ts';
import { createMovingLine } from '../moving-line.ts';
import { EXIT, type ExitCode, print } from '../terminal.ts';
import { Evidence, isOn, type Period, type Row, SECTIONS, Summary } from './evidence.ts';
import { csvReport, type Frame, jsonReport, type ReportFormat } from './report-format.ts';
import { htmlReport } from './report-html.ts';
import { headText, verdictOf, verifyAll } from './verify.ts';
import { countText, readEntries, timeText, type Visit } from './visit.ts';

/** `audit report`: evidence about a period in one signed file, for somebody who has neither the store nor its keys. */

export interface ReportOptions {
  readonly from: string;
  readonly to?: string;
  readonly route?: string;
  readonly json?: true;
  readonly csv?: true;
}

export function addReport(
  audit: Command,
  run: (verb: (visit: Visit) => Promise<ExitCode>) => Promise<void>,
): void {
  audit
    .command('report')
    .description(
      'print a signed report of a period as an HTML page: requests, decisions, rules, and whether the log verifies',
    )
    .requiredOption('--from <day>', 'its first day (UTC), such as 2026-10-01, or a time')
    .option('--to <day>', 'its last day, which is included, or the time before which it ends')
    .option('--route <name>', 'only this route')
    .option('--json', 'print one JSON object')
    .option('--csv', 'print one table')
    .action((options: ReportOptions, command: Command) => {
      const from = momentIn(options.from, 'first');
      const to = options.to === undefined ? Number.POSITIVE_INFINITY : momentIn(options.to, 'last');
      if (from === undefined || to === undefined) {
        const name = from === undefined ? '--from' : '--to';
        command.error(
          `error: ${name} takes a day such as 2026-10-01, or a time such as 2026-10-01T08:00:00Z.`,
        );
      }
      if (from >= to) command.error('error: --to is before --from.');
      if (options.json && options.csv) command.error('error: --json cannot be used with --csv.');
      return run((visit) => report(visit, options, { fromAt: from, toAt: to }));
    });
}

/** undefined: neither a day nor a time. A `last` day is included. */
function momentIn(text: string, which: 'first' | 'last'): number | undefined {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDay && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)) {
    return undefined;
  }
  const at = Date.parse(text);
  // 31 September would be 1 October.
  if (Number.isNaN(at) || (isDay && !new Date(at).toISOString().startsWith(text))) return undefined;
  return isDay && which === 'last' ? at + DAY_MS : at;
}

const DAY_MS = 86_400_000;

async function report(
  visit: Visit,
  {
    route = null,
    json,
    csv,
  }: { readonly route?: string | null; readonly json?: true; readonly csv?: true },
  { fromAt, toAt: end }: Pick<Period, 'fromAt' | 'toAt'>,
): Promise<ExitCode> {
  const { terminal, system, keys } = visit;
  const { stderr } = terminal;
  const [first] = keys;
  if (first === undefined) {
    stderr.write(
      "GATEPOST_KEYS is not set, so the report cannot be signed. Set it to the bot's value.\n",
    );
    return EXIT.usage;
  }
  const key = reportKey(first);
  const madeAt = system.clock.now();
  using line = createMovingLine(terminal, system);
  line.show('Verifying the audit log');
  const verified = await verifyAll(visit, []);
  const period: Period = { fromAt, toAt: Math.min(end, madeAt), route };
  if (period.fromAt >= period.toAt) {
    stderr.write('The period begins in the future.\n');
    return EXIT.usage;
  }
  const summary = await summarize(visit, verified, period);
  const verdict = verdictOf(verified);
  const coverage = coverageOf(summary, verified);
  const head = headText(verified);
  const frame: Frame = { summary, madeAt, verdict, coverage, head, key };
  const format: ReportFormat = json ? jsonReport() : csv ? csvReport() : htmlReport();
  const digest = createHash('sha256');
  const write = async (text: string) => {
    digest.update(text);
    if (terminal.stdout.isTTY) line[Symbol.dispose]();
    await print(terminal, text);
  };
  await write(format.begin(frame));
  for (const section of SECTIONS) {
    const count = summary.rows.get(section.id) ?? 0;
    // One read of the log for each section that has rows: none is kept.
    const rows = count === 0 ? [] : rowsOf(visit, verified, period);
    const isSection = (row: Row) =>
      row.section === section.id && row.at >= fromAt && isOn(row, period);
    let written = 0;
    let text = format.beginSection(section, count);
    for await (const row of rows) {
      if (!isSection(row)) continue;
      written += 1;
      text += format.row(row);
      if (text.length < CHUNK) continue;
      await write(text);
      text = '';
    }
    await write(text + format.endSection(section, count));
    if (written === count) continue;
    stderr.write(
      'Entries were removed while the report was written. It is not signed: run it again.\n',
    );
    return EXIT.notDone;
  }
  await write(format.end(frame));
  await print(terminal, format.signature(key.sign(digest.digest()).toString('base64')));
  line[Symbol.dispose]();
  for (const sentence of [...verdict.sentences, ...coverage]) stderr.write(`${sentence}\n`);
  if (route !== null && !summary.routes.has(route)) {
    stderr.write(`The log has no request on a route ${JSON.stringify(route)} in this period.\n`);
  }
  return verdict.ok ? EXIT.done : EXIT.notDone;
}

const CHUNK = 64 * 1024;

/** The entries up to the end of the period and of what was verified, oldest first. */
async function* entriesOf(
  visit: Visit,
  verified: readonly VerifiedChain[],
  { toAt }: Period,
): AsyncGenerator<{
  readonly entry: AuditEntry;
  readonly seq: number;
  readonly chain: VerifiedChain;
}> {
  for await (const entry of readEntries(visit, {})) {
    const [shard, , seq] = entry.id.split('-').map(Number);
    const chain = verified.find((each) => each.shard === shard);
    if (chain === undefined || seq === undefined || seq > chain.head.seq) continue;
    if (entry.at < toAt) yield { entry, seq, chain };
  }
}

async function* rowsOf(
  visit: Visit,
  verified: readonly VerifiedChain[],
  period: Period,
): AsyncGenerator<Row> {
  const evidence = new Evidence();
  for await (const { entry } of entriesOf(visit, verified, period)) {
    const row = evidence.read(entry);
    if (row !== undefined) yield row;
  }
}

async function summarize(
  visit: Visit,
  verified: readonly VerifiedChain[],
  period: Period,
): Promise<Summary> {
  const [evidence, summary] = [new Evidence(), new Summary(period)];
  for await (const { entry, seq, chain } of entriesOf(visit, verified, period)) {
    const { after, to } = chain.sealed;
    summary.read(entry, seq > after && seq <= to);
    const row = evidence.read(entry);
    if (row !== undefined) summary.add(row);
  }
  summary.end(evidence);
  return summary;
}

/** What the log has of the period, and what it cannot have. */
function coverageOf(
  { period, entries, unsealed, beginsAt }: Summary,
  verified: readonly VerifiedChain[],
): string[] {
  const isCut = verified.some(({ anchor }) => anchor.seq > 0);
  const isLate = beginsAt === undefined || beginsAt > period.fromAt;
  const why = isCut ? 'retention has removed what was before' : 'nothing was logged before';
  return [
    `In this period: ${countText(entries)}, ${entries - unsealed} of them sealed by a checkpoint.`,
    ...(isLate && beginsAt !== undefined
      ? [`The log begins at ${timeText(beginsAt)}, after the period does: ${why}.`]
      : []),
  ];
}
