import { describe, expect, test } from 'vitest';
import type { Approval, Outcome } from '../../src/approvals/approval.ts';
import {
  announcement,
  approvalMessage,
  overflowMessage,
} from '../../src/approvals/message/message.ts';
import type { MessageState } from '../../src/approvals/message/message-state.ts';
import { excerptOf, overflowCount } from '../../src/approvals/message/overflow.ts';
import type { Route } from '../../src/config/config.ts';
import { mrkdwn } from '../../src/slack/text.ts';
import { approvalWith, NOW, routeWith, WAITING } from './approvals.ts';

/** A message as lines: its text, then block by block; buttons in brackets. */
function linesOf(
  state: MessageState,
  change: Partial<Approval> = {},
  route: Route | undefined = routeWith(),
): string {
  const { text, blocks } = approvalMessage('0-abc', approvalWith(change), state, { route });
  const lines = blocks.map((block) => {
    switch (block.type) {
      case 'header':
        return `# ${block.text.text}`;
      case 'section':
        return block.text?.text ?? block.fields?.map((each) => each.text).join(' | ');
      case 'context':
        return `(${block.elements.map((each) => ('text' in each ? each.text : '?')).join(' ')})`;
      case 'actions':
        return block.elements
          .map((each) => (each.type === 'button' ? `[${each.text.text}: ${each.value}]` : '?'))
          .join(' ');
      default:
        return '?';
    }
  });
  return [text, ...lines].join('\n');
}

const decided = {
  name: 'decided',
  status: 'APPROVED',
  credit: 'certain',
  by: ['U0ANA'],
  resolvedAt: '2026-11-20T10:00:00Z',
} as const;

