import { WebAPIHTTPError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { slackClient } from '../slack-client.ts';
import { quietManifest } from './app-world.ts';
import { proof } from './proof.ts';

const channel = 'C0DEPLOYS';
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ manifest: quietManifest });
});
afterEach(() => sandbox.close());

const post = (text = 'Hello') => slackClient(sandbox).chat.postMessage({ channel, text });

describe('a fault of the workspace', () => {
  proof('429', 'of kind 429 has the wait time and processes nothing', async () => {
    sandbox.workspace.fault({ kind: '429', method: 'chat.postMessage', retryAfter: 7, times: 1 });
    const error = await post().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebAPIRateLimitedError);
    expect(error).toMatchObject({ retryAfter: 7 });
    expect(sandbox.workspace.messages(channel)).toEqual([]);
    expect(await post()).toMatchObject({ ok: true });
  });

  proof('500', 'of kind 500 processes nothing', async () => {
    sandbox.workspace.fault({ kind: '500', times: 1 });
    const error = await post().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebAPIHTTPError);
    expect(error).toMatchObject({ statusCode: 500 });
    expect(sandbox.workspace.messages(channel)).toEqual([]);
  });

  const dropped = async (kind: 'dropBefore' | 'dropAfter' | 'reset', messages: number) => {
    sandbox.workspace.fault({ kind, times: 1 });
    await expect(post()).rejects.toBeInstanceOf(WebAPIRequestError);
    expect(sandbox.workspace.messages(channel)).toHaveLength(messages);
    expect(sandbox.workspace.calls()).toMatchObject([{ status: 0, ok: false }]);
  };

  proof('dropBefore', 'of kind dropBefore processes nothing and gives no answer', () =>
    dropped('dropBefore', 0),
  );

  proof('reset', 'of kind reset does the same', () => dropped('reset', 0));

  proof('dropAfter', 'of kind dropAfter processes and gives no answer', () =>
    dropped('dropAfter', 1),
  );

  proof('refused', 'of kind refused returns a Slack error and processes nothing', async () => {
    const error = 'restricted_action_read_only_channel';
    sandbox.workspace.fault({ kind: 'refused', error, method: 'chat.postMessage', times: 1 });
    await expect(post()).rejects.toMatchObject({ data: { ok: false, error } });
    expect(sandbox.workspace.messages(channel)).toEqual([]);
    expect(sandbox.workspace.calls()).toMatchObject([{ status: 200, ok: false, error }]);
    expect(await post()).toMatchObject({ ok: true });
  });

  proof('latency', 'of kind latency processes the call later', async () => {
    sandbox.workspace.fault({ kind: 'latency', ms: 60, times: 1 });
    const posted = post();
    await sandbox.until(() => sandbox.workspace.calls().length === 1);
    expect(sandbox.workspace.calls()).toMatchObject([{ status: null }]);
    expect(sandbox.workspace.messages(channel)).toEqual([]);
    await posted;
    expect(sandbox.workspace.messages(channel)).toHaveLength(1);
  });

  proof('slowAnswer', 'of kind slowAnswer processes the call at once', async () => {
    sandbox.workspace.fault({ kind: 'slowAnswer', ms: 60, times: 1 });
    const posted = post();
    await sandbox.until(() => sandbox.workspace.messages(channel).length === 1);
    expect(sandbox.workspace.calls()).toMatchObject([{ status: null }]);
    await posted;
    expect(sandbox.workspace.calls()).toMatchObject([{ status: 200, ok: true }]);
  });

  it('waits until earlier faults are used up', async () => {
    sandbox.workspace.fault({ kind: '500', times: 1 });
    sandbox.workspace.fault({ kind: 'dropBefore', times: 1 });
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    await expect(post()).rejects.toBeInstanceOf(WebAPIRequestError);
    expect(await post()).toMatchObject({ ok: true });
  });

  it('can be combined with a latency, limited to some calls, and cleared', async () => {
    sandbox.workspace.fault({ kind: 'latency', ms: 1 });
    sandbox.workspace.fault({ kind: '500', when: ({ text }) => text === 'bad' });
    expect(await post('good')).toMatchObject({ ok: true });
    await expect(post('bad')).rejects.toMatchObject({ statusCode: 500 });
    await expect(post('bad')).rejects.toMatchObject({ statusCode: 500 });
    sandbox.workspace.clearFaults();
    expect(await post('bad')).toMatchObject({ ok: true });
  });
});

describe('the sandbox', () => {
  it('returns to its seed at a reset, and keeps its credentials', async () => {
    const { credentials } = sandbox;
    await post();
    sandbox.workspace.archive(channel);
    sandbox.workspace.kickBot('C0OUTCOMES');
    sandbox.workspace.fault({ kind: '500' });
    sandbox.reset();
    expect(sandbox.workspace.calls()).toEqual([]);
    expect(sandbox.workspace.messages(channel)).toEqual([]);
    expect(await post()).toMatchObject({ ok: true });
    const there = { channel: 'C0OUTCOMES', text: 'Hello' };
    expect(await slackClient(sandbox).chat.postMessage(there)).toMatchObject({ ok: true });
    expect(sandbox.credentials).toEqual(credentials);
  });

  it('adds the bot to a channel and removes it', async () => {
    sandbox.workspace.inviteBot('C0NOBOT');
    const there = { channel: 'C0NOBOT', text: 'Hello' };
    expect(await slackClient(sandbox).chat.postMessage(there)).toMatchObject({ ok: true });
    sandbox.workspace.kickBot('C0NOBOT');
    await expect(slackClient(sandbox).chat.postMessage(there)).rejects.toMatchObject({
      data: { error: 'not_in_channel' },
    });
  });

  it('rejects a wait with its description at a timeout, or when the sandbox is closed', async () => {
    const never = () => false as const;
    await expect(sandbox.until(never, { timeoutMs: 20, what: 'a post' })).rejects.toThrow(
      'a post: nothing after 20 ms',
    );
    const wait = expect(sandbox.until(never)).rejects.toThrow('the sandbox was closed');
    await sandbox.close();
    await wait;
  });

  it('can be closed while a request is pending', async () => {
    sandbox.workspace.fault({ kind: 'latency', ms: 60_000 });
    const posted = expect(post()).rejects.toBeInstanceOf(WebAPIRequestError);
    await sandbox.until(() => sandbox.workspace.calls().length === 1);
    await sandbox.close();
    await posted;
  });
});
