import { describe, expect, it } from 'vitest';
import { liveWorkspace } from './routes/live-workspace.ts';

const live = liveWorkspace();
const channel = 'C0DEPLOYS';
const user = 'U0ANA';

/** Two buttons of the kind before Block Kit; names need not differ. */
const older = {
  text: 'Do you approve?',
  callback_id: 'approval',
  actions: [
    { name: 'decide', text: 'Approve', type: 'button', value: 'yes', style: 'primary' },
    {
      name: 'decide',
      text: 'Reject',
      type: 'button',
      value: 'no',
      confirm: { text: 'Really?', ok_text: 'Reject' },
    },
  ],
};
const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };
const newer = {
  color: '#ff0000',
  blocks: [{ type: 'actions', block_id: 'b', elements: [button] }],
};

const post = () => live.post('Deploy?', { attachments: [{ text: 'First' }, older, newer] });
const press = (ts: string, label: string, more: object = {}) =>
  live.sandbox.workspace.click({ user, channel, ts, label, ...more });

describe('a button in an attachment', () => {
  it('of the kind before Block Kit arrives as an interactive message', async () => {
    const ts = await post();
    expect(await press(ts, 'Approve')).toMatchObject({ acknowledged: true });
    expect(live.world.payloads('interactive_message')).toMatchObject([
      {
        callback_id: 'approval',
        actions: [{ name: 'decide', type: 'button', value: 'yes' }],
        attachment_id: '2',
        message_ts: ts,
        original_message: { ts, text: 'Deploy?', attachments: [{}, {}, {}] },
        user: { id: user },
        channel: { id: channel },
        trigger_id: expect.stringMatching(/./),
        response_url: expect.stringMatching(/^http/),
      },
    ]);
  });

  it('can be confirmed first', async () => {
    const before = live.world.payloads('interactive_message').length;
    const ts = await post();
    expect(await press(ts, 'Reject', { confirm: false })).toMatchObject({ sent: false });
    await press(ts, 'Reject');
    const [pressed, ...others] = live.world.payloads('interactive_message').slice(before);
    expect(pressed).toMatchObject({ actions: [{ value: 'no' }] });
    expect(others).toEqual([]);
  });

  it('is answered with the message that takes its place', async () => {
    const ts = await post();
    live.world.answer(() => ({ status: 200, body: JSON.stringify({ text: 'Approved' }) }));
    await press(ts, 'Approve');
    const message = live.sandbox.workspace.message(channel, ts);
    expect(message).toMatchObject({ text: 'Approved' });
    expect(message).not.toHaveProperty('attachments');
  });

  it('says that the answer cannot be shown', async () => {
    const ts = await post();
    live.world.answer(() => ({ status: 200, body: JSON.stringify({ text: '' }) }));
    expect(await press(ts, 'Approve')).toMatchObject({
      shown: 'The response of the app cannot be shown: no_text.',
    });
    expect(live.sandbox.workspace.message(channel, ts)).toMatchObject({ text: 'Deploy?' });
  });

  it('keeps the message if the answer is none', async () => {
    const ts = await post();
    for (const body of ['ok', '{"ok":true}']) {
      live.world.answer(() => ({ status: 200, body }));
      expect(await press(ts, 'Approve')).toMatchObject({ shown: null });
    }
    expect(live.sandbox.workspace.message(channel, ts)).toMatchObject({ text: 'Deploy?' });
  });

  it('of Block Kit arrives as any other, and says that it is in an attachment', async () => {
    const ts = await post();
    await press(ts, 'Go');
    expect(live.world.payloads('block_actions')).toMatchObject([
      {
        actions: [{ action_id: 'go', block_id: 'b' }],
        container: { type: 'message_attachment', attachment_id: 3, message_ts: ts },
      },
    ]);
  });
});
