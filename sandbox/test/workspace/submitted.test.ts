import { describe, expect, it } from 'vitest';
import { liveWorkspace } from './routes/live-workspace.ts';

/** What a modal's submission carries besides what was entered. */

const live = liveWorkspace();
const plain = (text: string) => ({ type: 'plain_text', text });
const input = (block_id: string, element: object) => ({
  type: 'input',
  block_id,
  label: plain(block_id),
  optional: true,
  element: { action_id: 'value', ...element },
});
const modal = (...blocks: object[]) => ({
  type: 'modal',
  title: plain('Where'),
  submit: plain('Send'),
  blocks,
});
const user = 'U0ANA';

/** Opens a modal with a command typed in that channel. */
async function open(channel: string, ...blocks: object[]): Promise<void> {
  await live.sandbox.workspace.command({ user, channel, text: '/try' });
  const form = new URLSearchParams(live.world.app.received.at(-1)?.body);
  const trigger_id = form.get('trigger_id');
  expect(await live.call('views.open', { trigger_id, view: modal(...blocks) })).toMatchObject({
    ok: true,
  });
}

async function submitted(values: Record<string, string | string[]> = {}) {
  const { acknowledged } = await live.sandbox.workspace.submit({ user, values });
  expect(acknowledged).toBe(true);
  return live.world.payloads('view_submission').at(-1);
}

const conversations = (more: object = {}) => ({ type: 'conversations_select', ...more });
const values = (state: object) => ({ view: { state: { values: state } } });

describe('default_to_current_conversation', () => {
  const current = conversations({ default_to_current_conversation: true });

  it('begins with the conversation that the modal was opened from', async () => {
    await open(
      'C0OUTCOMES',
      input('one', current),
      input('many', {
        ...current,
        type: 'multi_conversations_select',
      }),
    );
    expect(await submitted()).toMatchObject(
      values({
        one: { value: { selected_conversation: 'C0OUTCOMES' } },
        many: { value: { selected_conversations: ['C0OUTCOMES'] } },
      }),
    );
  });

  it('gives way to what the person chooses, and to a filter', async () => {
    const filter = { include: ['private'] };
    await open('C0OUTCOMES', input('one', current), input('other', { ...current, filter }));
    const payload = await submitted({ one: 'C0DEPLOYS' });
    expect(payload).toMatchObject(
      values({
        one: { value: { selected_conversation: 'C0DEPLOYS' } },
        other: { value: { selected_conversation: null } },
      }),
    );
  });

  it('begins empty where nobody looks at a conversation', async () => {
    const trigger_id = await live.trigger();
    await live.call('views.open', { trigger_id, view: modal(input('one', current)) });
    expect(await submitted()).toMatchObject(
      values({ one: { value: { selected_conversation: null } } }),
    );
  });
});

describe('response_url_enabled', () => {
  const asking = { response_url_enabled: true };

  it('gives a response_url for each chosen conversation', async () => {
    await open(
      'C0OUTCOMES',
      input('one', conversations(asking)),
      input('two', { type: 'channels_select', ...asking }),
      input('empty', conversations(asking)),
      input('silent', conversations()),
    );
    const payload = await submitted({
      'one value': 'C0DEPLOYS',
      'two value': 'C0OUTCOMES',
      'silent value': 'C0DEPLOYS',
    });
    expect(payload).toMatchObject({
      response_urls: [
        { block_id: 'one', action_id: 'value', channel_id: 'C0DEPLOYS' },
        { block_id: 'two', action_id: 'value', channel_id: 'C0OUTCOMES' },
      ],
    });
    const [first] = (payload?.response_urls ?? []) as { response_url: string }[];
    const body = JSON.stringify({ response_type: 'in_channel', text: 'Filed' });
    expect((await fetch(first?.response_url ?? '', { method: 'POST', body })).status).toBe(200);
    expect(live.sandbox.workspace.messages('C0DEPLOYS')).toMatchObject([{ text: 'Filed' }]);
  });

  it('gives none where no select asks for it', async () => {
    await open('C0OUTCOMES', input('silent', conversations()));
    expect(await submitted({ silent: 'C0DEPLOYS' })).toMatchObject({ response_urls: [] });
  });
});

describe('file_input', () => {
  it('carries the names of files', async () => {
    await open(
      'C0DEPLOYS',
      input('proof', { type: 'file_input', filetypes: ['pdf'], max_files: 2 }),
    );
    const workspace = live.sandbox.workspace;
    const attach = (names: string[]) =>
      workspace.choose({ user, surface: 'modal', input: 'proof', value: names });
    await expect(attach(['a.png'])).rejects.toThrow('value does not take "a.png"');
    await expect(attach(['a.pdf', 'b.pdf', 'c.pdf'])).rejects.toThrow('value takes 2 at most');
    expect(await submitted({ proof: ['Report 7.PDF'] })).toMatchObject(
      values({
        proof: {
          value: {
            type: 'file_input',
            files: [{ id: 'F0REPORT7PDF', name: 'Report 7.PDF', filetype: 'pdf' }],
          },
        },
      }),
    );
  });

  it('has to be filled in if it is not optional', async () => {
    await open('C0DEPLOYS', { ...input('proof', { type: 'file_input' }), optional: false });
    await expect(submitted()).rejects.toThrow('value is required');
  });
});

it('an external select with min_query_length 0 asks before anything is typed', async () => {
  await open('C0DEPLOYS', input('what', { type: 'external_select', min_query_length: 0 }));
  live.world.answer(() => ({
    status: 200,
    body: JSON.stringify({ options: [{ text: plain('One'), value: '1' }] }),
  }));
  const asked = { user, surface: 'modal', input: 'what', typed: '' } as const;
  expect((await live.sandbox.workspace.suggest(asked)).options).toMatchObject([{ value: '1' }]);
});
