import type { BlockAction } from '@slack/bolt';
import { expect, test } from 'vitest';
import { presentAt } from '../../../src/core/slack/answer-person.ts';
import { viewerIn } from '../../../src/core/slack/pressed.ts';

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
