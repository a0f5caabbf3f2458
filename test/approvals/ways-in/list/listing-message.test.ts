import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import {
  type Approval,
  type Ballot,
  type Decision,
  NO_SENDS,
} from '../../../../src/approvals/approval.ts';
import { listingMessage } from '../../../../src/approvals/ways-in/list/list-message.ts';
import type { Listing } from '../../../../src/approvals/ways-in/list/list-requests.ts';
import type { Found } from '../../../../src/approvals/ways-in/list/look-through.ts';
import {
  ALL,
  DECIDED,
  OVERVIEW,
  pageAfter,
  type View,
} from '../../../../src/approvals/ways-in/list/view.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { messageSchema } from '../../../support/slack-limits.ts';
import { approvalWith, DECIDING, NOW, routeWith } from '../../approvals.ts';

const BOTH: Listing = { waiting: found([]), asked: found([]) };
const link = 'https://acme.slack.com/archives/C0PROD/p171';

function found(approvals: readonly Partial<Approval>[], change: Partial<Found> = {}): Found {
  const requests = approvals.map((each, i) => ({ id: `0-${i}`, approval: approvalWith(each) }));
  return { requests, untold: 0, next: null, isMoreCertain: true, ...change };
}

const facts = {
  user: 'U0ANA',
  routeNamed: () => routeWith(),
  timing: TRUE_TIME,
  linkOf: (): string | undefined => link,
  now: NOW + 60_000,
};

/** A message as lines: its text, then block by block; buttons in brackets. */
function linesOf(listing: Listing, view: View = OVERVIEW, change: Partial<typeof facts> = {}) {
  const message = listingMessage(listing, view, { ...facts, ...change });
  expect(messageSchema.safeParse(message).error).toBeUndefined();
  return [message.text, ...message.blocks.map(lineOf)].join('\n');
}

function lineOf(block: KnownBlock): string {
  switch (block.type) {
    case 'header':
      return `# ${block.text.text}`;
    case 'section':
      return block.text?.text ?? '?';
    case 'context':
      return `(${block.elements.map((each) => ('text' in each ? each.text : '?')).join(' ')})`;
    case 'actions':
      return block.elements
        .map((each) => (each.type === 'button' ? `[${each.text.text}: ${each.value}]` : '?'))
        .join(' ');
    default:
      return '?';
  }
}

const ballot: Ballot = { user: 'U0ANA', action: 'approve', at: NOW };
const CLOSED = { until: NOW + 3_600_000, why: 'Sale' };
const HELD: Decision = {
  ...DECIDING,
  by: 'U0ANA',
  held: { until: NOW + 90_000 },
  phase: { name: 'hold', leftMs: 30_000, sends: NO_SENDS },
};
const SENDING: Decision['phase'] = {
  name: 'sending',
  attempt: { plannedAt: NOW + 59_000, mustEndBy: NOW + 66_000 },
  sends: NO_SENDS,
};
const NEED = { name: 'Q&A', count: 1, of: { users: [], groups: ['S0QA'] } };

