import type { KnownBlock, ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { describe, expect, test } from 'vitest';
import { type Approval, type HistoryEvent, placeOf } from '../../../src/approvals/approval.ts';
import { encodeApproval } from '../../../src/approvals/stored-approval.ts';
import type { ButtonPress } from '../../../src/approvals/ways-in/cast-ballot.ts';
import { detailsModal, requestModal, showChosen } from '../../../src/approvals/ways-in/details.ts';
import type { Route } from '../../../src/core/config/config.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Lookup, PeopleLookup } from '../../../src/core/slack/lookup.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import { type Store, type StoredRecord, StoreError } from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { viewSchema } from '../../support/slack-limits.ts';
import { personOf } from '../../support/slack-person.ts';
import { approvalWith, DECIDING, LINKS, LONGEST, NOW, routeWith } from '../approvals.ts';

const ID = '0-AbCdEfGhIjKlMnOp';
const MINUTE = 60_000;
/** As Slack names the message, which was posted a second after the request. */
const TS = `${NOW / 1_000 + 1}.000100`;
const LATE = NOW + 10 * MINUTE;
const LATER = `${NOW / 1_000 + 5}.000100`;
const posts = [{ name: 'message', channel: 'C0PROD', ts: TS }];

const BEN = { user: 'U0BEN' };

interface Asked {
  readonly viewer?: string;
  readonly isRequester?: boolean;
  readonly isAdministrator?: boolean;
  readonly route?: Route | undefined;
  readonly now?: number;
}

function detailsOf(
  change: Partial<Approval>,
  { viewer = 'U0BEN', route = routeWith(), now = LATE, ...rights }: Asked = {},
): string {
  const approval = approvalWith({ posts, ...change });
  return wordsOf(
    detailsModal(
      ID,
      approval,
      { user: viewer, ...rights },
      { route, asOf: now, timing: TRUE_TIME },
    ),
  );
}

/** A modal as lines; times in minutes and seconds since the request. */
function wordsOf(view: ModalView): string {
  expect(viewSchema.parse(view)).toEqual(view);
  const lines = (view.blocks as KnownBlock[]).map((block) => {
    switch (block.type) {
      case 'header':
        return `# ${block.text.text}`;
      case 'section':
        return block.text?.text ?? '';
      case 'context':
        return `(${block.elements.map((each) => ('text' in each ? each.text : '?')).join('\n')})`;
      case 'rich_text':
        return JSON.stringify(block.elements).replace(/.*?"text":"(.*?)".*?(?=$|"text")/gu, '> $1');
      default:
        return `[${block.type}]`;
    }
  });
  return lines
    .join('\n')
    .replace(/<!date\^(\d+)\^[^|]*\|[^>]*>/gu, (_, seconds) => clock(Number(seconds) * 1_000));
}

function clock(at: number): string {
  const seconds = Math.floor((at - NOW) / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const history = (...events: readonly HistoryEvent[]) => ({ events });
const bens = { by: 'U0BEN', action: 'approve' } as const;
const refused = { kind: 'not-counted', by: 'U0GUS', why: 'guest', after: 3 * MINUTE } as const;

describe('details', () => {
  test('of a waiting request list the presses, counted or not', () => {
    const waiting: Partial<Approval> = {
      requester: { user: 'U0CLEO' },
      expiresAt: NOW + 60 * MINUTE,
      ballots: [{ user: 'U0BEN', action: 'approve', at: NOW }],
      history: history({ kind: 'counted', ...bens, after: 2 * MINUTE }, refused),
    };
    const route = routeWith({ quorum: 2 });
    expect(detailsOf(waiting, { route })).toMatchInlineSnapshot(`
      "# Deploy 4.2
      :hourglass: *Waiting for* <@U0ANA> · 1 of 2 approvals (<@U0BEN>) · Deadline: 60:00
      *What happened*
      • 0:00 · Asked by <@U0CLEO>
      • 0:01 · Posted
      • 2:00 · <@U0BEN> pressed Approve
      • 3:00 · One press was not counted
      *Current rules*
      • <@U0ANA>, <@U0BEN> can decide.
      • 2 different people have to approve. One rejection decides.
      • The person who asked cannot decide.
      • Guests and people from other companies cannot decide.
      • No reason needed.
      • Reviewers need an active account in the service.
      • Deadline: 60:00.
      (Source \`default\` · Route \`production\`
      Request \`YFZJ-2FZT\` · \`0-AbCdEfGhIjKlMnOp\`
      Digest \`7710794e9a06857b6af03fe5bc2914053e5511d6bce35e18c8bc131975169374\` of title, message, fields, change and link. \`gatepost audit show YFZJ-2FZT --json\` has it as recorded.)
      [actions]"
    `);
    const all = detailsOf(waiting, { route, isAdministrator: true });
    expect(all).toContain(
      '• 3:00 · A press of <@U0GUS> was not counted. They read: “Guests cannot decide this request, so your decision does not count.”\n',
    );
    const own = detailsOf(waiting, { route, viewer: 'U0GUS' });
    expect(own).toContain(
      '• 3:00 · Your press was not counted: Guests cannot decide this request, so your decision does not count\n',
    );
  });

  test('of a request with needs name the groups, and who took back an approval', () => {
    const need = (name: string, group: string, count = 1) => {
      return { name, count, of: { users: [], groups: [group] } };
    };
    const change: Partial<Approval> = {
      needs: [need('Q&A', 'S0QA', 2)],
      history: history(
        { kind: 'counted', ...bens, after: MINUTE },
        { kind: 'taken-back', by: 'U0BEN', after: 2 * MINUTE },
      ),
    };
    const shown = detailsOf(change, { route: routeWith({ need: [need('SRE', 'S0SRE')] }) });
    expect(shown).toContain(`• 2:00 · <@U0BEN> took back their approval
*Current rules*
• <@U0ANA>, <@U0BEN> can decide.
• 3 different people have to approve. One rejection decides.
• At least 1 from *SRE*: <!subteam^S0SRE>.
• At least 2 from *Q&amp;A*: <!subteam^S0QA>.
• A person counts for one of these only.
`);
    const one = detailsOf({}, { route: routeWith({ need: [need('SRE', 'S0SRE')] }) });
    expect(one).toContain(`• One approval or one rejection decides.
• At least 1 from *SRE*: <!subteam^S0SRE>.
• It is not known`);
  });

  test('of an escalated request say to whom, and when', () => {
    const need = { name: 'SRE', count: 1, of: { users: [], groups: ['S0SRE'] } };
    const rules = routeWith({
      need: [need],
      quiet: { users: ['U0QIN'], groups: [] },
      escalate: [
        { after: 5 * MINUTE, to: { users: ['U0LEA'], groups: [], needs: ['SRE'] } },
        { after: 30 * MINUTE, to: { users: [], groups: ['S0HEADS'] } },
      ],
    });
    const shownAt = (minutes: number, change: Partial<Approval> = {}) => {
      const now = NOW + minutes * MINUTE;
      return detailsOf(change, { route: rules, now });
    };
    expect(shownAt(4)).toContain(`
• <@U0ANA>, <@U0BEN>, <@U0QIN> can decide.
• One approval or one rejection decides.
• At least 1 from *SRE*: <!subteam^S0SRE>.
• From 5:00, <@U0LEA> can decide too, and count for *SRE*.
• From 30:00, <!subteam^S0HEADS> can decide too.
`);
    const reply = { name: 'escalation-1', channel: 'C0PROD', ts: LATER };
    const after = shownAt(6, { posts: [...posts, reply], expiresAt: NOW + 20 * MINUTE });
    expect(after).toContain(`
• 0:05 · Escalated: more people can decide, and a reply in the thread mentions them
*Current rules*
• <@U0ANA>, <@U0BEN>, <@U0LEA>, <@U0QIN> can decide.
• One approval or one rejection decides.
• At least 1 from *SRE*: <@U0LEA>, <!subteam^S0SRE>.
• Escalated 5:00: <@U0LEA> can decide too, and count for *SRE*.
• It is not known`);
    // A decided request is no longer escalated.
    const outcome = {
      status: 'APPROVED',
      credit: 'certain',
      by: ['U0BEN'],
      learnedAt: NOW + 2 * MINUTE,
    } as const;
    expect(shownAt(99, { outcome })).not.toMatch(/U0LEA|S0HEADS/);
  });

  test('have the button to take back an approval only for its author, while more approvals are needed', () => {
    const ballots = [
      { user: 'U0BEN', action: 'approve', at: NOW, alsoKnownAs: ['W0BEN'] },
    ] as const;
    const buttons = (change: Partial<Approval>, viewer = 'U0BEN') => {
      const terms = { route: routeWith({ quorum: 2 }), timing: TRUE_TIME, asOf: NOW };
      const approval = approvalWith({ posts, ballots, ...change });
      const { blocks } = detailsModal(ID, approval, { user: viewer }, terms);
      return blocks.flatMap((block) =>
        block.type === 'actions' && 'elements' in block ? block.elements : [],
      );
    };
    expect(buttons({})).toMatchObject([
      { text: { text: 'Take back approval' }, value: expect.stringMatching(`^${ID} C0PROD `) },
    ]);
    expect(buttons({}, 'W0BEN')).toHaveLength(1);
    const outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW } as const;
    expect([
      buttons({}, 'U0ANA'),
      buttons({ decision: DECIDING }),
      buttons({ withdrawnAt: NOW }),
      buttons({ outcome }),
      buttons({ ballots: [{ user: 'U0BEN', action: 'reject', at: NOW }] }),
    ]).toEqual([[], [], [], [], []]);
  });

  test('of a decision that cannot reach the service say what is tried', () => {
    const stuck: Partial<Approval> = {
      ballots: [{ user: 'U0BEN', action: 'approve', at: NOW }],
      decision: {
        ...DECIDING,
        asker: { ...DECIDING.asker, at: NOW + MINUTE },
        phase: {
          name: 'check',
          tries: 3,
          notBefore: NOW + MINUTE + 14_000,
          sends: { notSent: 1, limited: 0, ambiguous: 0 },
        },
      },
      history: history(
        { kind: 'counted', ...bens, after: MINUTE },
        { kind: 'sending', ...bens, after: MINUTE },
        { kind: 'answered', answer: 'connection_refused', class: 'not-sent', after: MINUTE },
      ),
      callbacks: [{ event: 'approval.posted', at: NOW, tries: 2, notBefore: NOW + 3 * MINUTE }],
    };
    expect(detailsOf(stuck, { now: NOW + MINUTE + 9_000 })).toMatchInlineSnapshot(`
      "# Deploy 4.2
      :hourglass_flowing_sand: *Waiting for the service* · <@U0BEN>'s approval has not been sent yet. Gatepost keeps trying until 1:30
      *Not finished*
      • The decision could not be sent yet (tried 3 times). Next try: 1:14.
      • The source has not confirmed \`approval.posted\` yet (tried 2 times). Next try: 3:00.
      *What happened*
      • 0:00 · Asked
      • 0:01 · Posted
      • 1:00 · <@U0BEN> pressed Approve
      • 1:00 · Gatepost started to send <@U0BEN>'s approval to the service
      • 1:00 · The service could not be reached, and nothing was sent (\`connection_refused\`)
      *Current rules*
      • <@U0ANA>, <@U0BEN> can decide.
      • One approval or one rejection decides.
      • It is not known who asked: reviewers could approve their own request.
      • Guests and people from other companies cannot decide.
      • No reason needed.
      • Reviewers need an active account in the service.
      (Source \`default\` · Route \`production\`
      Request \`YFZJ-2FZT\` · \`0-AbCdEfGhIjKlMnOp\`
      Digest \`7710794e9a06857b6af03fe5bc2914053e5511d6bce35e18c8bc131975169374\` of title, message, fields, change and link. \`gatepost audit show YFZJ-2FZT --json\` has it as recorded.)"
    `);
  });

  test('of a decided request start with the outcome, and end with where it was announced', () => {
    const decided: Partial<Approval> = {
      key: 'deploy/42',
      posts: [
        ...posts,
        { name: 'reminder-1', channel: 'C0PROD', ts: `${NOW / 1_000 + 300}.000100` },
        { name: 'outcome-thread', channel: 'C0PROD', ts: `${NOW / 1_000 + 422}.000100` },
        { name: 'outcome-channel', channel: 'C0OUT', failed: 'not_in_channel' },
      ],
      outcome: {
        status: 'REJECTED',
        credit: 'certain',
        by: ['U0BEN'],
        reasons: [{ user: 'U0BEN', text: 'Not on a Friday' }],
        learnedAt: NOW + 7 * MINUTE,
      },
      history: history(
        { kind: 'counted', by: 'U0BEN', action: 'reject', after: 7 * MINUTE },
        { kind: 'not-counted', by: 'U0ANA', why: 'late', after: 8 * MINUTE },
        { kind: 'callback', event: 'approval.decided', isTaken: true, after: 8 * MINUTE },
      ),
    };
    expect(detailsOf(decided)).toMatchInlineSnapshot(`
      "# Deploy 4.2
      :x: *Rejected by <@U0BEN>*
      > Reason:> Not on a Friday
      *Not finished*
      • Slack refused a post with the outcome (\`not_in_channel\`). Gatepost stopped trying.
      *What happened*
      • 0:00 · Asked
      • 0:01 · Posted
      • 5:00 · Reminder posted in the thread
      • 7:00 · <@U0BEN> pressed Reject
      • 7:00 · Outcome: rejected by <@U0BEN>
      • 7:02 · Outcome shared in the thread
      • 8:00 · One press was not counted
      • 8:00 · The source confirmed \`approval.decided\`
      *Current rules*
      • <@U0ANA>, <@U0BEN> can decide.
      • One approval or one rejection decides.
      • It is not known who asked: reviewers could approve their own request.
      • Guests and people from other companies cannot decide.
      • No reason needed.
      • Reviewers need an active account in the service.
      (Source \`default\` · Route \`production\`
      Request \`YFZJ-2FZT\` · \`0-AbCdEfGhIjKlMnOp\`
      Digest \`7710794e9a06857b6af03fe5bc2914053e5511d6bce35e18c8bc131975169374\` of title, message, fields, change and link. \`gatepost audit show YFZJ-2FZT --json\` has it as recorded.
      Recorded by Gatepost)"
    `);
  });

  test('say why a decision was not carried out', () => {
    const closed = detailsOf({
      history: history(
        { kind: 'counted', ...bens, after: MINUTE },
        {
          kind: 'closed',
          ...bens,
          failure: { class: 'ambiguous', code: 'http_503', status: 503 },
          after: 2 * MINUTE,
        },
        { kind: 'dropped', by: 'U0ANA', action: 'approve', after: 3 * MINUTE },
        { kind: 'closed', ...bens, unsure: true, after: 4 * MINUTE },
        { kind: 'callback', event: 'approval.decided', isTaken: false, after: 5 * MINUTE },
      ),
    });
    expect(closed).toContain(
      "• 2:00 · <@U0BEN>'s approval was not accepted and no longer counts. The service answered with an error (503)",
    );
    expect(closed).toContain('• 3:00 · One press no longer counts');
    const spent = { kind: 'dropped', ...bens, why: 'route-closed', after: MINUTE } as const;
    const own = detailsOf({ history: history(spent) }, { viewer: bens.by });
    expect(own).toContain('• 1:00 · Your approval no longer counts: its route was closed');
    expect(closed).toContain(
      "• 4:00 · It is not known whether the service accepted <@U0BEN>'s approval\n",
    );
    expect(closed).toContain('• 5:00 · The source never confirmed `approval.decided`.');
  });

  test.each<[string, Partial<Approval>, RegExp]>([
    [
      'the status is not read',
      {
        watch: {
          state: 'pending',
          stale: true,
          checkedAt: NOW + MINUTE,
          nextAt: NOW + 15 * MINUTE,
          failure: { class: 'ambiguous', code: 'http_502', status: 502 },
        },
      },
      /errors since 1:00 \(502\).*\n.*Not finished.*\n• Gatepost keeps reading the status. Next try: 15:00/,
    ],
    [
      'its state is unknown',
      { watch: { state: 'unknown', why: 'gone', nextAt: NOW } },
      /no longer shows this request.*\n.*Not finished.*\n• Gatepost keeps reading the status. Next try: now\./,
    ],
    [
      'Slack refuses a post',
      { posts: [...posts, { name: 'overflow-1', refused: 'is_archived', notBefore: NOW }] },
      /Slack refused a reply with the rest of the request \(`is_archived`\). Next try: now\./,
    ],
    [
      'Slack refuses the change of the message',
      { update: { gaveUpOn: 'x', gaveUpAt: NOW + MINUTE } },
      /Slack refused to change the message, and Gatepost stopped trying\. Last try: 1:00\./,
    ],
    [
      'presses are being checked',
      { queue: [{ id: 'c', user: 'U0GUS', channel: 'C0PROD', at: NOW, action: 'approve' }] },
      /1 press is still being checked\./,
    ],
  ])('say why the request is stuck: %s', (_, change, expected) => {
    const words = detailsOf(change);
    expect(words).toMatch(expected);
    expect(words).not.toContain('U0GUS');
  });

  test('do not name other people whose press was not counted', () => {
    const whys = ['guest', 'requester', 'late', 'unchecked', 'not-a-reviewer'] as const;
    const events = whys.map((why) => ({ ...refused, why }));
    const words = detailsOf({ history: history(...events) });
    expect(words.match(/One press was not counted/g)).toHaveLength(whys.length);
    expect(words).not.toContain('U0GUS');
  });

  test('say how many entries are left out', () => {
    const listed = (left: number) => detailsOf({ history: { events: [], left } });
    expect(listed(1_200)).toContain('• _1,200 more entries are not listed_');
    expect(listed(1)).toContain('• _1 more entry is not listed_');
  });

  test('show no private reason, and ignore events written by a later version', () => {
    const later = { kind: 'later', after: 1 } as unknown as HistoryEvent;
    const unknown = { ...refused, by: 'U0BEN', why: 'later' } as unknown as HistoryEvent;
    const words = detailsOf({
      history: history(later, unknown),
      ballots: [{ user: 'U0ANA', action: 'approve', at: NOW, reason: 'said in private' }],
      queue: [
        {
          id: 'c',
          user: 'U0ANA',
          channel: 'C0PROD',
          at: NOW,
          action: 'reject',
          reason: 'sealed-r',
        },
      ],
    });
    expect(words).toContain('Your press was not counted: you could not decide this request\n');
    expect(words).not.toMatch(/sealed|private|undefined/);
  });

  test("show other people's text literally: no markup in titles or names", () => {
    const words = detailsOf({
      title: '*Approved* :tada: <@U0ANA>',
      requester: { name: '*Ana* :tada: `x` <!here>\nhttps://evil.example' },
    });
    expect(words).toMatch(/^# \*Approved\* :tada: <@U0ANA>\n/);
    expect(words).toContain('Asked by `*Ana* :tada: ˋxˋ &lt;!here&gt; https://evil.example`\n');
  });

  test('say in one line where the outcome was announced, without copies that were deleted', () => {
    const shared = {
      requester: { user: 'U0CLEO' },
      outcome: { status: 'TIMED_OUT', credit: 'none', by: [], learnedAt: NOW },
      posts: [
        { name: 'message', channel: 'C0PROD', ts: TS },
        { name: 'outcome-request', channel: 'C0PROD', ts: LATER, gone: [LATER] },
        { name: 'outcome-channel', channel: 'C0OUT', ts: LATER },
        { name: 'outcome-requester', ts: LATER },
      ],
    } as const;
    const words = detailsOf(shared);
    expect(words).toContain('Outcome: timed out\n');
    expect(words).toContain(
      'Outcome shared in the thread, in <#C0OUT> and with <@U0CLEO>\n• 0:05 · Outcome shared in the thread again\n',
    );
    const outcomes = { thread: false, channel: null, requester: true };
    const kept = detailsOf(shared, { route: routeWith({ outcomes }) });
    expect(kept).toContain('Request kept in the thread\n');
    expect(kept).toContain('Outcome shared in <#C0OUT> and with <@U0CLEO>\n');
  });

  test('tell lines of the same minute apart by seconds', () => {
    const events = [61_000, 62_000, 130_000].map((after) => ({ ...refused, after }));
    const { blocks } = detailsModal(ID, approvalWith({ posts, history: history(...events) }), BEN, {
      ...{ route: routeWith(), timing: TRUE_TIME, asOf: NOW },
    });
    const times = JSON.stringify(blocks).match(/\^(\{[^|]*)\|[^>]*> · /gu) ?? [];
    // The request and its message are of another minute than the presses.
    expect(times.map((each) => each.includes('time_secs'))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  test('offer the person who asked to withdraw an own gate', () => {
    const buttons = (change: Partial<Approval>, rights: Asked) =>
      detailsOf(change, rights).includes('[actions]');
    const { token: _, ...gate } = approvalWith({ key: 'k' });
    expect(buttons(gate, { isRequester: true })).toBe(true);
    expect(buttons(gate, {})).toBe(false);
    expect(buttons({}, { isRequester: true })).toBe(false);
    expect(buttons({ ...gate, withdrawnAt: NOW }, { isRequester: true })).toBe(false);
  });

  test('repeat the day only where it may differ', () => {
    const HOUR = 60 * MINUTE;
    const pressed = [1, 2, 15].map((hours) => ({ ...refused, after: hours * HOUR }));
    const view = detailsModal(ID, approvalWith({ posts, history: history(...pressed) }), BEN, {
      route: routeWith(),
      timing: TRUE_TIME,
      asOf: NOW,
    });
    const times = JSON.stringify(view.blocks).match(/\^(\{[^|]*)\|[^>]*> · /gu) ?? [];
    const isDated = times.map((each) => each.includes('date_short_pretty'));
    expect(isDated).toEqual([true, false, false, false, true]);
  });

  test('of a request whose route is not configured say that nobody can decide', () => {
    const words = wordsOf(
      detailsModal(ID, approvalWith({ posts }), BEN, {
        route: undefined,
        timing: TRUE_TIME,
        asOf: NOW,
      }),
    );
    expect(words).toContain('• Nobody can decide: its route is not configured.');
  });

  test('stay within Slack’s limits, whatever was written and however much happened', () => {
    const many = Array.from({ length: 60 }, (_, index) => `U${'X'.repeat(10)}${index}`);
    const route = routeWith({
      name: `<!channel> ${'x'.repeat(300)}`,
      reviewers: { users: many, groups: [], channel: false },
    });
    const own = { ...refused, by: 'U0BEN', why: 'not-a-reviewer' } as const;
    const words = detailsOf(
      {
        ...LONGEST,
        posts,
        route: route.name,
        sourceName: `<!channel> \u202e${'&'.repeat(300)}`,
        requester: { name: `<@U0EVE> ${'x'.repeat(5_000)}` },
        history: { events: Array.from({ length: 40 }, () => own), left: 1 },
      },
      { route },
    );
    expect(words).not.toMatch(/<!channel|<@U0EVE|\u202e/);
  });
});

describe('the modal with the whole request', () => {
  const terms = { route: routeWith(), timing: TRUE_TIME, asOf: NOW };
  const outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW } as const;

  test('shows the request as the message did, including what was continued in the thread', () => {
    const change = `first line\n${'x'.repeat(4_000)}\nlast line`;
    const words = wordsOf(requestModal(approvalWith({ posts, change, outcome }), terms));
    expect(words).toMatch(/^# Deploy 4\.2\n/);
    expect(words).toMatch(/first line[\s\S]*last line/);
    expect(words).not.toContain('in the thread');
    expect(words).toContain('\n:white_check_mark: *Approved elsewhere*\n');
  });

  test('links to the run once', () => {
    const link = 'https://ci.example.com/runs/7';
    const runs = (change: Partial<Approval>) =>
      wordsOf(requestModal(approvalWith({ posts, link, ...change }), terms)).split(link).length - 1;
    expect(runs({})).toBe(1);
    expect(runs({ outcome })).toBe(1);
    expect(runs({ outcome: { ...outcome, learnedAt: 0 }, stated: 'folds' })).toBe(1);
  });

  test('shows title, message, fields and change in this order, each in full', () => {
    const long = (name: string) => `${name} ${'word '.repeat(1_000)}${name} end`;
    const approval = approvalWith({
      ...{ posts, outcome, title: long('title'), message: long('message') },
      ...{ change: long('change'), fields: [['Field', long('field')]] },
    });
    const words = wordsOf(requestModal(approval, terms));
    const order = words.match(
      /(title|message|field|change) (?=end)|(title|message|field|change) (?=word)/g,
    );
    expect(order?.map((each) => each.trim())).toEqual([
      'title',
      ...['title', 'title', 'message', 'message', 'field', 'field', 'change', 'change'],
    ]);
  });

  test('is cut at Slack’s limit, and refers to the thread', () => {
    const long = '漢'.repeat(90_000);
    const view = requestModal(approvalWith({ posts, message: long, outcome }), terms);
    expect(wordsOf(view)).toContain('The rest is in the thread.');
  });

  test.each([LONGEST, approvalWith({ title: '<!channel> *x*', message: '<!here>' })])(
    'stays within Slack’s limits',
    (approval) => {
      const view = requestModal({ ...approval, outcome }, terms);
      expect(wordsOf(view).length).toBeGreaterThan(50);
      const markup = JSON.stringify(view.blocks.filter(({ type }) => type === 'context'));
      expect(markup).not.toMatch(/<!(channel|here)/);
    },
  );
});

describe('a person who picks an item of the message menu', () => {
  const press: ButtonPress = {
    record: `details:${ID}`,
    press: 'p',
    trigger: 't',
    user: 'U0BEN',
    channel: 'C0PROD',
    message: TS,
    responseUrl: null,
    title: 'Deploy 4.2',
  };
  const approval = approvalWith({ posts });
  const record = fake<StoredRecord>({
    id: ID,
    kind: 'approval',
    data: encodeApproval(approval),
    place: placeOf(approval),
  });

  const logged: object[] = [];

  async function shownTo(change: Partial<ButtonPress>, read: Store['read']): Promise<string[]> {
    const shown: string[] = [];
    logged.length = 0;
    const show = async (view: ModalView) => {
      shown.push(wordsOf(view));
      return { id: 'V1' };
    };
    const core = coreWith({
      config: {
        ...{ routes: [routeWith()], sources: [], service: null },
        administrators: { users: ['U0ADA'], groups: [] },
      },
      lookup: fake<Lookup>({
        recent: fake<PeopleLookup>({ person: async (id) => personOf(id) }),
      }),
      workspace: { team: 'T0', enterprise: null, teams: [] },
      timers: systemTimers,
      timing: TRUE_TIME,
      links: LINKS,
      permalink: async () => 'https://acme.slack.com/original',
      logger: fake<Logger>({ error: (facts: object) => void logged.push(facts) }),
      store: fake<Store>({ read, now: () => NOW }),
      modals: fake<Modals>({
        open: (_, view) => show(view),
        update: (_, view) => show(view),
      }),
    });
    await showChosen(core, { ...press, ...change });
    return shown;
  }

  test('reads that the details cannot be shown, and the log has the cause', async () => {
    const data = '{"v":99}';
    const [, sentence] = await shownTo({}, async () => ({ ...record, data }));
    expect(sentence).toMatch(/^The details of .* could not be shown\. Ask a Gatepost admin/);
    expect(logged).toMatchObject([
      { record: ID, err: { message: expect.stringMatching(/unknown format/) } },
    ]);
  });

  test('sees “Loading…” at once, and then what they picked', async () => {
    const [loading, details = ''] = await shownTo({}, async () => record);
    expect(loading).toBe('Loading…');
    expect(details).toContain('*What happened*');
    const request = await shownTo({ record: `request:${ID}` }, async (id) =>
      id === ID ? record : undefined,
    );
    expect(request[1]).toMatch(/^# Deploy 4\.2/);
  });

  test.each<[string, Partial<ButtonPress>, Store['read'], RegExp]>([
    ['is gone', {}, async () => undefined, /no longer stored here, so there are no details\.$/],
    [
      'is a copy in another channel',
      { channel: 'C0ELSE' },
      async () => record,
      /^This is a copy of .*\. Open the menu of the original message\.$/,
    ],
    [
      'is a copy in the same channel',
      { message: '99.9' },
      async () => record,
      /Open the menu of <https:\/\/acme.slack.com\/original\|the original message>\.$/,
    ],
    [
      'cannot be read',
      {},
      async () => {
        throw new StoreError('unavailable', 'away');
      },
      /^Gatepost could not read .* just now\. Try again in a minute\.$/,
    ],
  ])('reads why there is nothing to show if the request %s', async (_, change, read, expected) => {
    const [, sentence] = await shownTo(change, read);
    expect(sentence).toMatch(expected);
    expect(sentence).not.toContain('What happened');
  });
});
