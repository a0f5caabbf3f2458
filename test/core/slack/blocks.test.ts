import type { BlockAction } from '@slack/bolt';
import { expect, it } from 'vitest';
import { linkButton, overflowMenu } from '../../../src/core/slack/blocks.ts';
import { pressedIn } from '../../../src/core/slack/pressed.ts';

it('a link button carries its address and no value', () => {
  const options = { accessibility_label: 'Open run: Deploy 4.2' };
  expect(linkButton('approvals.run', 'Open run', 'https://ci.example/4711', options)).toEqual({
    type: 'button',
    action_id: 'approvals.run',
    text: { type: 'plain_text', text: 'Open run', emoji: true },
    url: 'https://ci.example/4711',
    accessibility_label: 'Open run: Deploy 4.2',
  });
});

it('a menu lists its options in order', () => {
  const menu = overflowMenu('approvals.more', [
    ['Details', 'details:1'],
    ['Check now', 'check:1'],
  ]);
  expect(menu).toEqual({
    type: 'overflow',
    action_id: 'approvals.more',
    options: [
      { text: { type: 'plain_text', text: 'Details', emoji: true }, value: 'details:1' },
      { text: { type: 'plain_text', text: 'Check now', emoji: true }, value: 'check:1' },
    ],
  });
});

const acted = (action: object) =>
  // as: of a payload, a press is read from these members only
  ({ user: { id: 'U1' }, trigger_id: 't', actions: [action] }) as unknown as BlockAction;

it.each<[string, object, string]>([
  ['button', { type: 'button', value: 'v' }, 'v'],
  ['link button', { type: 'button', url: 'https://ci.example' }, ''],
  ['option of a menu', { type: 'overflow', selected_option: { value: 'details' } }, 'details'],
  ['option that only leads somewhere', { type: 'overflow', selected_option: {} }, ''],
])('a press on a %s brings its value', (_, action, value) => {
  expect(pressedIn(acted(action))).toMatchObject({ value, user: 'U1' });
});

it('two options of one menu are two presses', () => {
  const press = (value: string) =>
    pressedIn(acted({ type: 'overflow', action_id: 'a', selected_option: { value } })).press;
  expect(press('a')).not.toBe(press('b'));
  expect(press('a')).toBe(press('a'));
});
