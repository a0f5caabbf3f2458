import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { shortIdOf } from '../src/core/lib/short-id.ts';
import { loggedMessages } from './support/log-messages.ts';
import { startWorld, type World } from './support/world.ts';

const ROOT = new URL('..', import.meta.url);

/** Logged by name: it is an argument of `reportFailure` in main.ts. */
const NAMED = ['fatal could not start', 'fatal cannot go on'];

test('docs/logs-and-metrics.md lists every message of the log, and no other', async () => {
  const page = await readFile(new URL('docs/logs-and-metrics.md', ROOT), 'utf8');
  const [, table = ''] = /<!-- messages:[^>]*-->\n([\s\S]*?)<!-- \/messages -->/.exec(page) ?? [];
  const listed = [...table.matchAll(/^\| (\w+) `(.+?)` \|/gm)].map(
    ([, level, message]) => `${level} ${message}`,
  );
  const found = await loggedMessages(new URL('src', ROOT).pathname);
  const files = ['src/app/features.ts', 'src/app/entries.ts'];
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, ROOT), 'utf8')));
  const told = [...texts.join('\n').matchAll(/(?:\bline\(|done: |otherwise: )'([^']+)'/g)].map(
    ([, message]) => `info ${message}`,
  );
  const logged = [...found.map(({ level, message }) => `${level} ${message}`), ...told, ...NAMED];
  expect(listed.toSorted()).toEqual([...new Set(logged)].toSorted());
});

test('the log follows an approval from request to outcome by its ids, without its texts', async () => {
  await using world = await startWorld();
  const { id, ts } = await world.ask({ title: 'Deploy the secret plan' });
  await world.click('U0CLEO', ts, 'Approve');
  await world.sandbox.until(() => world.told('U0CLEO').length > 0, { what: 'a refusal' });
  await world.click('U0ANA', ts, 'Approve');
  await world.until(ts, /Approved by/);
  await world.sandbox.until(() => linesOf(world).some(({ msg }) => msg === 'outcome'), {
    what: 'the outcome in the log',
  });
  const of = linesOf(world).filter(({ record, level }) => record === id && level === INFO);
  const told = of.map(({ msg, result, code, short }) => ({ msg, result, code, short }));
  const short = shortIdOf(id);
  expect(told.slice(0, 6)).toEqual([
    { msg: 'asked', short },
    { msg: 'posted', short },
    { msg: 'pressed', result: 'refused', code: 'not-a-reviewer', short },
    { msg: 'pressed', result: 'accepted', short },
    { msg: 'sent', short },
    { msg: 'outcome', short },
  ]);
  expect(world.log.join('')).not.toContain('secret plan');
});

test('at level debug every call of the service and of Slack is in the log, with how long it took', async () => {
  await using world = await startWorld();
  const { ts } = await world.ask();
  await world.click('U0ANA', ts, 'Approve');
  await world.until(ts, /Approved by/);
  const callsOf = () => linesOf(world).filter(({ msg }) => String(msg).startsWith('called '));
  await world.sandbox.until(() => callsOf().some(({ method }) => method === 'chat.update'), {
    what: 'the update in the log',
  });
  const calls = callsOf();
  expect(calls).toContainEqual(
    expect.objectContaining({
      msg: 'called the service',
      method: 'respond to approval',
      result: 'ok',
      status: 200,
      tookMs: expect.any(Number),
    }),
  );
  const methods = calls.filter(({ msg }) => msg === 'called Slack').map(({ method }) => method);
  expect(methods).toEqual(expect.arrayContaining(['chat.postMessage', 'chat.update']));
});

const INFO = 30;

function linesOf({ log }: World): Record<string, unknown>[] {
  return log.map((line) => JSON.parse(line));
}
