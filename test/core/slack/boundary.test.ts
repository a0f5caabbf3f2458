import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { brokenSentence, OUTDATED, ReadError } from '../../../src/core/slack/boundary.ts';
import { status } from './fake-slack.ts';
import { click, startStage, submission } from './slack-stage.ts';

const BROKEN = brokenSentence(new Error(), 'REF7');
const boom = async () => {
  throw new Error('boom with xoxb-secret in it');
};

describe('a feature that is switched off', () => {
  it('answers a command and a press with its sentence, and logs no error', async () => {
    await using stage = await startStage(() => {});
    const answer = await stage.command({ command: '/off' });
    expect(JSON.parse(answer.text)).toEqual({ response_type: 'ephemeral', text: 'This is off.' });
    await stage.interact(click('off.press', `${stage.slack.url}/respond`));
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([['/respond', 'This is off.']]);
    expect(stage.sink.lines).toEqual([]);
  });
});

describe('an error in a listener', () => {
  it('before the acknowledgement of a click is reported to the person by the response URL', async () => {
    await using stage = await startStage((bolt) => bolt.action('demo.go', boom));
    const answer = await stage.interact(click('demo.go', `${stage.slack.url}/respond`));
    expect(answer).toEqual({ status: 200, text: '' });
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([['/respond', BROKEN]]);
    expect(stage.sink.lines).toMatchObject([
      { msg: 'A listener failed', reference: 'REF7', kind: 'action', id: 'demo.go', user: 'U1' },
    ]);
    expect(stage.sink.text()).toContain('boom with [secret] in it');
    expect(stage.sink.text()).not.toContain('xoxb-secret');
  });

  it('after the acknowledgement is reported by the response URL too', async () => {
    await using stage = await startStage((bolt) => {
      bolt.command('/late', async ({ ack }) => {
        await ack('Working on it');
        await boom();
      });
    });
    const members = { command: '/late', response_url: `${stage.slack.url}/respond` };
    expect(await stage.command(members)).toMatchObject({ text: 'Working on it' });
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([['/respond', BROKEN]]);
  });

  it('is sent as a direct message when the response URL is used up', async () => {
    await using stage = await startStage(
      (bolt) => bolt.action('demo.go', boom),
      ({ method }) => (method === '/respond' ? status(404, 'used_url') : { ok: true }),
    );
    await stage.interact(click('demo.go', `${stage.slack.url}/respond`));
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([
      ['/respond', BROKEN],
      ['chat.postMessage', BROKEN],
    ]);
  });

  it('is sent as a direct message when the response URL is not Slack’s', async () => {
    await using stage = await startStage((bolt) => bolt.action('demo.go', boom));
    await stage.interact(click('demo.go', 'https://evil.example/'));
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([['chat.postMessage', BROKEN]]);
  });

  it('is only logged when the person cannot be reached', async () => {
    await using stage = await startStage(
      (bolt) => bolt.action('demo.go', boom),
      ({ method }) =>
        method === 'chat.postMessage' ? { ok: false, error: 'channel_not_found' } : { ok: true },
    );
    // Slack shows them a failure.
    expect(await stage.interact(click('demo.go', undefined))).toEqual({ status: 503, text: '' });
    await stage.app.boundary.drain(2_000);
    expect(stage.sink.lines.map((line) => line.msg)).toEqual([
      'A listener failed',
      'could not show the error to the person',
    ]);
  });

  it('is reported to the person before the request is acknowledged', async () => {
    let take: ((response: ServerResponse) => void) | undefined;
    const taken = new Promise<ServerResponse>((resolve) => {
      take = resolve;
    });
    await using stage = await startStage(
      (bolt) => bolt.action('demo.go', boom),
      ({ method }) => (method === '/respond' ? (response) => take?.(response) : { ok: true }),
    );
    let isAnswered = false;
    const answer = stage.interact(click('demo.go', `${stage.slack.url}/respond`)).finally(() => {
      isAnswered = true;
    });
    const response = await taken;
    expect(isAnswered).toBe(false);
    response.end('ok');
    expect(await answer).toEqual({ status: 200, text: '' });
  });

  it('fails the request before Slack gives up when the person cannot be reached in time', async () => {
    await using stage = await startStage(
      (bolt) => bolt.action('demo.go', boom),
      () => () => {},
    );
    const answer = stage.interact(click('demo.go', `${stage.slack.url}/respond`));
    await vi.waitUntil(() => stage.told().length > 0, { timeout: 60_000 });
    // Slack waits for 3 s.
    stage.pass(2_900);
    expect(await answer).toEqual({ status: 503, text: '' });
  });

  it('before the acknowledgement of a command is shown as the answer to it', async () => {
    await using stage = await startStage((bolt) => bolt.command('/x', boom));
    const answer = await stage.command({ command: '/x' });
    expect(JSON.parse(answer.text)).toEqual({ response_type: 'ephemeral', text: BROKEN });
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([]);
  });

  it('in a listener that only reads says that nothing was changed', async () => {
    const unread = async () => {
      throw new ReadError(new Error('the store is away'));
    };
    await using stage = await startStage((bolt) => bolt.command('/x', unread));
    const { text } = JSON.parse((await stage.command({ command: '/x' })).text);
    expect(text).toMatchInlineSnapshot(
      `"Gatepost could not read this, and nothing was changed. Try again in a minute. If it keeps happening, give an administrator this reference: REF7"`,
    );
    expect(stage.sink.lines).toMatchObject([
      { reference: 'REF7', error: { code: 'not_read', cause: 'the store is away' } },
    ]);
  });

  it('on a submission is shown at the first input, so that what was typed stays', async () => {
    await using stage = await startStage((bolt) => bolt.view('form', boom));
    const blocks = [{ type: 'section' }, { type: 'input', block_id: 'title' }];
    const answer = await stage.interact(submission('form', blocks));
    expect(JSON.parse(answer.text)).toEqual({
      response_action: 'errors',
      errors: { title: BROKEN },
    });
  });

  it('on a submission without inputs replaces the form', async () => {
    await using stage = await startStage((bolt) => bolt.view('form', boom));
    const answer = JSON.parse((await stage.interact(submission('form'))).text);
    expect(answer).toMatchObject({
      response_action: 'update',
      view: { type: 'modal', blocks: [{ type: 'section', text: { text: BROKEN } }] },
    });
  });

  it('on an event is only logged', async () => {
    await using stage = await startStage((bolt) => bolt.event('app_home_opened', boom));
    const event = { type: 'app_home_opened', user: 'U1' };
    const answer = await stage.event({ type: 'event_callback', team_id: 'T1', event });
    expect(answer).toEqual({ status: 200, text: '' });
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([]);
    expect(stage.sink.lines).toMatchObject([{ msg: 'A listener failed', kind: 'event' }]);
  });
});