describe('a message that waits', () => {
  test('shows what, who may decide, and two buttons that carry an id alone', () => {
    expect(linesOf(WAITING)).toMatchInlineSnapshot(`
      "Waiting for a decision: Deploy 4.2
      # Deploy 4.2
      To production?
      :hourglass: *Waiting* · <@U0ANA>, <@U0BEN> can decide
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
    expect(
      approvalMessage('0-abc', approvalWith(), WAITING, { route: routeWith() }).blocks.at(-1),
    ).toMatchInlineSnapshot(`
      {
        "block_id": "approvals.decide",
        "elements": [
          {
            "action_id": "approvals.ballot.approve",
            "style": "primary",
            "text": {
              "emoji": true,
              "text": "Approve",
              "type": "plain_text",
            },
            "type": "button",
            "value": "0-abc",
          },
          {
            "action_id": "approvals.ballot.reject",
            "style": "danger",
            "text": {
              "emoji": true,
              "text": "Reject",
              "type": "plain_text",
            },
            "type": "button",
            "value": "0-abc",
          },
        ],
        "type": "actions",
      }
    `);
  });

  test('shows everything the automation said', () => {
    const change = {
      fields: [
        ['Version', '4.2'],
        ['Region', 'eu & us'],
      ] as const,
      link: 'https://ci.example.com/run?id=7&tab=log|x',
      requester: { email: 'rita@example.com', user: 'U0RITA' },
      expiresAt: NOW + 3_600_000,
    };
    expect(linesOf(WAITING, change)).toMatchInlineSnapshot(`
      "Waiting for a decision: Deploy 4.2
      # Deploy 4.2
      To production?
      *Version*
      4.2 | *Region*
      eu &amp; us
      (Asked by <@U0RITA> · Decide before <!date^1790003600^{date_short_pretty} at {time}|2026-09-21T15:13:20.000Z> · <https://ci.example.com/run?id=7&amp;tab=log%7Cx|Details>)
      :hourglass: *Waiting* · <@U0ANA>, <@U0BEN> can decide
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
  });

  test('shows how many have approved and how many it takes', () => {
    const state = { ...WAITING, approvedBy: ['U0ANA', 'U0BEN'], needed: 3 };
    expect(linesOf(state)).toMatchInlineSnapshot(`
      "Waiting for a decision: Deploy 4.2
      # Deploy 4.2
      To production?
      :hourglass: *Waiting* · <@U0ANA>, <@U0BEN> can decide · 2 of 3 approvals (<@U0ANA> and <@U0BEN>)
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
  });

  test('shows the service silent since when', () => {
    expect(linesOf({ ...WAITING, staleSince: NOW })).toMatchInlineSnapshot(`
      "Waiting for a decision: Deploy 4.2
      # Deploy 4.2
      To production?
      :hourglass: *Waiting* · <@U0ANA>, <@U0BEN> can decide
      (:warning: The service has not answered since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z>. Gatepost goes on asking.)
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
    expect(linesOf({ ...WAITING, staleSince: null })).toMatchInlineSnapshot(`
      "Waiting for a decision: Deploy 4.2
      # Deploy 4.2
      To production?
      :hourglass: *Waiting* · <@U0ANA>, <@U0BEN> can decide
      (:warning: The service has not answered. Gatepost goes on asking.)
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
  });

  test.each<[MessageState & { name: 'waiting' }, string]>([
    [
      { ...WAITING, staleSince: NOW, trouble: { why: 'denied', status: 403 }, unwatched: true },
      'The service does not let Gatepost in (403). No longer watched: a decision made elsewhere shows after Check now.',
    ],
    [
      { ...WAITING, staleSince: NOW, trouble: { why: 'refused', detail: 'No <way>.' } },
      'The service refuses to show this request: “No &lt;way&gt;.” Gatepost goes on asking.',
    ],
    [
      { ...WAITING, staleSince: NOW, trouble: { why: 'busy' } },
      'The service is too busy to answer. Gatepost goes on asking.',
    ],
    [
      { ...WAITING, staleSince: null, unwatched: true },
      'The service has not answered. No longer watched: a decision made elsewhere shows after Check now.',
    ],
  ])('shows what the service does instead of telling', (state, note) => {
    expect(linesOf(state).split('\n').at(-2)).toBe(`(:warning: ${note})`);
  });

  test('offers to check when it is no longer watched', () => {
    expect(linesOf({ ...WAITING, unwatched: true })).toMatchInlineSnapshot(`
      "Waiting for a decision: Deploy 4.2
      # Deploy 4.2
      To production?
      :hourglass: *Waiting* · <@U0ANA>, <@U0BEN> can decide
      (No longer watched: a decision made elsewhere shows after Check now.)
      [Approve: 0-abc] [Reject: 0-abc] [Check now: 0-abc]"
    `);
  });

  const named = { users: [], groups: [], channel: false };
  test.each([
    ['anyone in this channel can decide', { ...named, channel: true }, {}],
    ['<!subteam^S0OPS> can decide', { ...named, groups: ['S0OPS'] }, {}],
    [
      '<@U0BEN> can decide',
      { ...named, users: ['U0ANA', 'U0BEN'] },
      { narrowedTo: { users: ['U0BEN'], groups: [] } },
    ],
    ['nobody can decide: no reviewers are configured', named, {}],
  ])('says that %s', (words, reviewers, change) => {
    const lines = linesOf(WAITING, change, routeWith({ reviewers })).split('\n');
    expect(lines.at(-2)).toBe(`:hourglass: *Waiting* · ${words}`);
  });

  test('says that nobody can decide when its route is gone', () => {
    const { blocks } = approvalMessage('0-abc', approvalWith(), WAITING, { route: undefined });
    expect(JSON.stringify(blocks)).toContain('nobody can decide: its route is not configured');
  });

  test('says that nothing was said', () => {
    const { message, ...silent } = approvalWith();
    const promptOf = (watch: Approval['watch']) =>
      approvalMessage('0-abc', { ...silent, watch }, WAITING, { route: routeWith() }).blocks[1];
    const said = (text: string) => expect.objectContaining({ text: mrkdwn(text) });
    const seen = { state: 'pending', nextAt: NOW, checkedAt: NOW } as const;
    expect(promptOf(seen)).toEqual(said('No message was given.'));
    const unsaid = said('The service has not said yet what this is about.');
    expect(promptOf({ state: 'pending', nextAt: NOW, stale: true })).toEqual(unsaid);
    expect(promptOf({ ...seen, state: 'unknown', why: 'gone' })).toEqual(unsaid);
  });
});

test('a decision under way has no buttons', () => {
  expect(linesOf({ name: 'deciding', action: 'reject', by: 'U0ANA' })).toMatchInlineSnapshot(`
    "Being decided: Deploy 4.2
    # Deploy 4.2
    To production?
    :hourglass_flowing_sand: *Deciding* · the rejection of <@U0ANA> is on its way"
  `);
});

describe('an outcome', () => {
  test('names who decided, with the time of the service', () => {
    expect(linesOf(decided)).toMatchInlineSnapshot(`
      "Approved: Deploy 4.2
      # Deploy 4.2
      To production?
      :white_check_mark: *Approved by <@U0ANA>* · <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>"
    `);
    expect(
      linesOf({ ...decided, status: 'REJECTED' })
        .split('\n')
        .at(-1),
    ).toMatchInlineSnapshot(
      `":x: *Rejected by <@U0ANA>* · <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>"`,
    );
  });

  test('that nobody confirmed says whose answer was sent', () => {
    expect(linesOf({ ...decided, credit: 'sent' })).toMatchInlineSnapshot(`
      "Approved: Deploy 4.2
      # Deploy 4.2
      To production?
      :white_check_mark: *Approved* · <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>
      (The answer of <@U0ANA> was sent; the service did not say whose it took.)"
    `);
  });

  test('of elsewhere credits nobody and invents no time', () => {
    const elsewhere = { ...decided, credit: 'none', by: [], resolvedAt: null } as const;
    expect(linesOf(elsewhere).split('\n').at(-1)).toMatchInlineSnapshot(
      `":white_check_mark: *Approved elsewhere*"`,
    );
  });

  test('of time is not one of people', () => {
    const late = { ...decided, status: 'TIMED_OUT', credit: 'none', by: [] } as const;
    expect(linesOf(late).split('\n').at(-1)).toMatchInlineSnapshot(
      `":alarm_clock: *Timed out* · <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>"`,
    );
  });

  test('with a time that is none is shown to the letter, or not at all when it is endless', () => {
    const line = (resolvedAt: string) =>
      linesOf({ ...decided, resolvedAt })
        .split('\n')
        .at(-1)
        ?.split(' · ')[1];
    expect(line('20 Nov <10h>')).toBe('20 Nov &lt;10h&gt;');
    expect(line('9'.repeat(500))).toBeUndefined();
  });
});

test('an unknown state says why, whose answer is in doubt, and offers to check', () => {
  expect(linesOf({ name: 'unknown', why: 'gone' })).toMatchInlineSnapshot(`
    "State unknown: Deploy 4.2
    # Deploy 4.2
    To production?
    :grey_question: *Unknown* · The service no longer shows this request.
    [Check now: 0-abc]"
  `);
  const unconfirmed = { action: 'approve', by: 'U0ANA' } as const;
  expect(linesOf({ name: 'unknown', why: 'unsure', unconfirmed })).toMatchInlineSnapshot(`
    "State unknown: Deploy 4.2
    # Deploy 4.2
    To production?
    :grey_question: *Unknown* · it is not known whether the approval of <@U0ANA> reached the service.
    [Check now: 0-abc]"
  `);
  expect(linesOf({ name: 'unknown', why: 'gone', unconfirmed })).toMatchInlineSnapshot(`
    "State unknown: Deploy 4.2
    # Deploy 4.2
    To production?
    :grey_question: *Unknown* · The service no longer shows this request. It is not known whether the approval of <@U0ANA> was taken.
    [Check now: 0-abc]"
  `);
});

test.each([
  [`Q & A ${'x'.repeat(200)}; y`, `Q & A ${'x'.repeat(143)}…`],
  ['😀'.repeat(100), `${'😀'.repeat(74)}…`],
])('a long title is cut, and no earlier than it has to be', (title, shown) => {
  expect(linesOf(WAITING, { title }).split('\n')[1]).toBe(`# ${shown}`);
});

test('what does not fit is in the thread, begun and continued', () => {
  const message = `${'word '.repeat(505)}end`;
  expect(linesOf(WAITING, { message })).toContain('The rest is in the thread.');
  const { text, blocks } = overflowMessage(approvalWith({ message }), 1);
  expect({ text, blocks }).toMatchInlineSnapshot(`
    {
      "blocks": [
        {
          "text": {
            "text": "… word word word word word end",
            "type": "mrkdwn",
            "verbatim": true,
          },
          "type": "section",
        },
      ],
      "text": "The rest of the request",
    }
  `);
});

test.each([
  ['https://ci.example.com/1', 'see <https://ci.example.com/1|the link>.'],
  [`https://ci.example.com/${'x'.repeat(600)}`, 'see the link in the thread.'],
])('what does not fit into ten replies is counted, with the link %#', (link, where) => {
  const message = 'x'.repeat(2_499) + '&y'.repeat(30_000);
  const approval = approvalWith({ message, link });
  const { rest, unshown } = excerptOf(approval);
  expect([rest.length, overflowCount(approval)]).toEqual([30, 10]);
  const continued = rest.filter((text) => !text.startsWith('*Details*')).join('');
  expect(unshown).toBe(60_000 - continued.replaceAll('&amp;', '&').slice('…'.length).length);
  const more = `${unshown.toLocaleString('en')} more characters: ${where}`;
  expect(linesOf(WAITING, { message, link })).toContain(`More is in the thread. ${more}`);
  const last = overflowMessage(approval, 10).blocks.at(-1);
  expect(last).toEqual({ type: 'context', elements: [mrkdwn(more)] });
  expect(overflowMessage(approval, 9).blocks).toHaveLength(3);
});

test('without a link nobody is sent to one', () => {
  const change = { message: 'x'.repeat(100_000) };
  expect(linesOf(WAITING, change)).toMatch(/\d more characters did not fit into Slack\./);
});

test('short fields share a section', () => {
  const fields = Array.from({ length: 50 }, (_, at) => [`Field ${at}`, 'value'] as const);
  expect(excerptOf(approvalWith({ fields })).rest).toHaveLength(1);
});

test('an outcome is announced in the thread, in a channel and to the requester', () => {
  const outcome: Outcome = {
    status: 'REJECTED',
    credit: 'certain',
    by: ['U0ANA', 'U0BEN'],
    resolvedAt: '2026-11-20T10:00:00Z',
    learnedAt: NOW,
  };
  const approval = approvalWith({ title: 'Deploy <4.2>' });
  const texts = (['outcome-thread', 'outcome-channel', 'outcome-requester'] as const).map(
    (name) => announcement(name, approval, outcome).text,
  );
  expect(texts).toMatchInlineSnapshot(`
    [
      ":x: *Rejected by <@U0ANA> and <@U0BEN>* · <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>",
      ":x: *Rejected by <@U0ANA> and <@U0BEN>* · <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>
    *Deploy &lt;4.2&gt;* · asked in <#C0PROD>",
      ":x: *Rejected by <@U0ANA> and <@U0BEN>* · <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>
    Your request *Deploy &lt;4.2&gt;* in <#C0PROD>",
    ]
  `);
});
