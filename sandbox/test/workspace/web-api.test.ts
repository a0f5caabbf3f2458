import { describe, expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { startAppWorld } from './app-world.ts';
import { liveWorkspace, startedAt } from './routes/live-workspace.ts';

const live = liveWorkspace();
const { call, post } = live;
const channel = 'C0DEPLOYS';

describe('the Web API', () => {
  it('answers an unknown method with 200 and unknown_method', async () => {
    const url = `${live.sandbox.slackApiUrl}chat.postMassage`;
    const answer = await fetch(url, { method: 'POST' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ ok: false, error: 'unknown_method' });
    expect(await call('constructor')).toMatchObject({ error: 'unknown_method' });
  });

  it('accepts forms with JSON values, JSON bodies and tokens in the body', async () => {
    const send = async (type: string | undefined, body: string) => {
      const url = `${live.sandbox.slackApiUrl}chat.postMessage`;
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await fetch(url, { method: 'POST', headers, body: Buffer.from(body) });
      expect(answer.status).toBe(200);
      return answer.json();
    };
    const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
    const token = live.sandbox.credentials.botToken;
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'a' } }];
    const json = 'application/json; charset=utf-8';
    const whole = JSON.stringify({ channel, text: 'One', blocks, token });
    expect(await send(json, whole)).toMatchObject({ ok: true, message: { blocks } });
    const fields = { channel, text: 'Two', blocks: JSON.stringify(blocks), token };
    const asForm = await send('application/x-www-form-urlencoded', form(fields));
    expect(asForm).toMatchObject({ ok: true, message: { blocks } });
    expect(await send(json, '{"a"')).toMatchObject({ error: 'invalid_json' });
    expect(await send(json, '[1]')).toMatchObject({ error: 'json_not_object' });
    expect(await send('text/plain', 'a')).toMatchObject({ error: 'invalid_post_type' });
    expect(await send(undefined, 'a')).toMatchObject({ error: 'missing_post_type' });
  });

  it('records calls without tokens', async () => {
    await post('Hello');
    await call('chat.update', { channel, ts: '1.000001', text: 'Bye' });
    expect(live.sandbox.workspace.calls()).toMatchObject([
      { method: 'chat.postMessage', args: { channel, text: 'Hello' }, status: 200, ok: true },
      { method: 'chat.update', ok: false, error: 'message_not_found', at: startedAt },
    ]);
    expect(live.sandbox.workspace.calls('chat.update')).toHaveLength(1);
    const { botToken } = live.sandbox.credentials;
    expect(JSON.stringify(live.sandbox.workspace.calls())).not.toContain(botToken);
  });

  it('records what was wrong with a call, and what was missing', async () => {
    const view = { type: 'modal', title: { type: 'plain_text', text: '' }, blocks: [] };
    await call('views.open', { trigger_id: await live.trigger(), view });
    await call('chat.postMassage');
    await using bare = await startAppWorld({ scopes: ['chat:write'] });
    await slackClient(bare.sandbox)
      .apiCall('users.list')
      .catch(() => {});
    const problems = (sandbox = live.sandbox) =>
      sandbox.workspace.calls().map((each) => each.problems);
    expect(problems()).toEqual([
      ['must be more than 0 characters [json-pointer:/view/title/text]'],
      ['not imitated here: the README lists the methods'],
    ]);
    expect(problems(bare.sandbox)).toEqual([['needs the scope users:read']]);
  });

  it('returns the granted scopes in a header', async () => {
    await using bare = await startAppWorld({ scopes: ['commands', 'chat:write'] });
    const { response_metadata } = await slackClient(bare.sandbox).auth.test();
    expect(response_metadata?.scopes).toEqual(['commands', 'chat:write']);
  });
});
