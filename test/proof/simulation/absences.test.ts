import { describe, expect, test } from 'vitest';
import type { AbsenceSeen, AuditSeen, Evidence } from '../../../proof/simulation/evidence.ts';
import {
  AUDIT,
  approval,
  audited,
  CHANNEL,
  evidence,
  found,
  message,
  press,
  told,
  wrongIn,
} from './evidence-of.ts';

/** Ana and Ben review, Ana is away, and Cleo stands in for her. */

const rights = ['ANA', 'BEN', 'CLEO', 'DANA'].map((name) => ({
  at: 0,
  person: `U0${name}`,
  can: true,
  serviceUser: name.toLowerCase(),
}));

const away = (person: string, more: Partial<AbsenceSeen> = {}): AbsenceSeen => ({
  person,
  substitute: null,
  from: 1_000,
  to: 200_000,
  surelyFrom: 1_500,
  surelyTo: 190_000,
  ...more,
});
const standsIn = (more: Partial<AbsenceSeen> = {}) =>
  away('U0ANA', { substitute: 'U0CLEO', ...more });
const NAMED = told('You stand in for Ana until then: they named you as substitute.', {
  person: 'U0CLEO',
  at: 2_000,
});

const waits = (who: string) => `:hourglass: *Waiting for* ${who}`;
const open = approval({
  effects: [],
  calls: [],
  announced: [],
  asked: ['U0ANA', 'U0BEN'],
  substitutes: true,
  askers: [],
});

