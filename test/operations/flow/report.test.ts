import type { ModalView } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { PostingQueue } from '../../../src/core/posts/posting-queue.ts';
import type { SlackLinks } from '../../../src/core/slack/links.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import type { Outbox } from '../../../src/core/slack/outbox.ts';
import type { Store } from '../../../src/core/store/store.ts';
import {
  announcementAt,
  answeredWith,
  dueAnnouncement,
  dueModal,
  dueResult,
  executeReport,
  isToldWhereAsked,
  type Report,
  stateText,
} from '../../../src/operations/flow/report.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

const DONE = { state: 'done' };
const TITLE = { type: 'plain_text', text: 'Create' } as const;
const asked = (change: Partial<Report> = {}): Report => ({
  by: 'U0ANA',
  channel: 'C0DEPLOYS',
  createdAt: 0,
  posts: [],
  ...change,
});

describe('an announcement', () => {
  const there = { channel: 'C0DEPLOYS', threadTs: '1.1' };

  it('goes to the conversation of the command, to the configured channel, or nowhere', () => {
    expect(announcementAt(true, there)).toEqual({ announce: true, announceIn: there });
    expect(announcementAt(false, there)).toMatchObject({ announce: false });
    expect(announcementAt('C0QA', there)).toEqual({
      announce: true,
      announceIn: { channel: 'C0QA' },
    });
    expect(announcementAt('C0DEPLOYS', there)).toEqual({ announce: true, announceIn: there });
  });

  it('takes a rate-limit slot of its own channel', () => {
    expect(dueAnnouncement(asked(), DONE, 1)).toMatchObject({ kind: 'slot', post: 'announcement' });
    const posts = [{ name: 'announcement', channel: 'C0QA', ts: '2.2' }];
    const elsewhere = asked({ channel: 'D0ANA', announceIn: { channel: 'C0QA' }, posts });
    expect(dueAnnouncement(elsewhere, DONE, 1)).toBeNull();
  });

  it('takes its slot after the requester’s name was looked up; the result takes it at once', async () => {
    const done: string[] = [];
    const note = <Value>(what: string, value: Value) => {
      done.push(what);
      return value;
    };
    const dependencies = coreWith({
      modals: fake<Modals>({}),
      store: fake<Store>({ pace: async () => note('takes a slot', 0) }),
      timing: TRUE_TIME,
      queue: fake<PostingQueue>({ taken: () => undefined }),
      links: fake<SlackLinks>({
        learnNames: async ([user]) => note(`looks up ${user}`, undefined),
      }),
      outbox: fake<Outbox>({ post: async () => note('posts', { channel: 'C0QA', ts: '2.2' }) }),
    });
    const content = (of: string) => () => note(`writes ${of}`, { text: of, blocks: [] });
    const views = {
      core: dependencies,
      view: unused,
      message: content('result'),
      announcement: content('announcement'),
    };
    const report = asked({ posts: [{ name: 'result', channel: 'D0ANA' }] });
    for (const post of ['announcement', 'result'] as const) {
      for (const kind of ['slot', 'post'] as const) {
        const step = { kind, post, state: DONE, plannedAt: 1 };
        await executeReport(views, '0-abc', report, step);
      }
    }
    expect(done).toEqual([
      'looks up U0ANA',
      'takes a slot',
      'writes announcement',
      'posts',
      'takes a slot',
      'writes result',
      'posts',
    ]);
  });
});

function unused(): never {
  throw new Error('there is no modal');
}

describe('an announcement for a command in a direct message', () => {
  const direct = asked({ channel: 'D0ANA' });

  it("opens the bot's own direct message first, to compare the two", () => {
    expect(dueAnnouncement(direct, DONE, 1)).toMatchObject({ kind: 'open', post: 'result' });
  });

  it("is omitted in the bot's own direct message, which already has the result", () => {
    const opened = { ...direct, posts: [{ name: 'result', channel: 'D0ANA' }] };
    expect(dueAnnouncement(opened, DONE, 1)).toBeNull();
  });

  it.each([
    { name: 'result', channel: 'D0BOT' },
    { name: 'result', failed: 'cannot_dm_bot' },
  ])('is tried in any other one, so that the person learns that it failed: %j', (post) => {
    const opened = { ...direct, posts: [post] };
    expect(dueAnnouncement(opened, DONE, 1)).toMatchObject({ kind: 'slot', post: 'announcement' });
  });
});

