import { SocketModeClient } from '@slack/socket-mode';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../sandbox.ts';
import { silentLogger, slackClient } from '../slack-client.ts';
import { type AppWorld, channel, startAppWorld } from './app-world.ts';

/** What the real client passes to its listeners. */
interface Came {
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retry_num?: number;
  readonly retry_reason?: string;
  readonly accepts_response_payload?: boolean;
  readonly ack: (answer?: object) => Promise<void>;
}

let world: AppWorld;
let client: SocketModeClient;
let came: Came[];
/** The app's answer; `silence` leaves Slack waiting. */
let answer: (one: Came) => object | 'silence' | undefined;

async function start(options: SandboxOptions = {}): Promise<void> {
  world = await startAppWorld({ eventRetriesMs: [0], ...options });
  world.sandbox.connectBot({ eventsUrl: null, intakeUrl: world.app.url });
  came = [];
  answer = () => undefined;
  client = new SocketModeClient({
    appToken: world.sandbox.credentials.appToken,
    autoReconnectEnabled: false,
    logger: silentLogger,
    clientOptions: { slackApiUrl: world.sandbox.slackApiUrl },
  });
  client.on('slack_event', async (one: Came) => {
    came.push(one);
    const given = answer(one);
    if (given !== 'silence') await one.ack(given);
  });
  await client.start();
}
/** The client waits until the sandbox ends the connection, as with Slack. */
const end = () => Promise.all([client.disconnect(), world[Symbol.asyncDispose]()]);
/** Slack waits only as long as nothing has to come in time. */
async function startImpatient(): Promise<void> {
  await end();
  await start({ patienceMs: 100 });
}

beforeEach(() => start());
afterEach(end);

const user = 'U0ANA';

describe('in Socket Mode', () => {
  it('a command is sent in an envelope, and its acknowledgement can have a response', async () => {
    answer = () => ({ text: 'Done.' });
    const { workspace } = world.sandbox;
    const typed = { user, channel, text: '/try it' };
    expect(await workspace.command(typed)).toMatchObject({ acknowledged: true, shown: null });
    expect(came).toMatchObject([
      {
        type: 'slash_commands',
        accepts_response_payload: true,
        body: { command: '/try', text: 'it', user_id: user, trigger_id: expect.any(String) },
      },
    ]);
    expect(workspace.visibleTo(user, channel)).toMatchObject([{ text: 'Done.', to: user }]);
    answer = () => undefined;
    await workspace.command(typed);
    expect(workspace.ephemerals(user)).toHaveLength(1);
  });

  it('a command without an acknowledgement fails as over HTTP', async () => {
    await startImpatient();
    answer = () => 'silence';
    const { workspace } = world.sandbox;
    const typed = { user, channel, text: '/try it' };
    const timedOut = '/try failed with the error "operation_timeout"';
    expect(await workspace.command(typed)).toMatchObject({ shown: timedOut });
    workspace.sockets.drop();
    await world.sandbox.until(() => workspace.sockets.open() === 0);
    const failed = '/try failed with the error "dispatch_failed"';
    expect(await workspace.command(typed)).toMatchObject({ shown: failed });
  });

  it('an event without an acknowledgement is sent again, and says so', async () => {
    await startImpatient();
    const { workspace, until } = world.sandbox;
    answer = ({ retry_num }) => (retry_num ? undefined : 'silence');
    workspace.archive(channel);
    await until(() => workspace.events()[0]?.over);
    await expect.poll(() => came.length).toBe(2);
    expect(came).toMatchObject([
      { type: 'events_api', retry_num: 0, retry_reason: '', accepts_response_payload: false },
      { retry_num: 1, retry_reason: 'timeout' },
    ]);
    expect(came[1]?.body).toEqual(came[0]?.body);
    expect(came[0]?.body).toMatchObject({
      type: 'event_callback',
      event: { type: 'channel_archive' },
    });
  });

  it('shortcuts, options, submissions and closed views are sent, with responses where Slack allows them', async () => {
    const { workspace } = world.sandbox;
    await workspace.shortcut({ user, callbackId: 'try.global' });
    const element = { type: 'external_select', action_id: 'find', min_query_length: 1 };
    const label = { type: 'plain_text', text: 'Find' };
    const option = { text: { type: 'plain_text', text: 'One' }, value: '1' };
    await slackClient(world.sandbox).apiCall('views.open', {
      trigger_id: came[0]?.body.trigger_id,
      view: {
        type: 'modal',
        title: { type: 'plain_text', text: 'Try' },
        submit: { type: 'plain_text', text: 'Send' },
        notify_on_close: true,
        blocks: [{ type: 'input', block_id: 'find', label, element }],
      },
    });
    answer = ({ body }) =>
      body.type === 'block_suggestion'
        ? { options: [option] }
        : { response_action: 'errors', errors: { find: 'Not that one' } };
    const asked = { user, surface: 'modal', input: 'Find', typed: 'o' } as const;
    expect(await workspace.suggest(asked)).toMatchObject({ options: [option] });
    await workspace.submit({ user, values: { Find: 'One' } });
    expect(workspace.modalErrors(user)).toEqual({ find: 'Not that one' });
    await workspace.closeModal({ user });
    const seen = came.map(({ body, accepts_response_payload }) => [
      body.type,
      accepts_response_payload,
    ]);
    expect(seen).toEqual([
      ['shortcut', false],
      ['block_suggestion', true],
      ['view_submission', true],
      ['view_closed', false],
    ]);
  });
});
