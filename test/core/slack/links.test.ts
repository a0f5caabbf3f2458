import { describe, expect, test } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers, type Timers } from '../../../src/core/lib/timers.ts';
import { waitFor } from '../../../src/core/lib/wait-for.ts';
import { createSlackLinks, linkedMessage } from '../../../src/core/slack/links.ts';
import type { Lookup, LookupOptions, PeopleLookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { fake } from '../../support/fake.ts';

const URL = 'https://acme.slack.com/team/U1';

function linksTo(displayName: string) {
  const lookup = fake<Lookup>({ lastSeen: () => fake<SlackPerson>({ displayName }) });
  return createSlackLinks({
    workspaceUrl: 'https://acme.slack.com/',
    lookup,
    timers: systemTimers,
  });
}

test.each([
  ['is one line without marks that turn it', 'Ana\u202e\n Garc\u00eda ', /^Ana Garc\u00eda$/],
  ['is cut between two characters', `${'x'.repeat(79)}\u{1f680}\u{1f680}`, /^x{79}\u2026$/],
  ['is the id where nothing of it can be seen', '\u202e\u200b ', /^U1$/],
])('a display name %s', (_what, displayName, shown) => {
  const links = linksTo(displayName);
  const element = links.personElement('U1');
  expect(element).toEqual({ type: 'link', url: URL, text: expect.stringMatching(shown) });
  expect(links.person('U1')).toBe(`<${URL}|${'text' in element ? element.text : ''}>`);
});

const MESSAGE = { channel: 'C0DEPLOYS', message: '1795000000.000100' };
test.each([
  [linksTo('Ana').message('C0DEPLOYS', '1795000000.000100'), MESSAGE],
  [linksTo('Ana').message('C0DEPLOYS', '1795000007.000200', '1795000000.000100'), MESSAGE],
  ['https://acme.enterprise.slack.com/archives/C0DEPLOYS/p1795000000000100?cid=C0DEPLOYS', MESSAGE],
  ['https://acme.slack.com/archives/C0DEPLOYS', undefined],
  ['https://acme.slack.com/archives/C0DEPLOYS/p17950000000001', undefined],
  ['https://acme.slack.com/team/U1', undefined],
  ['1795000000.000100', undefined],
])('the link %s leads to the message %j', (link, message) => {
  expect(linkedMessage(link ?? '')).toEqual(message);
});

test('a display name takes no more room when it is escaped', () => {
  expect(linksTo('&'.repeat(80)).person('U1')).toBe(`<${URL}|${'&amp;'.repeat(16)}>`);
});

describe('the names of people who have not been seen yet', () => {
  /** Slack answers about somebody, or refuses, or never answers. */
  function stage(answer: (user: string) => Promise<string>) {
    const seen = new Map<string, SlackPerson>();
    const asked: string[] = [];
    const person = async (user: string, { signal }: LookupOptions = {}) => {
      asked.push(user);
      const displayName = await waitFor(answer(user), 'users.info', { ...(signal && { signal }) });
      const found = fake<SlackPerson>({ displayName });
      seen.set(user, found);
      return found;
    };
    const lookup = fake<Lookup>({
      lastSeen: (user: string) => seen.get(user),
      recent: fake<PeopleLookup>({ person }),
    });
    const deadlines: number[] = [];
    const ends = new AbortController();
    const timers = fake<Timers>({
      deadline(ms) {
        deadlines.push(ms);
        return ends.signal;
      },
    });
    const links = createSlackLinks({ workspaceUrl: null, lookup, timers });
    return { links, asked, deadlines, ends };
  }

  test('are looked up, once', async () => {
    const { links, asked } = stage(async (user) => `${user}'s name`);
    await links.learnNames(['U1', 'U2', 'U1']);
    expect(asked).toEqual(['U1', 'U2']);
    expect(links.person('U1')).toBe("U1's name");
    await links.learnNames(['U1', 'U2']);
    expect(asked).toHaveLength(2);
  });

  test('are replaced by ids when Slack knows none, or does not answer within a second', async () => {
    const { links, deadlines, ends } = stage((user) => {
      if (user === 'U2') return new Promise(() => {});
      const refused = { class: 'refused', code: 'user_not_found' } as const;
      return Promise.reject(new RemoteFailure('users.info', refused));
    });
    const learned = links.learnNames(['U1', 'U2']);
    ends.abort();
    await learned;
    expect(deadlines).toEqual([1_000]);
    expect([links.person('U1'), links.person('U2')]).toEqual(['U1', 'U2']);
  });

  test('are looked up for at most 20 people at once', async () => {
    const { links, asked } = stage(async () => 'Somebody');
    await links.learnNames(Array.from({ length: 60 }, (_, at) => `U${at}`));
    expect(asked).toHaveLength(20);
  });

  test('do not hide a bug while being looked up', async () => {
    const { links } = stage(() => Promise.reject(new TypeError('a mistake')));
    await expect(links.learnNames(['U1'])).rejects.toThrow('a mistake');
  });
});
