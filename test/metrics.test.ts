import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics, METRICS } from '../src/core/http/metrics.ts';
import { DEPLOYS, startWorld } from './support/world.ts';

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

const USAGE = { cpuSeconds: 1, residentBytes: 2, heapBytes: 3, startedAt: 4 };
const ABOUT = {
  version: '1',
  node: 'v20',
  store: 'redis',
  budgetPerMinute: 240,
  usage: () => USAGE,
};

/** What the program exposes: names with their types and labels, by the program's own words. */
async function exposed(): Promise<ReadonlyMap<string, string>> {
  const metrics = createMetrics(ABOUT);
  metrics.set('connected', null, 2);
  metrics.count('identityToken', { result: 'accepted' });
  const heads = (await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm);
  return new Map([...heads].map(([, name = '', type = '']) => [name, type]));
}

let names: ReadonlyMap<string, string>;
beforeAll(async () => {
  names = await exposed();
});

test('docs/logs-and-metrics.md lists every metric with its type and labels, and no other', async () => {
  const page = await read('docs/logs-and-metrics.md');
  const [, table = ''] = /<!-- metrics:[^>]*-->\n([\s\S]*?)<!-- \/metrics -->/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| (\w+)[^|]*\| ([^|]*)\|/gm)];
  const listed = rows.map(([, name, type, labels = '']) => [
    name,
    type,
    ...[...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
  ]);
  const all = Object.values(METRICS).flatMap((each) => Object.values(each));
  const declared = all.map(({ name, labelNames }) => [name, names.get(name), ...labelNames]);
  expect(listed.toSorted()).toEqual(declared.toSorted());
  expect(names.size).toBe(all.length);
});

test('counters, and they alone, end in _total', () => {
  for (const [name, type] of names)
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
});

test('what the process has used is read at each scrape', async () => {
  const usage = { ...USAGE };
  const metrics = createMetrics({ ...ABOUT, usage: () => usage });
  for (const cpuSeconds of [1, 7]) {
    usage.cpuSeconds = cpuSeconds;
    expect(await metrics.text()).toContain(`gatepost_process_cpu_seconds_total ${cpuSeconds}\n`);
  }
});

