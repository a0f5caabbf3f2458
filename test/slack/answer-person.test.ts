import type { BlockAction } from '@slack/bolt';
import { expect, test } from 'vitest';
import { presentAt } from '../../src/slack/answer-person.ts';
import { viewerIn } from '../../src/slack/pressed.ts';

/** Of a press: what these read of it. */
const pressWith = (more: { readonly response_url?: string }) =>
  // as: as much of one as is read
  ({
    user: { id: 'U0ANA' },
    container: { type: 'message', channel_id: 'C0PROD', message_ts: '17.1' },
    ...more,
  }) as BlockAction;

test.each([
  [{ response_url: 'https://hooks.slack.com/actions/1' }, 'https://hooks.slack.com/actions/1'],
  [{ response_url: '' }, null],
  [{}, null],
])('a press with %j is answered at %j', (more, responseUrl) => {
  const press = pressWith(more);
  expect(presentAt(press)).toEqual({ user: 'U0ANA', channel: 'C0PROD', responseUrl });
  expect(viewerIn(press, 'Try again.').responseUrl).toBe(responseUrl);
});