describe('the checker of the message of a request', () => {
  const escalates = [{ afterMs: 30_000, users: ['U0CLEO'] }];
  const said = (
    who: string,
    absences: readonly AbsenceSeen[],
    more: Parameters<typeof approval>[0] = {},
    seen: Pick<
      Partial<Evidence>,
      'closures' | 'doubts' | 'interruptions' | 'putOff' | 'reloads' | 'unlisted'
    > = {},
  ) =>
    found({
      ...seen,
      approvals: [{ ...open, deadlineAt: 120_000, ...more }],
      messages: [message([[10_000, waits(who)]])],
      presses: [],
      audit: null,
      rights,
      absences,
      told: [NAMED],
    });
  const BOTH = [away('U0ANA'), away('U0BEN')];
  const NOTED = '<@U0ANA> (away until then) or <@U0BEN> (away until then)';

  test('requires a mention of people who are present, and of nobody who is away', () => {
    expect(said('<@U0BEN>', [away('U0ANA')])).toBe('');
    expect(said('<@U0ANA> or <@U0BEN>', [away('U0ANA')])).toBe(
      'false its message asked somebody who is away, and did not say so',
    );
    expect(said('<@U0ANA>', [away('U0ANA')])).toContain('did not mention somebody who is there');
  });

  test('allows more time if the store did not say who is away', () => {
    const wrong = 'asked somebody who is away';
    const left = away('U0ANA', { from: 11_000, surelyFrom: 11_500 });
    const shown = (deadlineAt: number, unlisted: NonNullable<Evidence['unlisted']>) =>
      said('<@U0ANA> or <@U0BEN>', [left], { deadlineAt }, { unlisted });
    const failed = [{ from: 12_000, to: 12_100 }];
    expect(shown(46_000, [])).toContain(wrong);
    expect(shown(46_000, failed)).toBe('');
    expect(shown(66_000, failed)).toContain(wrong);
  });

  test('allows more time after a rate limit that put off changes of messages', () => {
    const wrong = 'asked somebody who is away';
    const left = away('U0ANA', { from: 11_000, surelyFrom: 11_500 });
    const shown = (deadlineAt: number, from: number) => {
      const putOff = [{ from, to: from + 15_000 }];
      return said('<@U0ANA> or <@U0BEN>', [left], { deadlineAt }, { putOff });
    };
    expect(shown(70_000, 15_000)).toBe('');
    expect(shown(70_000, -30_000)).toContain(wrong);
    expect(shown(80_000, 15_000)).toContain(wrong);
  });

  test('requires no mention of whom new rules name before the message changes', () => {
    const saidOf = (reloads: number[]) => said('<@U0ANA>', [away('U0CLEO')], {}, { reloads });
    expect(saidOf([20_000])).toBe('');
    expect(saidOf([5_000])).toContain('did not mention somebody who is there');
  });

  test('requires no mention of people whom Slack may not have known', () => {
    const saidOf = (from: number) =>
      said('<@U0ANA>', [away('U0CLEO')], {}, { doubts: [{ from, to: from + 5_000 }] });
    expect(saidOf(5_000)).toBe('');
    expect(saidOf(-90_000)).toContain('did not mention somebody who is there');
  });

  test('requires a mention of the substitute, unless they are the requester', () => {
    expect(said('<@U0CLEO> or <@U0BEN>', [away('U0ANA'), standsIn()])).toBe('');
    expect(said('<@U0BEN>', [away('U0ANA'), standsIn()])).toContain('did not mention somebody');
    const asked = { askers: ['U0CLEO'] };
    expect(said('<@U0BEN>', [away('U0ANA'), standsIn()], asked)).toBe('');
  });

  test('requires a note of who is away if nobody is left, and an escalation before that', () => {
    expect(said(NOTED, BOTH)).toBe('');
    expect(said('<@U0ANA> (away until then) or <@U0BEN> (away)', BOTH)).toBe('');
    expect(said('nobody', BOTH)).toContain('asked nobody who is there');
    expect(said(NOTED, BOTH, { escalates })).toContain('and it was not escalated');
    expect(said('<@U0CLEO>', BOTH, { escalates })).toBe('');
    // Its time is up before, or because an earlier call of the automation was lost.
    expect(said(NOTED, BOTH, { escalates: [{ afterMs: 300_000, users: ['U0CLEO'] }] })).toBe('');
    const late = [{ afterMs: 112_000, users: ['U0CLEO'] }];
    expect(said(NOTED, BOTH, { escalates: late, madeAt: 2_000 })).toBe('');
  });

  test('requires an escalation only if too few are left because people are away', () => {
    const two = { quorum: 2, escalates };
    const what = 'and it was not escalated';
    expect(said('<@U0BEN>', [away('U0ANA')], two)).toContain(what);
    // Cleo stands in for Ana, and Ben asked for it.
    const dana = { ...two, askers: ['U0BEN'], escalates: [{ afterMs: 90_000, users: ['U0DANA'] }] };
    expect(said('<@U0CLEO>', [away('U0ANA'), standsIn()], dana)).not.toContain(what);
  });

  test('requires no further escalation while somebody escalated to may be present', () => {
    const two = [...escalates, { afterMs: 60_000, users: ['U0DANA'] }];
    const onceEscalated = (cleo: Partial<AbsenceSeen>) =>
      said('<@U0BEN>, <@U0CLEO>', [away('U0ANA'), away('U0CLEO', cleo)], {
        ...{ escalates: two, quorum: 2 },
      });
    expect(onceEscalated({ surelyFrom: null })).toBe('');
    expect(onceEscalated({})).toContain('and it was not escalated');
  });

  test('does not blame a message that Slack does not let change', () => {
    const closed = (channel: string) =>
      said(
        '<@U0ANA> or <@U0BEN>',
        [away('U0ANA')],
        {},
        {
          closures: [{ from: 5_000, to: 100_000, channel }],
        },
      );
    expect(closed(CHANNEL)).toBe('');
    expect(closed('C0ELSEWHERE')).toContain('asked somebody who is away');
  });

  test('allows the time until another process takes over', () => {
    const after = (what: string) =>
      said(
        '<@U0ANA> or <@U0BEN>',
        [away('U0ANA', { surelyTo: 45_000 })],
        {},
        {
          interruptions: [{ from: 20_000, to: 20_500, what }],
        },
      );
    expect(after('bot-1 is killed')).toBe('');
    expect(after('the store is away')).toContain('asked somebody who is away');
  });

  test('allows some time, and accepts both if an absence is uncertain', () => {
    const late = [away('U0ANA', { surelyFrom: 90_000 })];
    expect(said('<@U0ANA> or <@U0BEN>', late)).toBe('');
    expect(said('<@U0ANA> or <@U0BEN>', [away('U0ANA', { surelyFrom: null })])).toBe('');
  });

  test('requires from the start what was certain before it was asked for', () => {
    const first = (who: string, absences: readonly AbsenceSeen[], unlistedAt: number) =>
      said(
        who,
        absences,
        { escalates, madeAt: 9_000, withdrawals: [{ at: 11_000, answeredAt: null }] },
        { unlisted: [{ from: unlistedAt, to: unlistedAt + 100 }] },
      );
    const both = '<@U0ANA> or <@U0BEN>';
    expect(first(both, [away('U0ANA')], 5_000)).toContain('from the start its message asked');
    expect(first('<@U0BEN>', [away('U0ANA')], 5_000)).not.toContain('from the start');
    expect(first('nobody', BOTH, 5_000)).toContain('from the start too few were left');
    expect(first('<@U0CLEO>', BOTH, 5_000)).not.toContain('from the start');
    // It became certain only later, or the store returned no list.
    const late = [away('U0ANA', { surelyFrom: 9_500 })];
    expect(first(both, late, 5_000)).not.toContain('from the start');
    expect(first(both, [away('U0ANA')], 9_400)).not.toContain('from the start');
  });

  test('forbids reminders for people who are away', () => {
    const reminder = (who: string, reloads: readonly number[] = [], unreadAt?: number) =>
      found({
        reloads,
        unlisted: unreadAt === undefined ? [] : [{ from: unreadAt - 1_500, to: unreadAt }],
        approvals: [{ ...open, deadlineAt: 120_000 }],
        messages: [
          message([[10_000, waits('<@U0BEN>')]]),
          message([[100_000, `:bell: *Reminder* · ${who}: it still needs a decision.`]], {
            post: 'reminder-1',
            ts: '100.000000',
          }),
        ],
        presses: [],
        audit: null,
        rights,
        absences: [away('U0ANA')],
      });
    expect(reminder('<@U0BEN>')).toBe('');
    const wrong = 'false reminder-1 mentioned U0ANA, who was away';
    expect(reminder('<@U0ANA>')).toBe(wrong);
    expect(reminder('<@U0ANA>', [20_000, 110_000])).toBe(wrong);
    // Absences may have been read for those who reviewed before.
    expect(reminder('<@U0ANA>', [99_000])).toBe('');
    // The store did not say who is away.
    expect(reminder('<@U0ANA>', [], 98_000)).toBe('');
    expect(reminder('<@U0ANA>', [], 80_000)).toBe(wrong);
  });
});

