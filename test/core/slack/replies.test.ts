import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { section } from '../../../src/core/slack/blocks.ts';
import { createReplies, isResponseUrl } from '../../../src/core/slack/replies.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { heldDeadline } from '../http/held-deadline.ts';
import { type Answer, type FakeSlack, startFakeSlack, status } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

/** Of a use of a response URL. */
const deadline = heldDeadline(2_000);

function wordsOf(slack: FakeSlack) {
  const { apiUrl } = slack;
  const clients = createWebClients(
    { botToken: 'xoxb-1', apiUrl, logger: createLogSink().logger },
    { clock: systemClock, timers: systemTimers, timing: TRUE_TIME },
  );
  return createReplies({
    ...{ client: clients.interactive, apiUrl },
    ...deadline.system,
  });
}

describe('a reply by response URL', () => {
  it('is visible to one person only, and does not change the message', async () => {
    await using slack = await startFakeSlack(() => status(200, 'ok'));
    await wordsOf(slack).respondUrl(`${slack.url}/respond/1`, { text: 'Hello' });
    expect(slack.calls[0]).toMatchObject({
      method: '/respond/1',
      body: { response_type: 'ephemeral', replace_original: false, text: 'Hello' },
    });
    expect(slack.calls[0]?.headers.authorization).toBeUndefined();
  });

  it.each<[string, Answer, object]>([
    ['used up', () => status(404, 'used_url'), { class: 'refused', code: 'http_404' }],
    [
      'refused in JSON',
      () => ({ ok: false, error: 'expired_url' }),
      { class: 'refused', code: 'expired_url' },
    ],
    [
      'limited',
      () => status(429, '', { 'retry-after': '7' }),
      { class: 'refused', status: 429, retryAfterMs: 7_000 },
    ],
    ['broken', () => status(500), { class: 'ambiguous', code: 'http_500' }],
    ['silent', () => deadline.end, { class: 'ambiguous', code: 'timeout' }],
  ])('fails when the URL is %s', async (_, answer, facts) => {
    await using slack = await startFakeSlack(answer);
    const url = `${slack.url}/respond/secret-part`;
    const failure = await wordsOf(slack)
      .respondUrl(url, { text: 'Hello' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject(facts);
    expect(String(failure)).not.toContain('secret-part');
  });

  it('does not follow a redirect to another host', async () => {
    await using other = await startFakeSlack();
    await using slack = await startFakeSlack(() => status(307, '', { location: other.url }));
    const words = wordsOf(slack).respondUrl(`${slack.url}/respond/1`, { text: 'Hello' });
    await expect(words).rejects.toMatchObject({ code: 'http_307' });
    expect(other.calls).toEqual([]);
  });

  it('is not sent to a foreign host', async () => {
    await using other = await startFakeSlack();
    await using slack = await startFakeSlack();
    const words = wordsOf(slack).respondUrl(other.url, { text: 'Hello' });
    await expect(words).rejects.toMatchObject({ class: 'refused', code: 'foreign_response_url' });
    expect(other.calls).toEqual([]);
  });
});

const rich = { text: 'Two requests', blocks: [section('*One*'), section('*Two*')] };

it('a reply can have blocks and replace the message of its response URL', async () => {
  await using slack = await startFakeSlack();
  const replies = wordsOf(slack);
  await replies.respondUrl(`${slack.url}/respond/1`, { ...rich, replace: true });
  expect(slack.calls[0]?.body).toEqual({
    response_type: 'ephemeral',
    replace_original: true,
    ...rich,
  });
  await replies.ephemeral({ channel: 'C1', user: 'U1', ...rich });
  expect(slack.calls[1]?.body).toEqual({ channel: 'C1', user: 'U1', ...rich });
});

it('an ephemeral message goes to one person in a channel and thread', async () => {
  await using slack = await startFakeSlack();
  await wordsOf(slack).ephemeral({ channel: 'C1', user: 'U1', text: 'Hello', threadTs: '1.1' });
  expect(slack.calls[0]).toMatchObject({ method: 'chat.postEphemeral' });
  expect(slack.calls[0]?.body).toEqual({
    channel: 'C1',
    user: 'U1',
    text: 'Hello',
    thread_ts: '1.1',
  });
});

it('a direct message goes to one person', async () => {
  await using slack = await startFakeSlack();
  await wordsOf(slack).direct({ user: 'U1', text: 'Hello' });
  expect(slack.calls[0]).toMatchObject({
    method: 'chat.postMessage',
    body: { channel: 'U1', text: 'Hello', unfurl_links: 'false', unfurl_media: 'false' },
  });
});

it.each<[string, string | null, boolean]>([
  ['https://hooks.slack.com/actions/T/1/x', null, true],
  ['https://hooks.slack-gov.com/actions/T/1/x', null, true],
  ['http://hooks.slack.com/actions/T/1/x', null, false],
  ['https://hooks.slack.com:8443/actions', null, false],
  ['https://hooks.slack.com.evil.example/x', null, false],
  ['https://hooks.slack.com@evil.example/x', null, false],
  ['https://user:pass@hooks.slack.com/x', null, false],
  ['https://evil.example/hooks.slack.com', null, false],
  ['http://127.0.0.1:4000/r', null, false],
  ['http://127.0.0.1:4000/r', 'http://127.0.0.1:4000/api/', true],
  ['http://127.0.0.1:4001/r', 'http://127.0.0.1:4000/api/', false],
  ['http://slack.example/r', 'https://slack.example/api/', false],
  ['https://slack.example/r', 'https://slack.example/api/', true],
  ['not a url', null, false],
  ['file:///etc/passwd', null, false],
])('%s with the API at %s is a response URL of Slack: %s', (url, apiUrl, expected) => {
  expect(isResponseUrl(url, apiUrl)).toBe(expected);
});
