import { cleanLine } from '../../core/lib/clean-line.ts';
import { shortIdOf } from '../../core/lib/short-id.ts';
import { safeJson } from '../output.ts';
import { parsedIn, type Row, type RulesText } from './evidence.ts';
import { countsOf, entitledText, type Frame, type ReportFormat, totalOf } from './report-format.ts';
import { timeText } from './visit.ts';

/** A page that prints well: no scripts, nothing from outside. */
export function htmlReport(): ReportFormat {
  return {
    begin(frame) {
      const { summary, madeAt, key } = frame;
      const { route } = summary.period;
      const title = `Approvals ${periodText(frame)}`;
      return `${HEAD.replace('{title}', () => esc(title))}
<h1>${esc(title)}</h1>
<p class="about">${route === null ? 'All routes' : `Route <b>${esc(route)}</b>`} · made ${timeText(madeAt)} by Gatepost · signed with key <b>${esc(key.id)}</b> · times are UTC · people are Slack user ids</p>
${verdictHtml(frame)}
${countsHtml(frame)}
${rulesHtml(frame)}`;
    },
    beginSection(section, rows) {
      const title = `<h2>${esc(section.title)}</h2>\n`;
      const count = rows === 0 ? '' : `<p class="about">${countText(rows)}</p>\n`;
      if (rows === 0) return `${title}<p>${esc(section.none)}</p>\n`;
      const heads = columnsOf(section).map(([head]) => `<th>${head}</th>`);
      return `${title}${count}<table>\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`;
    },
    row(row) {
      const cells = columnsOf({ id: row.section }).map(([, cell]) => `<td>${cell(row)}</td>`);
      return `<tr>${cells.join('')}</tr>\n`;
    },
    endSection: (_, rows) => (rows === 0 ? '' : '</tbody>\n</table>\n'),
    end: endHtml,
    signature: (base64) => `<!-- signature ${base64} -->\n`,
  };
}

type Cells = readonly (readonly [head: string, cell: (row: Row) => string])[];

const TIME: Cells[number] = ['Time', ({ at }) => `<time>${timeText(at)}</time>`];
const REQUEST: Cells[number] = [
  'Request',
  ({ record, title }) => {
    if (record === undefined) return '';
    const named = title === undefined ? '' : `${esc(title)}<br>`;
    return `${named}<code title="${esc(record)}">${shortIdOf(record)}</code>`;
  },
];
const ROUTE: Cells[number] = ['Route', ({ route = '' }) => esc(route)];

const DECISIONS: Cells = [
  TIME,
  REQUEST,
  ROUTE,
  [
    'Asked by',
    ({ requester, requesterIs, source = '' }) => {
      const who = requester === undefined ? '' : `${esc(requester)}<br>`;
      const is = requesterIs ?? 'not logged';
      return `${who}<i>${is}</i>, source ${esc(source) || 'not logged'}`;
    },
  ],
  [
    'Outcome',
    ({ outcome = '', credit = '', what }) => {
      const credited = outcome === 'TIMED_OUT' ? '' : (CREDITS[credit] ?? '');
      const more = what === undefined ? '' : `<br><i>${esc(what)}</i>`;
      return `<b>${esc(outcome)}</b>${credited}${more}`;
    },
  ],
  [
    'Decided by',
    ({ deciders = [] }) =>
      deciders
        .map((decider) => `${esc(decider.user)} <i>${esc(entitledText(decider))}</i>`)
        .join('<br>'),
  ],
  ['Took', ({ tookMs }) => (tookMs === undefined ? '' : `<time>${tookText(tookMs)}</time>`)],
  [
    'Digests',
    ({ digest, rules }) =>
      [digest && `request <code>${esc(digest)}</code>`, rules && `rules <code>${esc(rules)}</code>`]
        .filter((each) => each !== undefined && each !== '')
        .join('<br>'),
  ],
];

const CREDITS: Readonly<Record<string, string>> = {
  sent: '<br><i>after an answer was sent; the service did not say whose it accepted</i>',
  none: '<br><i>not by a press in Slack</i>',
};

const RULES: Cells = [
  TIME,
  ['Rules', ({ rules = '' }) => `<code>${esc(rules)}</code>`],
  ['What', ({ what = '' }) => esc(what)],
];

const OTHERS: Cells = [
  TIME,
  ['Who', ({ who = '' }) => esc(who)],
  ['What', ({ what = '' }) => esc(what)],
  ROUTE,
  REQUEST,
];

function columnsOf({ id }: { readonly id: Row['section'] }): Cells {
  return id === 'decisions' ? DECISIONS : id === 'rules' ? RULES : OTHERS;
}

function periodText({ summary: { period } }: Frame): string {
  const day = (at: number) => timeText(at).slice(0, 10);
  const isDay = (at: number) => at % DAY_MS === 0;
  const from = isDay(period.fromAt) ? day(period.fromAt) : timeText(period.fromAt);
  const to = isDay(period.toAt) ? day(period.toAt - 1) : timeText(period.toAt);
  return `from ${from} to ${to}`;
}

const DAY_MS = 86_400_000;

