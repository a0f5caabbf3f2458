import { describe, expect, it } from 'vitest';
import { announcementAt, dueAnnouncement, type Report } from '../../src/operations/report.ts';

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

  it('goes where it was asked for, or to the channel of the settings, or nowhere', () => {
    expect(announcementAt(true, there)).toEqual({ announce: true, announceIn: there });
    expect(announcementAt(false, there)).toMatchObject({ announce: false });
    expect(announcementAt('C0QA', there)).toEqual({
      announce: true,
      announceIn: { channel: 'C0QA' },
    });
    expect(announcementAt('C0DEPLOYS', there)).toEqual({ announce: true, announceIn: there });
  });

  it('takes a slot of the channel that it goes to', () => {
    expect(dueAnnouncement(asked(), DONE, 1)).toMatchObject({ kind: 'slot', post: 'announcement' });
    const posts = [{ name: 'announcement', channel: 'C0QA', ts: '2.2' }];
    const elsewhere = asked({ channel: 'D0ANA', announceIn: { channel: 'C0QA' }, posts });
    expect(dueAnnouncement(elsewhere, DONE, 1)).toBeNull();
  });
});

describe('asked for in a conversation between two', () => {
  const direct = asked({ channel: 'D0ANA' });

  it("opens the bot's own first, to know whether it is that one", () => {
    expect(dueAnnouncement(direct, DONE, 1)).toMatchObject({ kind: 'open', post: 'result' });
  });

  it("is not announced in the bot's own, where the person reads the result", () => {
    const opened = { ...direct, posts: [{ name: 'result', channel: 'D0ANA' }] };
    expect(dueAnnouncement(opened, DONE, 1)).toBeNull();
  });

  it.each([
    { name: 'result', channel: 'D0BOT' },
    { name: 'result', failed: 'cannot_dm_bot' },
  ])('is tried in any other, so that the person reads that it failed: %j', (post) => {
    const opened = { ...direct, posts: [post] };
    expect(dueAnnouncement(opened, DONE, 1)).toMatchObject({ kind: 'slot', post: 'announcement' });
  });
});
