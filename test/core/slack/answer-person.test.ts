import type { BlockAction } from '@slack/bolt';
import { expect, test } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { answerPerson, presentAt } from '../../../src/core/slack/answer-person.ts';
import { viewerIn } from '../../../src/core/slack/pressed.ts';
import type { Replies } from '../../../src/core/slack/replies.ts';
import { fake } from '../../support/fake.ts';

const pressWith = (more: object): BlockAction => ({
  type: 'block_actions',
  actions: [],
  team: { id: 'T0ACME', domain: 'acme' },
  user: { id: 'U0ANA', username: 'ana' },
  token: '',
  response_url: '',
  trigger_id: '1.2.3',
  api_app_id: 'A0APP',
  container: { type: 'message', channel_id: 'C0PROD', message_ts: '17.1' },
  ...more,
});

test.each([
  [{ response_url: 'https://hooks.slack.com/actions/1' }, 'https://hooks.slack.com/actions/1'],
  [{ response_url: '' }, null],
  // Not as Slack documents it.
  [{ response_url: undefined }, null],
])('a press with %j is answered at %j', (more, responseUrl) => {
  const press = pressWith(more);
  expect(presentAt(press)).toEqual({ user: 'U0ANA', channel: 'C0PROD', responseUrl });
  expect(viewerIn(press, 'Try again.').responseUrl).toBe(responseUrl);
});

test('an answer that can be shown nowhere else is a direct message', async () => {
  const said: string[] = [];
  const tries = (way: string, code?: string) => async (words: object | string) => {
    said.push(way);
    if (code !== undefined) throw new RemoteFailure(way, { class: 'refused', code });
    expect(words).toEqual({ user: 'U0ANA', text: 'Done.' });
  };
  const replies = fake<Replies>({
    respondUrl: tries('url', 'expired_url'),
    ephemeral: tries('ephemeral', 'channel_not_found'),
    direct: tries('direct'),
  });
  const present = { user: 'U0ANA', channel: 'C0PROD', responseUrl: 'https://hooks.slack.com/1' };
  await answerPerson({ replies }, present, { text: 'Done.', replace: true });
  expect(said).toEqual(['url', 'ephemeral', 'direct']);
});