describe('a request without a listener', () => {
  it('is answered at once, and a click gets a message that it is outdated', async () => {
    await using stage = await startStage((bolt) => bolt.action('demo.go', ({ ack }) => ack()));
    const answer = await stage.interact(click('demo.gone', `${stage.slack.url}/respond`));
    expect(answer).toEqual({ status: 200, text: '' });
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([['/respond', OUTDATED.action]]);
    expect(stage.sink.lines).toMatchObject([
      { msg: 'no listener for a request from Slack', kind: 'action', id: 'demo.gone' },
    ]);
    expect(OUTDATED.action).toContain('That button no longer works.');
  });

  it('as a command is answered with a message that it is outdated', async () => {
    await using stage = await startStage();
    const answer = await stage.command({ command: '/gone' });
    expect(JSON.parse(answer.text)).toMatchObject({ text: OUTDATED.command });
  });

  it('gets an empty list for a select, and nothing for a closed view or an event', async () => {
    await using stage = await startStage();
    const user = { id: 'U1', team_id: 'T1' };
    const options = await stage.interact({ type: 'block_suggestion', user, action_id: 'gone' });
    expect(JSON.parse(options.text)).toEqual({ options: [] });
    const closed = { type: 'view_closed', user, view: { callback_id: 'gone' } };
    expect(await stage.interact(closed)).toEqual({ status: 200, text: '' });
    const event = { type: 'event_callback', team_id: 'T1', event: { type: 'message' } };
    expect(await stage.event(event)).toEqual({ status: 200, text: '' });
    await stage.app.boundary.drain(2_000);
    expect(stage.told()).toEqual([]);
    // Nobody is told about an event without a listener.
    expect(stage.sink.lines).toMatchObject([{ kind: 'options' }, { kind: 'view_closed' }]);
  });

  it('is acknowledged even when it cannot be recognized', async () => {
    await using stage = await startStage();
    expect(await stage.event({ strange: true })).toEqual({ status: 200, text: '' });
    expect(await stage.event({ event: null, type: 'event_callback' })).toMatchObject({
      status: 200,
    });
  });
});

it('draining waits for running listeners, up to its limit', async () => {
  const gate = new EventTarget();
  await using stage = await startStage((bolt) => {
    bolt.command('/slow', async ({ ack }) => {
      await ack();
      await new Promise((resolve) => gate.addEventListener('open', resolve));
    });
  });
  await stage.command({ command: '/slow' });
  expect(stage.app.boundary.inFlight).toBe(1);
  const given = stage.app.boundary.drain(20);
  stage.pass(20);
  expect(await given).toBe(false);
  const drained = stage.app.boundary.drain(5_000);
  gate.dispatchEvent(new Event('open'));
  expect(await drained).toBe(true);
  expect(stage.app.boundary.inFlight).toBe(0);
});

it('others make way for a request until it is acknowledged', async () => {
  const waited: number[] = [];
  await using stage = await startStage((bolt) => {
    bolt.command('/slow', async ({ ack }) => {
      waited.push(stage.waiting());
      await ack();
      waited.push(stage.waiting());
    });
  });
  await stage.command({ command: '/slow' });
  await stage.app.boundary.drain(2_000);
  expect(waited).toEqual([1, 0]);
});