describe('the overview', () => {
  test('shows what is waiting, since when, until when, who asked, and where to decide', () => {
    const waiting = found([
      { title: 'Deploy <4.2>', requester: { user: 'U0CLEO' }, expiresAt: NOW + 3_600_000 },
      { title: 'Deploy 4.3', requester: { name: 'Night & day' }, quorum: 2 },
      { quorum: 3, ballots: [ballot, { ...ballot, user: 'U0BEN' }] },
      { needs: [NEED], ballots: [ballot] },
      { needs: [NEED], quorum: 2, ballots: [{ ...ballot, user: 'U0BEN' }] },
    ]);
    const asked = found([{ title: 'Rotate the keys', quorum: 2, ballots: [ballot] }]);
    expect(linesOf({ waiting, asked })).toMatchInlineSnapshot(`
      "Waiting for you: 5. Your requests: 1.
      # Waiting for you
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy &lt;4.2&gt;>*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Deadline: <!date^1790003600^{date_short_pretty} at {time}|2026-09-21T15:13:20.000Z> · Asked by <@U0CLEO> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.3>*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · 0 of 2 approvals · Asked by Night &amp; day · Route \`production\` · in <#C0PROD> · \`RZZW-E5D1\`
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
      You approved, waiting for 1 more · Route \`production\` · in <#C0PROD> · \`79NK-Y84B\`
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
      You approved, waiting for 1 of Q&amp;A · Route \`production\` · in <#C0PROD> · \`G7XY-VXBH\`
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
      Waiting for 1 of Q&amp;A since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`Y9BZ-WW1T\`
      # Your requests
      *<https://acme.slack.com/archives/C0PROD/p171|Rotate the keys>*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · 1 of 2 approvals · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
      (The app's Home tab lists the same requests, with buttons.)
      [Decided: decided]"
    `);
  });

  test.each([
    ['no', [ballot]],
    ['fewer', [ballot, { ...ballot, user: 'U0BEN' }]],
  ])(
    'tells an approver to press again if the route now needs %s further approvals',
    (_, ballots) => {
      const waiting = found([{ ballots }]);
      expect(linesOf({ waiting })).toContain(
        'You approved. Fewer approvals are needed now: press Approve again · Route `production` · in <#C0PROD> · `24Y3-0WWP`',
      );
    },
  );

  test.each([
    [
      'closed',
      { closing: { readAt: NOW, now: { ...CLOSED, since: NOW } } },
      /^Closed until .*: Sale · /,
    ],
    ['held', { decision: HELD }, /^\*<@U0ANA> approved\* · will be sent at /],
    [
      'being sent',
      { decision: { ...DECIDING, phase: SENDING } },
      /^Sending <@U0BEN>'s approval · /,
    ],
  ])('shows a request that is %s as such, also to those who approved it', (_, change, line) => {
    const request = found([{ ...change, ballots: [ballot] }]);
    for (const user of ['U0ANA', 'U0EVE']) {
      expect(linesOf({ waiting: request }, OVERVIEW, { user }).split('\n')[3]).toMatch(line);
      expect(linesOf({ asked: request }, OVERVIEW, { user }).split('\n')[3]).toMatch(line);
    }
  });

  test('says that enough have approved by counting no further', () => {
    const ballots = ['U0BEN', 'U0CLEO'].map((user) => ({ ...ballot, user }));
    const [, , , line] = linesOf({ waiting: found([{ quorum: 2, ballots }]) }).split('\n');
    expect(line).toMatch(/^Waiting since \S+ at {time}\|\S+ · Route/);
  });

  test('counts who is still needed if their names are long', () => {
    const needs = (length: number) => [
      { ...NEED, name: 'a'.repeat(40) },
      { ...NEED, name: 'b'.repeat(length), count: 2 },
    ];
    const lineFor = (length: number, quorum: number) =>
      linesOf({ waiting: found([{ needs: needs(length), quorum, ballots: [ballot] }]) }).split(
        '\n',
      )[3];
    const names = `1 of ${'a'.repeat(40)}, 2 of ${'b'.repeat(38)}`;
    expect(names).toHaveLength(90);
    expect(lineFor(38, 2)).toContain(`You approved, waiting for ${names} · `);
    expect(lineFor(39, 2)).toContain('You approved, waiting for 3 more approvals · ');
    expect(lineFor(39, 7)).toContain('You approved, waiting for 6 more approvals · ');
  });

  test('counts what could not be checked as something', () => {
    const [text] = linesOf({ ...BOTH, waiting: found([{}], { untold: 1 }) }).split('\n');
    expect(text).toBe('Waiting for you: 1. You have no open requests.');
  });

  test('says in one sentence that both sections are empty', () => {
    expect(linesOf(BOTH)).toMatchInlineSnapshot(`
      "Nothing is waiting for you, and you have no open requests.
      Nothing is waiting for you, and you have no open requests.
      (The app's Home tab lists the same requests, with buttons.)
      [Decided: decided]"
    `);
  });

  test('says for each section that it is empty', () => {
    expect(
      linesOf({ ...BOTH, asked: found([{}]) })
        .split('\n')
        .slice(0, 3),
    ).toMatchInlineSnapshot(`
      [
        "Nothing is waiting for you. Your requests: 1.",
        "# Waiting for you",
        "Nothing is waiting for you.",
      ]
    `);
    expect(linesOf({ ...BOTH, waiting: found([{}]) }).split('\n')[0]).toMatchInlineSnapshot(
      `"Waiting for you: 1. You have no open requests."`,
    );
  });

  test('offers more for each section that has more', () => {
    const waiting = found([{}], { next: '17_0-a' });
    const asked = found([{}], { next: '18_0-b' });
    expect(linesOf({ waiting, asked })).toMatchInlineSnapshot(`
      "Waiting for you: 1 or more. Your requests: 1 or more.
      # Waiting for you
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
      [Show more: waiting 17_0-a]
      # Your requests
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
      [Show more: asked 18_0-b]
      (The app's Home tab lists the same requests, with buttons.)
      [Decided: decided]"
    `);
  });

  test('says what could not be checked', () => {
    expect(linesOf({ ...BOTH, waiting: found([], { untold: 1 }) })).toMatchInlineSnapshot(`
      "Gatepost could not check everything. It found nothing that waits for you. You have no open requests.
      # Waiting for you
      Gatepost could not check everything. It found nothing that waits for you.
      (:warning: Gatepost could not check whether one more request is waiting for you. Try again in a minute.)
      # Your requests
      You have no open requests.
      (The app's Home tab lists the same requests, with buttons.)
      [Decided: decided]"
    `);
    expect(linesOf({ ...BOTH, waiting: found([{}], { untold: 3 }) })).toContain(
      'Gatepost could not check whether 3 more requests are waiting for you.',
    );
    const unsure = found([], { next: '17_0-a', isMoreCertain: false });
    expect(linesOf({ ...BOTH, waiting: unsure })).toMatchInlineSnapshot(`
      "Nothing found so far. You have no open requests.
      # Waiting for you
      Nothing found so far.
      (Only the first 200 requests were checked. Press Show more for the rest.)
      [Show more: waiting 17_0-a]
      # Your requests
      You have no open requests.
      (The app's Home tab lists the same requests, with buttons.)
      [Decided: decided]"
    `);
    expect(linesOf({ ...BOTH, hasMoreRoutes: true })).toContain('more than 50 routes');
  });

  test('omits the link if Slack gave none, or the message is not posted yet', () => {
    const post = { name: 'message', channel: 'C0PROD' };
    const attempt = { plannedAt: NOW, mustEndBy: NOW };
    const waiting = found([{}, { posts: [{ ...post, attempt }] }, { posts: [post] }]);
    expect(linesOf({ waiting }, OVERVIEW, { linkOf: () => undefined })).toMatchInlineSnapshot(`
      "Waiting for you: 3.
      # Waiting for you
      *Deploy 4.2*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
      *Deploy 4.2*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`RZZW-E5D1\`
      *Deploy 4.2*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · not posted yet · \`79NK-Y84B\`
      (The app's Home tab lists the same requests, with buttons.)
      [Decided: decided]"
    `);
  });
});

