import { entitlement } from '../../approvals/electorate/through.ts';
import { shortIdOf } from '../../core/lib/short-id.ts';
import type { ReportKey } from '../../core/store/report-key.ts';
import { csvCell } from '../output.ts';
import {
  ENDS,
  parsedIn,
  percentile,
  type RouteCounts,
  type Row,
  type SECTIONS,
  type Summary,
} from './evidence.ts';

/** What a report begins and ends with, besides its rows. */
export interface Frame {
  readonly summary: Summary;
  readonly madeAt: number;
  /** What verifying the log found. */
  readonly verdict: { readonly ok: boolean; readonly sentences: readonly string[] };
  /** About the log in the period itself. */
  readonly coverage: readonly string[];
  /** The end of the log that it rests on, as `audit verify --head` prints it. */
  readonly head: string;
  readonly key: Pick<ReportKey, 'id' | 'pem'>;
}

export type Section = (typeof SECTIONS)[number];

/** One form of the report, written in parts. Its last line is the signature of all lines before it. */
export interface ReportFormat {
  begin(frame: Frame): string;
  beginSection(section: Section, rows: number): string;
  row(row: Row): string;
  endSection(section: Section, rows: number): string;
  end(frame: Frame): string;
  /** A line that holds the base64 signature and nothing else like it. */
  signature(base64: string): string;
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Of one route, for all formats. */
export function countsOf([route, { asked, ended, open, tookMs }]: readonly [string, RouteCounts]) {
  const seconds = (share: number) => {
    const ms = percentile(tookMs, share);
    return ms === undefined ? null : ms / 1000;
  };
  return { route, asked, ...ended, open, medianSeconds: seconds(0.5), p90Seconds: seconds(0.9) };
}

/** Of all routes together. */
export function totalOf({ routes }: Summary): RouteCounts {
  const all = [...routes.values()];
  const sum = (of: (counts: RouteCounts) => number) =>
    all.reduce((total, counts) => total + of(counts), 0);
  // as: the same names
  const ended = Object.fromEntries(
    ENDS.map((end) => [end, sum((counts) => counts.ended[end])]),
  ) as RouteCounts['ended'];
  const tookMs = all.flatMap((counts) => counts.tookMs).sort((a, b) => a - b);
  return { asked: sum((counts) => counts.asked), ended, open: sum(({ open }) => open), tookMs };
}

export function entitledText({
  through,
  for: giver,
}: NonNullable<Row['deciders']>[number]): string {
  const how = through === undefined ? 'not logged' : entitlement(through);
  return giver === undefined ? how : `${how}, in place of ${giver}`;
}

export function jsonReport(): ReportFormat {
  const line = (value: unknown) => JSON.stringify(value);
  let [isFirst, isFirstSection] = [true, true];
  return {
    begin({ summary, madeAt, verdict, coverage }) {
      const { fromAt, toAt, route } = summary.period;
      const period = { from: isoTime(fromAt), before: isoTime(toAt), route };
      const routes = [...summary.routes].map(countsOf);
      return [
        `{"period":${line(period)},`,
        `"madeAt":${line(isoTime(madeAt))},`,
        `"log":${line({ ...verdict, coverage, entries: summary.entries })},`,
        `"requests":${line(routes)},`,
        `"total":${line({ ...countsOf(['', totalOf(summary)]), route: undefined })},`,
        `"rulesInForce":${line(summary.inForce === undefined ? null : jsonRow(summary.inForce))},`,
        `"rulesTexts":${line(summary.texts().map(({ text, ...rules }) => ({ ...rules, rules: text == null ? text : (parsedIn(text) ?? 'not readable') })))},`,
        `"sections":{\n`,
      ].join('\n');
    },
    beginSection({ id }) {
      const before = isFirstSection ? '' : ',\n';
      [isFirst, isFirstSection] = [true, false];
      return `${before}"${id}":[`;
    },
    row(row) {
      const before = isFirst ? '\n' : ',\n';
      isFirst = false;
      return before + line(jsonRow(row));
    },
    endSection: () => ']',
    end: ({ head, key }) => `\n},\n"head":${line(head)},\n"key":${line(key)},\n`,
    signature: (base64) => `"signature":"${base64}"}\n`,
  };
}

function jsonRow({ section: _, withdrawnAt: __, at, record, tookMs, ...row }: Row) {
  const request = record === undefined ? {} : { record, request: shortIdOf(record) };
  return { at: isoTime(at), ...request, ...row, ...(tookMs !== undefined && { tookMs }) };
}

const COLUMNS = [
  'section',
  'time',
  'route',
  'request',
  'record',
  'title',
  'source',
  'requester',
  'requesterIs',
  'outcome',
  'credit',
  'deciders',
  'entitled',
  'seconds',
  'digest',
  'rules',
  'who',
  'what',
] as const;

/** One table: the first column says what a row is about. */
export function csvReport(): ReportFormat {
  const line = (cells: Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>) =>
    `${COLUMNS.map((column) => csvCell(cells[column] ?? '')).join(',')}\n`;
  return {
    begin({ summary, madeAt, verdict, coverage }) {
      const { fromAt, toAt } = summary.period;
      const about = `from ${isoTime(fromAt)} to before ${isoTime(toAt)}`;
      const said = [...verdict.sentences, ...coverage];
      const counts = [...summary.routes, ['', totalOf(summary)] as const].map((each) => {
        const { route, ...numbers } = countsOf(each);
        const what = Object.entries(numbers).map(([name, value]) => `${name} ${value ?? '-'}`);
        return line({ section: route === '' ? 'total' : 'requests', route, what: what.join(', ') });
      });
      return [
        `${COLUMNS.join(',')}\n`,
        line({ section: 'report', time: isoTime(madeAt), what: about }),
        ...said.map((what) => line({ section: 'log', what })),
        ...counts,
        ...(summary.inForce === undefined ? [] : [csvRow(summary.inForce)].map(line)),
      ].join('');
    },
    beginSection: () => '',
    row: (row) => line(csvRow(row)),
    endSection: () => '',
    end: ({ summary, head, key }) =>
      [
        ...summary
          .texts()
          .map(({ digest, route, text }) =>
            line({ section: 'rules-text', rules: digest, route: route ?? '', what: text ?? '' }),
          ),
        line({ section: 'head', what: head }),
        line({ section: 'key', who: key.id, what: key.pem.replaceAll('\n', ' ').trim() }),
      ].join(''),
    signature: (base64) => line({ section: 'signature', what: base64 }),
  };
}

function csvRow(row: Row) {
  const { section, at, record, deciders = [], tookMs, texts: _, withdrawnAt: __, ...rest } = row;
  return {
    ...rest,
    section,
    time: isoTime(at),
    ...(record !== undefined && { record, request: shortIdOf(record) }),
    deciders: deciders.map(({ user }) => user).join(' '),
    entitled: deciders.map(entitledText).join('; '),
    ...(tookMs !== undefined && { seconds: String(tookMs / 1000) }),
  };
}
