import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Reason } from '../../../../src/approvals/approval.ts';
import {
  type AnnouncementName,
  announcement,
} from '../../../../src/approvals/tell/message/announcement.ts';
import { approvalMessage } from '../../../../src/approvals/tell/message/message.ts';
import {
  outcomeReply,
  reasonBlocks,
  resolvedText,
} from '../../../../src/approvals/tell/message/outcome-line.ts';
import { messageSchema } from '../../../support/slack-limits.ts';
import { approvalWith, LINKS, LONGEST, NOW, routeWith, termsWith } from '../../approvals.ts';

const said = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => ({ user: `U0PERSON${at}`, text }));

const reasonsOf = (by: readonly string[]) => {
  const reasons = [{ user: 'U0BEN', text: 'No <!here>\nnot today' }];
  return reasonBlocks({ credit: 'certain', by, reasons }, 2_500);
};

test('a reason is quoted line by line, without mentions or markup', () => {
  expect(reasonsOf(['U0BEN'])).toMatchInlineSnapshot(`
    [
      {
        "elements": [
          {
            "elements": [
              {
                "style": {
                  "bold": true,
                },
                "text": "Reason:",
                "type": "text",
              },
            ],
            "type": "rich_text_section",
          },
          {
            "elements": [
              {
                "text": "No <!here>
    not today",
                "type": "text",
              },
            ],
            "type": "rich_text_quote",
          },
        ],
        "type": "rich_text",
      },
    ]
  `);
});

test.each([
  ['lines', '.\n'.repeat(500)],
  ['marks', '&'.repeat(1_000)],
])('reasons full of %s fit into the longest message', (_what, text) => {
  for (const count of [1, 3, 10, 25]) {
    const state = {
      name: 'decided',
      status: 'APPROVED',
      credit: 'sent',
      by: said(count, text).map(({ user }) => user),
      resolvedAt: null,
      reasons: said(count, text),
    } as const;
    const message = approvalMessage('0-AAAAAAAAAAAAAAAA', LONGEST, state, termsWith());
    expect(messageSchema.safeParse(message).error?.issues).toBeUndefined();
  }
});

test('a reason names its author unless the line above names only that person', () => {
  const person = { type: 'user', user_id: 'U0BEN' };
  const ben = { type: 'rich_text_section', elements: [{ text: 'Reason from ' }, person, {}] };
  expect(reasonsOf(['U0ANA', 'U0BEN'])[0]).toMatchObject({ elements: [ben, {}] });
  const sent = { credit: 'sent', by: ['U0BEN'], reasons: [{ user: 'U0BEN', text: 'No' }] } as const;
  expect(reasonBlocks(sent, 2_500)[0]).toMatchObject({ elements: [ben, {}] });
});

test('the reply says “decided by” only if the service confirmed it', () => {
  const reply = (credit: 'certain' | 'sent') =>
    outcomeReply(
      { status: 'APPROVED', credit, by: ['U0ANA', 'U0BEN'], resolvedAt: null },
      { needed: 2, tookMs: 37_000 },
      (user) => user,
    );
  expect(reply('certain')).toBe(
    ':white_check_mark: *Approved* after 37 s · decided by 2 of 2: U0ANA and U0BEN',
  );
  expect(reply('sent')).toBe(':white_check_mark: *Approved* after 37 s');
});

describe('a time of the service without a zone', () => {
  // Read in some zone it would be an hour after the request.
  const outcome = {
    status: 'APPROVED',
    by: ['U0ANA'],
    resolvedAt: '2026-11-20T10:00:00',
    learnedAt: NOW + 37_000,
  } as const;

  test('is shown verbatim, because its instant is unknown', () => {
    expect(resolvedText(outcome)).toBe('Decided 2026-11-20T10:00:00');
    expect(resolvedText({ ...outcome, status: 'TIMED_OUT' })).toMatch(/^Timed out 2026/);
  });

  test.each([
    ['it took until Gatepost learned of its own decision', 'certain', ' after 37 s'],
    ['no duration is known of one made elsewhere', 'none', ' elsewhere'],
  ] as const)('is not used for the duration: %s', (_what, credit, said) => {
    const terms = { asOf: NOW, route: routeWith(), links: LINKS };
    const approval = approvalWith({ createdAt: NOW });
    const { text } = announcement('outcome-thread', approval, { ...outcome, credit }, terms);
    const [state] = text.split(' · ');
    expect(state?.replaceAll('*', '')).toBe(`:white_check_mark: Approved${said}`);
  });
});