describe('the checker of a decision in place of somebody', () => {
  const byCleo = press({ person: 'U0CLEO' });
  const cast = audited('approvals.ballot', 'U0CLEO', {
    action: 'approve',
    serviceUser: 'cleo',
    for: 'U0ANA',
  });
  const log = (...ballots: AuditSeen[]) => [
    ...AUDIT.slice(0, 1),
    ...ballots,
    audited('approvals.respond', 'U0CLEO', { action: 'approve', serviceUser: 'cleo' }),
    audited('approvals.outcome', 'U0CLEO', { status: 'APPROVED', credit: 'certain' }),
  ];
  const done = approval({
    ...{ asked: ['U0ANA', 'U0BEN'], substitutes: true, askers: [] },
    effects: [{ at: 40_000, status: 'APPROVED', how: 'interface', serviceUser: 'cleo' }],
    calls: evidence().approvals[0]?.calls.map((each) => ({
      ...each,
      serviceUser: each.serviceUser === null ? null : 'cleo',
    })) as never,
  });
  const toGiver = message([[42_000, ':white_check_mark: *Approved*']], {
    post: 'outcome-giver-U0ANA',
    channel: 'D0ANA',
    ts: '42.000000',
  });
  const messages = [
    message([
      [10_000, waits('<@U0CLEO> or <@U0BEN>')],
      [41_000, ':white_check_mark: *Approved by <@U0CLEO> for <@U0ANA>* · just now'],
    ]),
    message([[41_500, ':white_check_mark: *Approved* after 30 s']], {
      post: 'outcome-thread',
      ts: '41.500000',
    }),
    toGiver,
  ];
  const seen = {
    approvals: [done],
    messages,
    presses: [byCleo],
    rights,
    told: [NAMED],
    absences: [away('U0ANA'), standsIn()],
    audit: log(cast),
  };
  const WRONG = 'false U0CLEO decided in the place of U0ANA,';

  test('accepts it if that person named the substitute and both could decide', () => {
    expect(found(seen)).toBe('');
  });

  test('rejects it if they had not named the substitute, or the substitute had declined', () => {
    expect(found({ ...seen, absences: [away('U0ANA')] })).toContain(
      `${WRONG} who had not named them then`,
    );
    const declined = [away('U0ANA'), standsIn({ to: 20_000, surelyTo: 19_000 })];
    expect(found({ ...seen, absences: declined })).toContain('who had not named them then');
  });

  test('accepts it shortly after a decline if a killed process may have delayed that', () => {
    const absences = [away('U0ANA'), standsIn({ to: 20_000, surelyTo: 19_000 })];
    const killed = { from: 18_000, to: 18_000, what: 'bot-1 is killed' };
    expect(found({ ...seen, absences, interruptions: [killed] })).toBe('');
    const long = [away('U0ANA'), standsIn({ to: 10_000, surelyTo: 9_000 })];
    expect(found({ ...seen, absences: long, interruptions: [killed] })).toContain(
      'who had not named them then',
    );
  });

  test('accepts it after a decline that the store may have forgotten before its answer was read', () => {
    const absences = [away('U0ANA'), standsIn({ to: 20_000, surelyTo: 18_000 })];
    const lapse = (from: number, at: number) => [{ from, at, keptAcknowledged: true }];
    expect(found({ ...seen, absences, lapses: lapse(17_000, 19_000) })).toBe('');
    for (const lapses of [lapse(16_000, 17_000), lapse(21_000, 22_000)])
      expect(found({ ...seen, absences, lapses })).toContain('who had not named them then');
  });

  test('accepts it if the press was delivered again after that person had named them', () => {
    const refused = told('You are not a reviewer of <it>, so your decision does not count.', {
      person: 'U0CLEO',
      at: 30_500,
    });
    const absences = [away('U0ANA'), standsIn({ from: 32_000, surelyFrom: 32_100 })];
    const presses = (doubled: boolean) => [{ ...byCleo, doubled }];
    const once = { ...seen, absences, told: [refused, { ...NAMED, at: 32_200 }] };
    expect(found({ ...once, presses: presses(false) })).toContain('who had not named them then');
    expect(found({ ...once, presses: presses(true) })).not.toContain('who had not named them then');
    // They also rejected it, and read twice that this does not count.
    const rejects = press({ ...byCleo, action: 'reject', at: byCleo.at - 5 });
    const twice = (answered: boolean) =>
      found({
        ...once,
        presses: [rejects, byCleo],
        told: [{ ...refused, answered }, { ...refused, at: 31_500 }, ...once.told.slice(1)],
      });
    expect(twice(true)).toContain('who had not named them then');
    expect(twice(false)).not.toContain('who had not named them then');
  });

  test('rejects it if one of them could not decide', () => {
    for (const person of ['U0ANA', 'U0CLEO']) {
      const left = { at: 20_000, person, can: false, serviceUser: person.slice(2).toLowerCase() };
      expect(found({ ...seen, rights: [...rights, left] })).toContain('one of them could not');
    }
    const late = { at: 31_000, person: 'U0ANA', can: false, serviceUser: 'ana' };
    const limits = { quietMs: 10_000, resumeMs: 15_000, rightMs: 5_000 };
    expect(found({ ...seen, rights: [...rights, late], limits })).toContain(
      'approve was sent for people of whom 0 of 1 could still decide',
    );
  });

  test('lets a press go on after an answer that has no result', () => {
    const can = (at: number, can: boolean) => ({ at, person: 'U0ANA', can, serviceUser: 'ana' });
    const back = [...rights, can(1, false), can(32_000, true)];
    const answered = (text: string) =>
      found({
        ...seen,
        rights: back,
        told: [NAMED, told(text, { at: 31_000, person: 'U0CLEO' })],
      });
    const unable = 'one of them could not';
    expect(answered('It is not known whether your click on <it> was recorded.')).toBe('');
    expect(answered('Your click on <it> was not recorded: try again.')).not.toContain(unable);
    expect(
      answered('Your decision on <it> was recorded. The result will appear on the Home tab.'),
    ).toBe('');
    const before = "Gatepost is taking back your approval of <it>. You'll get the result";
    expect(answered(before)).toBe('');
    const counts = 'Your approval of <it> counts: 1 of 2.';
    expect(answered(counts)).toContain(unable);
    // It may answer another press.
    const check = press({ person: 'U0CLEO', action: 'check', at: 30_500, acknowledgedAt: 30_600 });
    const unknown = told(counts, { at: 31_000, person: 'U0CLEO' });
    expect(
      found({ ...seen, rights: back, presses: [byCleo, check], told: [NAMED, unknown] }),
    ).not.toContain(unable);
  });

  test('rejects it if the route has no substitutes, or one of them is the requester', () => {
    const of = (more: object) => found({ ...seen, approvals: [{ ...done, ...more }] });
    expect(of({ substitutes: false })).toContain(`${WRONG} where nobody can`);
    expect(of({ askers: ['U0ANA'] })).toContain(`${WRONG} and U0ANA had asked for it`);
    expect(of({ askers: ['U0CLEO'] })).toContain(`${WRONG} and U0CLEO had asked for it`);
  });

  test('counts it as one vote with that person’s own', () => {
    const both = {
      ...seen,
      approvals: [{ ...done, quorum: 2 }],
      presses: [press({ at: 29_000, acknowledgedAt: 29_100 }), byCleo],
      audit: log(audited('approvals.ballot', 'U0ANA', { action: 'approve' }), cast),
    };
    expect(found(both)).toContain('it was approved with 1 of 2 approvals');
    // The store may have forgotten a later ballot, in the place of somebody else.
    const lapses = [{ from: 35_000, at: 36_000, keptAcknowledged: true }];
    expect(found({ ...both, lapses })).not.toContain('of 2 approvals');
    const own = audited('approvals.ballot', 'U0CLEO', { action: 'approve' });
    const reviewers = ['U0ANA', 'U0BEN', 'U0CLEO'];
    const two = { ...both, approvals: [{ ...done, quorum: 2, reviewers }], audit: log(own) };
    expect(found(two)).not.toContain('of 2 approvals');
  });

  test('requires that this person is told, and nobody else', () => {
    const without = messages.filter((each) => each !== toGiver);
    expect(found({ ...seen, messages: without })).toBe(
      'lost U0ANA was never told of what was decided in their place',
    );
    const own = audited('approvals.ballot', 'U0CLEO', { action: 'approve' });
    const reviewers = ['U0CLEO'];
    const lies = { ...seen, approvals: [{ ...done, reviewers }], audit: log(own) };
    expect(wrongIn(lies)).toEqual([
      'false it said that U0CLEO decided for U0ANA, who did not',
      'false U0ANA was told of what was decided in their place, and it was not',
    ]);
  });

  test('knows that while it is held another approval of the same person changes nothing', () => {
    const again = audited('approvals.ballot', 'U0CLEO', { action: 'approve', for: 'U0BEN' });
    const twice = { ...seen, audit: log(cast, again) };
    const UNTOLD = 'was never told of what was decided in their place';
    expect(found(twice)).toContain(`U0BEN ${UNTOLD}`);
    const held = { ...twice, approvals: [{ ...done, holdMs: 5_000 }] };
    expect(found(held)).not.toContain(UNTOLD);
    expect(found({ ...held, messages: messages.filter((each) => each !== toGiver) })).toContain(
      UNTOLD,
    );
  });

  test('requires that the substitute is told once', () => {
    expect(found({ ...seen, told: [] })).toBe('lost U0CLEO was never told that they stand in');
    const notice = (ts: string) => ({
      channel: 'D0CLEO',
      ts,
      deletedAt: null,
      versions: [{ at: 2_000, text: '', blocks: [], metadata: { record: 'a1', post: 'named-1' } }],
    });
    const twice = [...messages, notice('2.000000'), notice('3.000000')];
    expect(found({ ...seen, messages: twice })).toBe('double named-1 was posted twice');
  });
});
