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
  executeReport,
  type Report,
} from '../../../src/operations/flow/report.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

const DONE = { state: 'done' };
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

it.each([
  [undefined, 'The service did not answer'],
  [303, 'The service answered with a redirect (303)'],
  [502, 'The service answered with an error (502)'],
])('an unclear answer is described (%s)', (status, words) => {
  expect(answeredWith(status)).toBe(words);
});