test('the series of every route exist from the start, so its first decision counts as an increase', async () => {
  await using world = await startWorld();
  const text = await (await fetch(`${world.app.url}/metrics`)).text();
  for (const line of [
    'gatepost_decision_seconds_count{route="default"} 0',
    'gatepost_outcomes_total{status="APPROVED",credit="certain",route="default"} 0',
    'gatepost_outcomes_total{status="REJECTED",credit="none",route="default"} 0',
    'gatepost_outcomes_total{status="TIMED_OUT",credit="none",route="default"} 0',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

/** What is wrong with an expression of PromQL, as far as names, brackets and functions tell. */
function wrongIn(expression: string): string[] {
  const bare = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const problems: string[] = [];
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
  for (const sign of bare) {
    if ('([{'.includes(sign)) open.push(sign);
    else if (sign in pairs && open.pop() !== pairs[sign]) problems.push(`${sign} closes nothing`);
  }
  if (open.length > 0) problems.push(`${open.join('')} is not closed`);
  for (const [, word = ''] of bare.matchAll(/([a-z_]\w*)\s*\(/g)) {
    if (!FUNCTIONS.has(word)) problems.push(`unknown function ${word}`);
  }
  for (const [name] of bare.matchAll(/\bgatepost_\w+/g)) {
    const base = name.replace(/_(bucket|count|sum)$/, '');
    const isPart = base !== name && names.get(base) === 'histogram';
    const isWhole = names.has(name) && names.get(name) !== 'histogram';
    if (!isPart && !isWhole) problems.push(`${name} is not exposed`);
  }
  if (!/gatepost_\w+/.test(bare)) problems.push('no metric is named');
  return problems;
}

const FUNCTIONS = new Set([
  ...['absent', 'by', 'histogram_quantile', 'increase', 'max', 'min', 'rate', 'sum'],
]);

describe('the Prometheus rules and the Grafana dashboard', () => {
  test('alert rules use existing metrics, and say what to do', async () => {
    const { groups } = parse(await read('integrations/prometheus/alerts.yaml'));
    const rules = groups.flatMap((group: { rules: unknown[] }) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, labels, annotations } of rules) {
      expect({ alert, wrong: wrongIn(expr) }).toEqual({ alert, wrong: [] });
      expect(alert).toMatch(/^Gatepost[A-Z]\w+$/);
      expect(labels.severity).toMatch(/^(critical|warning|info)$/);
      // Nobody is woken because of one replica among several.
      if (labels.severity === 'critical')
        expect(expr).toMatch(/^(max( by \([a-z, ]+\) )?|absent)\(/);
      expect(annotations).toEqual({ summary: expect.any(String), action: expect.any(String) });
    }
  });

  test('the dashboard uses existing metrics, and no two panels share a place', async () => {
    const { panels, uid } = JSON.parse(await read('integrations/grafana/gatepost.json'));
    expect(uid).toBe('gatepost');
    for (const { title, targets } of panels) {
      const wrong = targets.flatMap(({ expr }: { expr: string }) => wrongIn(expr));
      expect({ title, wrong }).toEqual({ title, wrong: [] });
    }
    const places = panels.map(({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) =>
      [x, y].join(),
    );
    expect(new Set(places).size).toBe(panels.length);
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
  });

  test.each(['sum(gatepost_clicks_total', 'gatepost_clicks', 'mean(gatepost_clicks_total)'])(
    'a wrong expression is found: %s',
    (expression) => expect(wrongIn(expression)).not.toEqual([]),
  );
});

test('a running bot counts what happens, and its metrics name no people', async () => {
  await using world = await startWorld();
  const open = await world.ask({ title: 'Still open' });
  const { ts } = await world.ask({ title: 'Deploy 4.2' });
  await world.click('U0CLEO', ts, 'Approve');
  await world.sandbox.until(() => world.told('U0CLEO').length > 0, { what: 'a refusal' });
  await world.click('U0ANA', ts, 'Approve');
  await world.until(ts, /Approved by/);
  world.sandbox.workspace.kickBot(DEPLOYS);
  await world.sandbox.automation.ask();
  const scrape = async () => (await fetch(`${world.app.url}/metrics`)).text();
  await expect.poll(scrape).toMatch(/^gatepost_approvals_open\{.*state="blocked"\} 1$/m);
  const text = await scrape();
  for (const line of [
    /^gatepost_approvals_open\{route="default",state="pending"\} 1$/m,
    /^gatepost_approvals_open\{route="default",state="unknown"\} 0$/m,
    /^gatepost_approvals_oldest_seconds\{route="default"\} [\d.e-]+$/m,
    /^gatepost_approvals_suspended\{why="unauthorized"\} 0$/m,
    /^gatepost_overdue_seconds\{lane="people"\} /m,
    /^gatepost_ballots_total\{result="accepted"\} 1$/m,
    /^gatepost_ballots_total\{result="not-a-reviewer"\} 1$/m,
    /^gatepost_outcomes_total\{status="APPROVED",credit="certain",route="default"\} 1$/m,
    /^gatepost_decision_seconds_count\{route="default"\} 1$/m,
    /^gatepost_service_seconds_count\{method="respond to approval",result="ok"\} 1$/m,
    /^gatepost_slack_seconds_count\{method="chat.postMessage",result="ok"\} \d/m,
    /^gatepost_store_seconds_count\{operation="signal"\} 2$/m,
    /^gatepost_leases_lost_total 0$/m,
  ]) {
    expect(text).toMatch(line);
  }
  for (const word of ['U0ANA', 'U0CLEO', 'Deploy', open.id, open.token]) {
    expect(text).not.toContain(word);
  }
});

test('forged Slack requests are counted as such, not as acknowledgements', async () => {
  await using world = await startWorld();
  const forged = await fetch(`${world.app.url}/slack/events`, {
    method: 'POST',
    body: 'payload={}',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(Math.floor(Date.now() / 1_000)),
      'x-slack-signature': `v0=${'0'.repeat(64)}`,
    },
  });
  expect(forged.status).toBe(401);
  const text = await (await fetch(`${world.app.url}/metrics`)).text();
  expect(text).toMatch(/^gatepost_slack_refused_total\{refusal="wrongly signed"\} 1$/m);
  expect(text).toMatch(/^gatepost_slack_refused_total\{refusal="too old"\} 0$/m);
  expect(text).toMatch(/^gatepost_ack_seconds_count 0$/m);
  const page = await read('docs/configuration.md');
  const causes = [...page.matchAll(/`((?:approvals|service|people|records)\.[a-z-]+)`/g)];
  expect(causes.length).toBeGreaterThan(20);
  for (const [, cause] of causes) {
    expect(text).toContain(`gatepost_alerts_total{cause="${cause}"} 0\n`);
  }
  expect(text).toMatch(/^gatepost_callbacks_total\{result="not-taken"\} 0$/m);
});
