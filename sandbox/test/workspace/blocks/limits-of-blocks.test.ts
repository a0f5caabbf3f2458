import { describe, expect, it } from 'vitest';
import {
  messageProblems,
  textLength,
  viewProblems,
} from '../../../workspace/blocks/check-blocks.ts';
import { liveWorkspace } from '../routes/live-workspace.ts';
import { type Limit, limitsOfBlocks } from './limits-of-blocks.ts';
import {
  a,
  actions,
  button,
  input,
  type Json,
  many,
  modal,
  plain,
  section,
} from './sample-blocks.ts';

const live = liveWorkspace();
const channel = 'C0DEPLOYS';
const said = ({ says, at }: Pick<Limit, 'says' | 'at'>, root: string) =>
  `${says} [json-pointer:${root}${at}]`;

describe('blocks of a message', () => {
  const post = (blocks: readonly Json[]) =>
    live.call('chat.postMessage', { channel, text: 'a', blocks });

  it.each(limitsOfBlocks.map((limit) => [limit.name, limit] as const))('%s', (_, limit) => {
    expect(messageProblems(limit.allowed)).toEqual([]);
    expect(messageProblems(limit.refused)).toEqual([said(limit, '/blocks')]);
  });

  it('beyond a limit are refused with its place', async () => {
    const [limit] = limitsOfBlocks;
    if (limit === undefined) throw new Error('there are no limits');
    expect(await post(limit.allowed)).toMatchObject({ ok: true });
    const errors = [said(limit, '/blocks')];
    const messages = errors.map((error) => `[ERROR] ${error}`);
    expect(await post(limit.refused)).toMatchObject({
      error: 'invalid_blocks',
      errors,
      response_metadata: { messages },
    });
  });

  it('have limits with unique names', () => {
    const names = limitsOfBlocks.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a view', () => {
  const view_id = async (): Promise<unknown> => {
    const opened = await live.call('views.open', {
      trigger_id: await live.trigger(),
      view: modal(),
    });
    // The client returns the response unchecked.
    return (opened.view as { id: string }).id;
  };
  const show = async (view: Json) => live.call('views.update', { view_id: await view_id(), view });

  const tooLong = (most: number) => `must be less than ${most + 1} characters`;
  it.each<[string, Json, Json, string, string]>([
    ...['title', 'submit', 'close'].map((part): [string, Json, Json, string, string] => [
      part,
      { [part]: plain(a(24)) },
      { [part]: plain(a(25)) },
      `/${part}/text`,
      tooLong(24),
    ]),
    [
      'blocks',
      { blocks: many(100, section('a')) },
      { blocks: many(101, section('a')) },
      '/blocks',
      'no more than 100 items allowed',
    ],
    [
      'private_metadata',
      { private_metadata: a(3000) },
      { private_metadata: a(3001) },
      '/private_metadata',
      tooLong(3000),
    ],
    ['callback_id', { callback_id: a(255) }, { callback_id: a(256) }, '/callback_id', tooLong(255)],
    ['external_id', { external_id: a(255) }, { external_id: a(256) }, '/external_id', tooLong(255)],
    [
      'a button to submit it, with inputs',
      { blocks: [input({ type: 'plain_text_input' })] },
      { blocks: [input({ type: 'plain_text_input' })], submit: undefined },
      '',
      'missing required field: submit',
    ],
    [
      'a block in it',
      { blocks: [section(a(3000))] },
      { blocks: [section(a(3001))] },
      '/blocks/0/text/text',
      tooLong(3000),
    ],
    [
      'blocks together',
      { blocks: [actions(button({ action_id: 'x' }))] },
      { blocks: [actions(...many(2, button({ action_id: 'x' })))] },
      '/blocks/0/elements/1/action_id',
      '`action_id` already exists',
    ],
  ])('has limits: %s', (_, allowed, refused, at, says) => {
    expect(viewProblems(modal(allowed))).toEqual([]);
    // As it arrives: in JSON.
    expect(viewProblems(JSON.parse(JSON.stringify(modal(refused))))).toEqual([
      said({ says, at }, '/view'),
    ]);
  });

  it('beyond a limit is refused with its place', async () => {
    expect(await show(modal({ title: plain(a(24)) }))).toMatchObject({ ok: true });
    expect(await show(modal({ title: plain(a(25)) }))).toMatchObject({
      error: 'invalid_arguments',
      errors: [said({ says: tooLong(24), at: '/title/text' }, '/view')],
    });
  });

  it('of the home tab has no title', async () => {
    const publish = (view: Json) => live.call('views.publish', { user_id: 'U0ANA', view });
    const home = { type: 'home', blocks: [section('a')] };
    expect(await publish(home)).toMatchObject({ ok: true });
    expect(await publish({ ...home, title: plain('a') })).toMatchObject({
      errors: ['invalid additional property: title [json-pointer:/view]'],
    });
  });
});

it('the text length counts every text of the blocks once', () => {
  const blocks = [section('abc'), actions(button({ value: 'not a text' })), { type: 'divider' }];
  expect(textLength(blocks)).toBe(5);
});