test('own requests show their state', () => {
  const asker = { user: 'U0EVE', channel: 'C0PROD', at: NOW };
  const attempt = { plannedAt: NOW + 59_000, mustEndBy: NOW + 66_000 };
  const ambiguous = { ...NO_SENDS, ambiguous: 1 };
  const asked = found([
    { queue: [{ ...asker, id: 'c1', action: 'reject', waitsForService: true }] },
    { decision: DECIDING },
    { decision: { ...DECIDING, phase: { name: 'sending', attempt, sends: NO_SENDS } } },
    { decision: { ...DECIDING, phase: { ...DECIDING.phase, sends: ambiguous } } },
    { watch: { state: 'unknown', why: 'gone', nextAt: NOW } },
    { expiresAt: NOW + 3_600_000 },
  ]);
  expect(linesOf({ asked })).toMatchInlineSnapshot(`
    "Your requests: 6.
    # Your requests
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
    Waiting for the service, keeps trying until <!date^1790000030^{time}|2026-09-21T14:13:50.000Z> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
    Waiting for the service: <@U0BEN>'s approval has not been sent yet. Gatepost keeps trying until <!date^1790000030^{time}|2026-09-21T14:13:50.000Z> · Route \`production\` · in <#C0PROD> · \`RZZW-E5D1\`
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
    Sending <@U0BEN>'s approval · Route \`production\` · in <#C0PROD> · \`79NK-Y84B\`
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
    Waiting for the service: it has not confirmed <@U0BEN>'s approval yet · Route \`production\` · in <#C0PROD> · \`G7XY-VXBH\`
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
    State unknown: The service no longer shows this request. · Route \`production\` · in <#C0PROD> · \`Y9BZ-WW1T\`
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
    Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Deadline: <!date^1790003600^{date_short_pretty} at {time}|2026-09-21T15:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`0DE4-FRV2\`
    (The app's Home tab lists the same requests, with buttons.)
    [Decided: decided]"
  `);
});

