import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { type AppWorld, channel, startAppWorld } from './app-world.ts';
import { proof } from './proof.ts';

let world: AppWorld;
beforeEach(async () => {
  world = await startAppWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const person = { id: 'U0ANA', username: 'ana', name: 'ana', team_id: 'T0ACME' };

describe('a shortcut', () => {
  proof('message shortcut', 'on a message sends the message', async () => {
    const { workspace } = world.sandbox;
    const { ts } = workspace.say({ user: 'U0BEN', channel, text: 'It fails' });
    const use = { user: 'U0ANA', callbackId: 'try.message', channel, ts };
    expect(await workspace.shortcut(use)).toMatchObject({ acknowledged: true });
    expect(world.payloads('message_action')).toMatchObject([
      {
        callback_id: 'try.message',
        user: person,
        team: { id: 'T0ACME', domain: 'acme' },
        channel: { id: channel, name: 'deployments' },
        message_ts: ts,
        message: { type: 'message', user: 'U0BEN', ts, text: 'It fails' },
        trigger_id: expect.any(String),
        response_url: expect.stringContaining('/slack/response/'),
        action_ts: expect.any(String),
      },
    ]);
  });

  proof('global shortcut', 'that is global sends neither channel nor response_url', async () => {
    const use = { user: 'U0ANA', callbackId: 'try.global', twice: 'pressed' } as const;
    await world.sandbox.workspace.shortcut(use);
    const [payload, other] = world.payloads('shortcut');
    expect(payload).toMatchObject({ callback_id: 'try.global', user: person });
    expect(payload).not.toHaveProperty('response_url');
    expect(payload).not.toHaveProperty('channel');
    expect(payload?.trigger_id).not.toBe(other?.trigger_id);
  });

  it('on a message has a response_url that does not replace the message', async () => {
    const { workspace } = world.sandbox;
    const { ts } = workspace.say({ user: 'U0BEN', channel, text: 'It fails' });
    await workspace.shortcut({ user: 'U0ANA', callbackId: 'try.message', channel, ts });
    const url = String(world.payloads('message_action')[0]?.response_url);
    await fetch(url, { method: 'POST', body: '{"text":"Noted"}' });
    expect(workspace.message(channel, ts)).toMatchObject({ text: 'It fails' });
    expect(workspace.ephemerals('U0ANA')).toMatchObject([{ text: 'Noted' }]);
    const replaced = await fetch(url, {
      method: 'POST',
      body: '{"text":"Mine","replace_original":true}',
    });
    expect(await replaced.json()).toMatchObject({ error: 'message_not_found' });
  });

  it('must be in the manifest', async () => {
    const use = { user: 'U0ANA', callbackId: 'other' };
    const used = world.sandbox.workspace.shortcut(use);
    await expect(used).rejects.toThrow('The app has no global shortcut other.');
    await using other = await startAppWorld({ scopes: ['chat:write'] });
    const known = { user: 'U0ANA', callbackId: 'try.global' };
    await expect(other.sandbox.workspace.shortcut(known)).rejects.toThrow('no global shortcut');
  });

  it('works on messages that the person sees, but not on ephemeral ones', async () => {
    const { workspace } = world.sandbox;
    const use = { user: 'U0ANA', callbackId: 'try.message', channel };
    await expect(workspace.shortcut({ ...use, ts: '1.000001' })).rejects.toThrow('sees no message');
    const { message_ts = '' } = await slackClient(world.sandbox).chat.postEphemeral({
      channel,
      user: 'U0ANA',
      text: 'Psst',
    });
    await expect(workspace.shortcut({ ...use, ts: message_ts })).rejects.toThrow('no shortcuts');
  });
});