function verdictHtml({ verdict: { ok, sentences }, coverage }: Frame): string {
  const lines = [...sentences, ...coverage].map((sentence) => `<li>${esc(sentence)}</li>`);
  return `<section class="${ok ? 'whole' : 'broken'}">
<h2>${ok ? 'The log verifies' : 'The log does not verify'}</h2>
<ul>
${lines.join('\n')}
</ul>
</section>`;
}

function rulesHtml({ summary: { inForce } }: Frame): string {
  if (inForce === undefined) return '';
  const { rules = '', at } = inForce;
  return `<h2>Rules when the period began</h2>\n<p><code>${esc(rules)}</code>, in force since ${timeText(at)}; their texts are below.</p>\n`;
}

function countsHtml({ summary }: Frame): string {
  const names = [
    'Asked',
    'Approved',
    'Rejected',
    'Timed out',
    'Withdrawn',
    'Open',
    'Median',
    '90 %',
  ];
  const row = (each: Parameters<typeof countsOf>[0], name: string) => {
    const { route: _, medianSeconds, p90Seconds, ...numbers } = countsOf(each);
    const times = [medianSeconds, p90Seconds].map((s) => (s === null ? '–' : tookText(s * 1000)));
    const cells = [...Object.values(numbers).map((count) => count.toLocaleString('en')), ...times];
    return `<tr><td>${name}</td>${cells.map((cell) => `<td class="n">${cell}</td>`).join('')}</tr>`;
  };
  const routes = [...summary.routes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((each) => row(each, esc(each[0]) || '<i>not logged</i>'));
  const total = routes.length < 2 ? [] : [row(['', totalOf(summary)], '<b>All</b>')];
  if (routes.length === 0) return '<h2>Requests</h2>\n<p>None.</p>';
  return `<h2>Requests</h2>
<p class="about">Asked and ended within the period; open: without an outcome at its end. Times to decision: of what was approved or rejected.</p>
<table>
<thead><tr><th>Route</th>${names.map((name) => `<th class="n">${name}</th>`).join('')}</tr></thead>
<tbody>
${[...routes, ...total].join('\n')}
</tbody>
</table>`;
}

function endHtml({ summary, head, key }: Frame): string {
  const texts = summary.texts().map(({ digest, route, text }) => {
    const of = route === null ? 'who people are' : `route ${route}`;
    return `<h3>${esc(of)}, <code>${esc(digest)}</code></h3>\n<pre>${escLines(shownRules(text))}</pre>\n`;
  });
  return `<h2>The rules' texts</h2>
${texts.length === 0 ? '<p>None was logged for this period.</p>\n' : texts.join('')}<h2>What this rests on</h2>
<p>The end of the audit log when this was made, as <code>shard:number:link</code>. Whoever has a copy of the log can check that it leads to this.</p>
<pre>${escLines(head.replaceAll(',', ',\n'))}</pre>
<p>The last line of this file is an Ed25519 signature of the SHA-256 of all lines before it. Its public key should be the one that you got from <code>gatepost keys public</code> in another way; integrations/audit says how to check both.</p>
<pre>${escLines(key.pem)}</pre>
</body>
</html>
`;
}

function shownRules(text: RulesText['text']): string {
  if (text === undefined) return 'Not logged.';
  if (text === null) return 'Too long to be logged.';
  const rules = parsedIn(text);
  return rules === undefined ? 'Not readable.' : safeJson(rules).trimEnd();
}

/** “2 min 21 s”. */
function tookText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, `${seconds % 60} s`];
  return parts.filter((part) => part !== false).join(' ');
}

function countText(rows: number): string {
  return rows === 1 ? '1 entry' : `${rows.toLocaleString('en')} entries`;
}

/** Other people's text, as one line without invisible characters. */
function esc(text: string): string {
  return escLines(cleanLine(text));
}

function escLines(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
@page { size: A4 landscape; margin: 14mm 12mm; }
:root { color-scheme: light; }
body { font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', sans-serif; color: #1d1c1d; max-width: 1280px; margin: 32px auto; padding: 0 24px; }
h1 { font-size: 26px; margin: 0 0 4px; }
h2 { font-size: 18px; margin: 32px 0 6px; break-after: avoid; }
h3 { font-size: 14px; margin: 18px 0 4px; break-after: avoid; }
p { margin: 6px 0; }
i, .about { color: #616061; font-style: normal; }
section { border: 1px solid #b7d9c5; border-left: 5px solid #0a7a45; border-radius: 6px; padding: 10px 16px; margin: 18px 0; }
section.broken { border-color: #e6b8bf; border-left-color: #c01343; }
section h2 { margin: 0; }
section ul { margin: 6px 0 0; padding-left: 20px; }
table { border-collapse: collapse; width: 100%; margin-top: 8px; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th, td { text-align: left; vertical-align: top; padding: 5px 12px 5px 0; border-bottom: 1px solid #e3e2e3; overflow-wrap: break-word; }
th { font-weight: 600; border-bottom: 2px solid #1d1c1d; }
th, time, .n, td code { white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 12px/1.4 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f7f7f7; border: 1px solid #e3e2e3; border-radius: 4px; padding: 8px 10px; margin: 4px 0; }
@media print { body { font-size: 10px; margin: 0; padding: 0; max-width: none; } h1 { font-size: 20px; } h2 { font-size: 14px; } h3 { font-size: 11px; } code, pre { font-size: 8.5px; } }
</style>
</head>
<body>`;