test('a decision names nobody where it is not known whose the service accepted', () => {
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const decided = found([
    { outcome },
    { outcome: { ...outcome, credit: 'sent' } },
    { outcome: { ...outcome, credit: 'none', by: [] } },
  ]);
  const words = linesOf({ decided }, DECIDED).matchAll(/:white_check_mark: \*(.+)\*/g);
  expect([...words].map(([, said]) => said)).toEqual([
    'Approved by <@U0ANA>',
    'Approved',
    'Approved elsewhere',
  ]);
});

test('a decision says which it was, and why', () => {
  const outcome = { status: 'REJECTED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const timedOut = { status: 'TIMED_OUT', credit: 'none', by: [], learnedAt: NOW } as const;
  const decided = found([{ outcome }, { outcome: timedOut }]);
  const rows = linesOf({ decided }, DECIDED).split('\n').slice(3);
  expect(rows[0]).toContain(':x: *Rejected by <@U0ANA>*');
  expect(rows[2]).toContain('*Timed out*');
});

test('a decision says when it was made, by the service’s clock, and what came of it', () => {
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const resolvedAt = '2026-09-21T14:00:00Z';
  const result = { reports: [{ at: NOW, state: 'succeeded' }] } as const;
  const decided = found([{ outcome: { ...outcome, resolvedAt } }, { outcome, result }]);
  const rows = linesOf({ decided }, DECIDED).split('\n').slice(3);
  expect(rows[0]).toMatch(/\* · \S+ at {time}\|2026-09-21T14:00:00\.000Z> · Route/);
  expect(rows[2]).toMatch(
    /\* · \S+ at {time}\|2026-09-21T14:13:20\.000Z> · .*\*Succeeded\*.* · Route/,
  );
});

test('the list of everything says who asked, and until when it waits', () => {
  const request = { requester: { user: 'U0CLEO' }, expiresAt: NOW };
  expect(linesOf({ all: found([request]) }, ALL)).toMatchInlineSnapshot(`
    "All open requests: 1 on this page.
    # All open requests
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
    Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Deadline: <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Asked by <@U0CLEO> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
    [Overview: both]"
  `);
});

describe('what was typed', () => {
  const typed = (id: string, listing: Listing) => linesOf(listing, { section: 'both', id });
  const three = { ...BOTH, decided: found([]) };
  const link = 'https://acme.slack.com/archives/C0PROD/p1790000000000100';

  test('shows only the sections in which it was found', () => {
    expect(typed('24Y3', { ...three, asked: found([{}]) })).toMatchInlineSnapshot(`
      "Your requests: 1.
      # Your requests
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`"
    `);
    const unsure = { ...three, waiting: found([], { untold: 1 }) };
    expect(typed('24Y3', unsure).split('\n').slice(1, 3)).toEqual([
      '# Waiting for you',
      'Gatepost could not check everything. It found nothing that waits for you.',
    ]);
  });

  test('is named if nothing was found for it', () => {
    expect(typed('24Y3', three)).toMatchInlineSnapshot(`
      "Nothing found for \`24Y3\` among your requests and those you can decide. If it was withdrawn or decided some time ago, its message in the channel shows how it ended. Type \`/approvals\` to list what is open, or \`/approvals help\`.
      Nothing found for \`24Y3\` among your requests and those you can decide. If it was withdrawn or decided some time ago, its message in the channel shows how it ended. Type \`/approvals\` to list what is open, or \`/approvals help\`."
    `);
    expect(typed(link, three)).toContain('Nothing found for this message among your requests');
  });
});

describe('a page of one section', () => {
  test('links to the next page, the previous one and the overview', () => {
    const view = { section: 'waiting', trail: ['1_0-a', '2_0-b'] } as const;
    expect(linesOf({ waiting: found([{}], { next: '3_0-c' }) }, view)).toMatchInlineSnapshot(`
      "Waiting for you: 1 on this page.
      # Waiting for you
      *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>*
      Waiting since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z> · Route \`production\` · in <#C0PROD> · \`24Y3-0WWP\`
      [Previous: waiting 1_0-a] [Next: waiting 1_0-a 2_0-b 3_0-c] [Overview: both]"
    `);
  });

  test('that has become empty says so', () => {
    const view = { section: 'asked', trail: ['1_0-a'] } as const;
    expect(linesOf({ asked: found([]) }, view)).toMatchInlineSnapshot(`
      "Nothing more.
      # Your requests
      Nothing more.
      [Previous: asked] [Overview: both]"
    `);
    expect(linesOf({ asked: found([]) }, { section: 'asked', trail: [] })).toMatchInlineSnapshot(`
      "You have no open requests.
      # Your requests
      You have no open requests.
      [Overview: both]"
    `);
  });
});

test('an overview of the longest and oddest texts stays within Slack’s limits and mentions nobody', () => {
  const odd = '<!channel> & *so* 😀\n'.repeat(200);
  const cursor = `${'9'.repeat(16)}_63-${'x'.repeat(16)}`;
  const long: Partial<Approval> = {
    title: odd,
    requester: { name: odd },
    quorum: 99,
    expiresAt: NOW,
    channel: 'C0123456789',
    route: 'r'.repeat(100),
    needs: Array.from({ length: 9 }, (_, at) => ({ ...NEED, name: `${at}${'&'.repeat(39)}` })),
  };
  const longLink = `https://${'acme-'.repeat(10)}.enterprise.slack.com/archives/C0123456789/p1790000000000000`;
  const many = (count: number) =>
    found(
      Array.from({ length: count }, () => long),
      { next: cursor, isMoreCertain: false, untold: 200 },
    );
  const listing = { waiting: many(8), asked: many(5), hasMoreRoutes: true };
  const given = { ...facts, linkOf: () => longLink };
  let page = OVERVIEW;
  for (let i = 0; i < 60; i += 1) page = pageAfter(page, 'waiting', cursor);
  for (const view of [OVERVIEW, page]) {
    const message = listingMessage(listing, view, given);
    expect(messageSchema.safeParse(message).error).toBeUndefined();
    expect(JSON.stringify(message)).not.toContain('<!channel>');
  }
});

test.each(['<', '&', '😀'])('a page of texts made only of %s fits into a message', (mark) => {
  const request = {
    title: mark.repeat(200),
    requester: { name: mark.repeat(200) },
    needs: Array.from({ length: 9 }, (_, at) => ({ ...NEED, name: `${at}${mark.repeat(19)}` })),
    expiresAt: NOW + 3_600_000,
  };
  const waiting = found(Array.from({ length: 8 }, () => request));
  const asked = found(Array.from({ length: 5 }, () => request));
  expect(linesOf({ waiting, asked })).toContain('…');
});