const APPROVED = { status: 'APPROVED', credit: 'certain', learnedAt: NOW } as const;

/** The reasons as they are shown: one line each, and what is said of the others. */
function shownReasons(said: readonly Reason[], name?: AnnouncementName): string[] {
  const outcome = { ...APPROVED, by: said.map(({ user }) => user), reasons: said };
  const state = { ...outcome, name: 'decided', resolvedAt: '9:00' } as const;
  const { blocks } =
    name === undefined
      ? approvalMessage('0-abc', approvalWith(), state, termsWith())
      : announcement(name, approvalWith(), outcome, {
          asOf: NOW,
          route: routeWith(),
          links: LINKS,
        });
  expect(messageSchema.safeParse({ text: 'x', blocks }).error?.issues).toBeUndefined();
  const isOurs = ({ type }: KnownBlock) => type === 'rich_text' || type === 'context';
  const from = blocks.findIndex(({ type }) => type === 'section') + 1;
  const end = blocks.findIndex(
    (block, at) => at >= from && JSON.stringify(block).includes('Decided 9:00'),
  );
  const after = blocks.slice(from, end === -1 ? undefined : end).filter(isOurs);
  return after.flatMap((block) => {
    if (block.type === 'context')
      return block.elements.map((each) => ('text' in each ? each.text : ''));
    if (block.type !== 'rich_text') return [];
    const quote = block.elements.find(({ type }) => type === 'rich_text_quote');
    return quote?.elements.map((each) => ('text' in each ? String(each.text) : '')) ?? [];
  });
}

describe('reasons that are long, or many', () => {
  test('are cut with an ellipsis, and short ones leave their space to long ones', () => {
    const reasons = [...said(2, 'x'.repeat(1_000)), { user: 'U0CLEO', text: 'Fine by me' }];
    const [one, other, short] = shownReasons(reasons);
    expect([one, other, short]).toEqual(reasons.map(({ text }) => text));
    const [cut] = shownReasons(said(3, 'x'.repeat(1_000)));
    expect(cut).toMatch(/^x{819,830}…$/);
  });

  test('are whole in the thread, as far as one reply holds them', () => {
    const reasons = said(8, 'x'.repeat(1_000));
    expect(shownReasons(reasons, 'outcome-thread')).toEqual(reasons.map(({ text }) => text));
  });

  test.each([
    [11, 'and 1 more reason'],
    [12, 'and 2 more reasons'],
  ])('of %i people end with how many are left out', (count, more) => {
    for (const name of [undefined, 'outcome-thread', 'outcome-channel'] as const) {
      expect(shownReasons(said(count, 'Fine by me'), name)).toContain(more);
      expect(shownReasons(said(10, 'Fine by me'), name)).not.toContain(more);
    }
  });

  test('without a visible character are left out', () => {
    expect(shownReasons([{ user: 'U0ANA', text: '\u200b' }])).toEqual([]);
  });
});

test.each([
  ['a result', [], 1_000],
  [
    'many requesters',
    Array.from({ length: 9 }, (_, at) => ({ name: `${at}${'&'.repeat(60)}` })),
    0,
  ],
])('a long message with long reasons and %s can be posted', (_, alsoAskedBy, length) => {
  const by = Array.from({ length: 10 }, (_, at) => `U0PERSON${at}`);
  const link = `https://example.org/${'x'.repeat(580)}`;
  const text = 'z'.repeat(length);
  const result = { state: 'failed', at: NOW, text, link, reports: [] } as const;
  const state = {
    ...({ name: 'decided', status: 'APPROVED', credit: 'certain', by, resolvedAt: null } as const),
    ...{ reasons: said(10, 'y'.repeat(1_000)), ...(length > 0 && { result }) },
  };
  const approval = { ...LONGEST, alsoAskedBy };
  const message = approvalMessage('0-abcdefgh12345678', approval, state, termsWith({ quorum: 3 }));
  expect(messageSchema.safeParse(message).error).toBeUndefined();
});

test.each([-300, 0, 26])('reasons for which %i characters are left are counted', (room) => {
  const reasons = said(2, 'y'.repeat(1_000));
  const blocks = reasonBlocks({ credit: 'certain', by: [], reasons }, room);
  expect(JSON.stringify(blocks)).toMatch(/2 reasons left out for length/);
  expect(blocks).toHaveLength(1);
});
