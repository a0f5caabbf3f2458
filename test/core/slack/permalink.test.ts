import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { createSlackLinks } from '../../../src/core/slack/links.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import { createPermalinks } from '../../../src/core/slack/permalink.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { fake } from '../../support/fake.ts';
import { type FakeSlack, startFakeSlack } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

function linksOf({ apiUrl }: FakeSlack, workspaceUrl: string | null = null) {
  const { logger } = createLogSink();
  const { lookup: client } = createWebClients(
    { botToken: 'xoxb-1', apiUrl, logger },
    { clock: systemClock, timers: systemTimers, timing: TRUE_TIME },
  );
  const links = createSlackLinks({ workspaceUrl, lookup: fake<Lookup>({}), timers: systemTimers });
  return createPermalinks({ client, clock: systemClock, links });
}

test('links are built without a call when the workspace URL is known', async () => {
  await using slack = await startFakeSlack(() => ({ ok: false, error: 'message_not_found' }));
  const link = linksOf(slack, 'https://acme.slack.com/');
  expect(await link('C1', '17.000100')).toBe('https://acme.slack.com/archives/C1/p17000100');
  expect(await link('C1', '17.000100', '17.000100')).toBe(
    'https://acme.slack.com/archives/C1/p17000100',
  );
  expect(await link('C1', '18.000200', '17.000100')).toBe(
    'https://acme.slack.com/archives/C1/p18000200?thread_ts=17.000100&cid=C1',
  );
  expect(slack.calls).toEqual([]);
});

test('Slack is asked once for each link when the workspace URL is unknown', async () => {
  const permalink = 'https://acme.slack.com/archives/C1/p171';
  await using slack = await startFakeSlack(() => ({ ok: true, permalink }));
  const link = linksOf(slack);
  const links = await Promise.all([link('C1', '17.1'), link('C1', '17.1')]);
  expect([...links, await link('C1', '17.1')]).toEqual([permalink, permalink, permalink]);
  expect(slack.calls).toHaveLength(1);
  expect(slack.calls[0]).toMatchObject({
    method: 'chat.getPermalink',
    body: { channel: 'C1', message_ts: '17.1' },
  });
  await link('C1', '17.2');
  await link('C2', '17.1');
  expect(slack.calls).toHaveLength(3);
});

test('asks again for a link that Slack did not give', async () => {
  await using slack = await startFakeSlack(() => ({ ok: false, error: 'message_not_found' }));
  const link = linksOf(slack);
  expect([await link('C1', '17.1'), await link('C1', '17.1')]).toEqual([undefined, undefined]);
  expect(slack.calls).toHaveLength(2);
});