it.each<[string, Partial<Report>, boolean]>([
  ['in the channel of the command', {}, true],
  ['in another channel', { announceIn: { channel: 'C0QA' } }, false],
  ['in a direct message', { channel: 'D0BEN' }, false],
  ['nowhere', { posts: [{ name: 'announcement', failed: 'not_in_channel' }] }, false],
  ['after a direct message', { posts: [{ name: 'result', channel: 'D0ANA', ts: '1.1' }] }, false],
  [
    'while a direct message is sent',
    {
      posts: [{ name: 'result', channel: 'D0ANA', attempt: { plannedAt: 1, mustEndBy: 2 } }],
    },
    false,
  ],
])('an announcement %s replaces the direct message or not', (_, change, replaces) => {
  expect(isToldWhereAsked(asked(change))).toBe(replaces);
});

describe('what a person reads', () => {
  it('is in the modal, else in a direct message at the end', () => {
    expect(dueModal(asked({ modal: 'V1', createdAt: -9_000 }), DONE, 1)).toEqual({
      kind: 'show',
      state: DONE,
    });
    expect(dueResult(asked({ modal: 'V1' }), DONE, 1)).toBeNull();
    expect(dueResult(asked(), { state: 'working' }, 1)).toBeNull();
    expect(dueResult(asked(), DONE, 1)).toMatchObject({ kind: 'open', post: 'result' });
  });

  it('replaces a new state in the modal, whatever is in it', () => {
    const shown = stateText({ state: 'working' });
    const again = { at: 0, hash: 'h1' };
    const open = asked({ modal: 'V1', createdAt: -9_000, shown, again });
    expect(dueModal(open, DONE, 1)).toEqual({ kind: 'show', state: DONE });
  });

  it('is sent to the modal with its hash, or to the message', async () => {
    const sent: object[] = [];
    const core = coreWith({
      modals: fake<Modals>({
        async update(modal) {
          sent.push(modal);
          return { id: modal.id, hash: 'h2' };
        },
      }),
      outbox: fake<Outbox>({
        async update(message) {
          sent.push(message);
        },
        async findByMetadata(search) {
          sent.push(search);
          return undefined;
        },
      }),
    });
    const content = { text: 'Created', blocks: [] };
    const view = (): ModalView => ({ type: 'modal', title: TITLE, blocks: [] });
    const views = { core, view, message: () => content };
    const report = asked({ modal: 'V1', posts: [{ name: 'result', channel: 'D0ANA', ts: '1.1' }] });
    const execute = (step: Parameters<typeof executeReport<Report, typeof DONE>>[3]) =>
      executeReport(views, '0-abc', report, step);
    const show = { kind: 'show', state: DONE } as const;
    expect(await execute(show)).toMatchObject({ kind: 'done', hash: 'h2' });
    await execute({ ...show, hash: 'h1' });
    expect(await execute({ kind: 'update', state: DONE, ts: '1.1' })).toEqual({ kind: 'done' });
    await execute({ kind: 'find', post: 'result', state: DONE, plannedAt: 1 });
    expect(sent).toEqual([
      { id: 'V1' },
      { id: 'V1', hash: 'h1' },
      { channel: 'D0ANA', ts: '1.1', ...content },
      { channel: 'D0ANA', sinceAt: 0, matches: { record: '0-abc', post: 'result' } },
    ]);
  });
});

it.each([
  [undefined, 'The service did not answer'],
  [303, 'The service answered with a redirect (303)'],
  [400, 'The service answered with an error (400)'],
  [502, 'The service answered with an error (502)'],
])('an unclear answer is described (%s)', (status, words) => {
  expect(answeredWith(status)).toBe(words);
});
