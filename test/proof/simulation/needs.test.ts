import { describe, expect, test } from 'vitest';
import { casesIn } from '../../../proof/simulation/checker.ts';
import { areEnough } from '../../../proof/simulation/enough.ts';
import type { AuditSeen, Evidence } from '../../../proof/simulation/evidence.ts';
import { canFillAll } from '../../../proof/simulation/places.ts';
import {
  AUDIT,
  approval,
  audited,
  call,
  evidence,
  found,
  message,
  press,
  told,
  WAITING,
} from './evidence-of.ts';

/** Ana is in both groups, Ben in one. */
const rights: Evidence['rights'] = ['ANA', 'BEN', 'CLEO'].map((name) => ({
  at: 0,
  person: `U0${name}`,
  can: true,
  serviceUser: name.toLowerCase(),
}));
const memberOf = (person: string, group: string, at = 0, isIn = true) => ({
  at,
  person,
  group,
  isIn,
});
const memberships = [
  memberOf('U0ANA', 'S0SRE'),
  memberOf('U0ANA', 'S0SEC'),
  memberOf('U0BEN', 'S0SRE'),
];
const SRE = { name: 'SRE', of: { users: [], groups: ['S0SRE'] }, count: 1 };
const SECURITY = { name: 'Security', of: { users: [], groups: ['S0SEC'] }, count: 1 };
const reviewers = ['U0ANA', 'U0BEN', 'U0CLEO'];
const both = approval({ reviewers, needs: [SRE, SECURITY] });

const COUNTS = 'Your approval of <it> counts. Still needed: 1 of Security.';
const byBen = press({ person: 'U0BEN', at: 20_000, acknowledgedAt: 20_100 });
const benCounts = told(COUNTS, { person: 'U0BEN', at: 21_000 });
const ballot = (person: string) => audited('approvals.ballot', person, { action: 'approve' });
const auditOf = (by: string, before: readonly AuditSeen[]) => [
  ...AUDIT.slice(0, 1),
  ...before,
  ...AUDIT.slice(1, 3),
  audited('approvals.outcome', by, { status: 'APPROVED', credit: 'certain' }),
];
const approved = {
  approvals: [both],
  rights,
  memberships,
  presses: [byBen, press()],
  told: [benCounts],
  audit: auditOf('U0ANA,U0BEN', [ballot('U0BEN')]),
};

describe('the checker requires different people for every need', () => {
  test('and accepts one for each', () => {
    expect(found(approved)).toBe('');
  });

  test('unless the outcome of an own gate was read from its message', () => {
    const own = { ...both, authority: 'gatepost' as const, calls: [], effects: [] };
    const logged = (facts: AuditSeen['facts']) =>
      audited('approvals.outcome', 'U0ANA', { status: 'APPROVED', credit: 'certain', ...facts });
    const foundOf = (facts: AuditSeen['facts']) =>
      found({
        ...approved,
        approvals: [own],
        presses: [press()],
        audit: [AUDIT[0], logged(facts)].flatMap((each) => each ?? []),
      });
    expect(foundOf({ authority: 'gatepost' })).toContain('the log names U0ANA, who are not enough');
    expect(foundOf({ authority: 'gatepost', readFrom: 'message' })).not.toContain('the log names');
  });

  test('and reports one person who covers two', () => {
    const alone = { ...approved, presses: [press()], told: [], audit: auditOf('U0ANA', []) };
    expect(found(alone).split('\n')).toEqual([
      'false approve was sent when U0ANA approved, who are not enough: 1 in all, 1 of SRE, 1 of Security',
      'false by the log U0ANA had approved when it was decided, who are not enough: 1 in all, 1 of SRE, 1 of Security',
      'false the log names U0ANA, who are not enough: 1 in all, 1 of SRE, 1 of Security',
    ]);
  });

  test('by the members of the groups when the decision was sent', () => {
    const left = (at: number) => [...memberships, memberOf('U0BEN', 'S0SRE', at, false)];
    expect(found({ ...approved, memberships: left(25_000) })).toContain('approve was sent when');
    expect(found({ ...approved, memberships: left(39_000) })).toBe('');
  });

  test('also with a second account of somebody who is named, as far as that could be known', () => {
    const named = { name: 'Owner', of: { users: ['U0CLEO'], groups: [] }, count: 1 };
    const approvals = [{ ...both, needs: [SRE, named] }];
    const sharing = (at: number) => [
      ...rights,
      { at, person: 'U0CLEO', can: true, serviceUser: 'ben' },
      { at: 90_000, person: 'U0CLEO', can: true, serviceUser: 'cleo' },
    ];
    const wrong = 'approve was sent when';
    expect(found({ ...approved, approvals })).toContain(wrong);
    expect(found({ ...approved, approvals, rights: sharing(39_000) })).not.toContain(wrong);
    expect(found({ ...approved, approvals, rights: sharing(41_000) })).toContain(wrong);
  });

  test('of whom two may turn out to be one person before it is sent again', () => {
    const calls = [call({ at: 40_000, status: 429 }), call({ at: 80_000 })];
    const twice = {
      ...approved,
      approvals: [{ ...both, needs: [SRE], quorum: 2, calls }],
      presses: [byBen, { ...byBen, person: 'U0CLEO' }, press()],
      audit: auditOf('U0ANA,U0BEN', [
        ...['U0BEN', 'U0CLEO'].map(ballot),
        audited('approvals.respond', 'U0CLEO', { action: 'approve' }),
      ]),
    };
    const since = (at: number) => [
      ...rights,
      { at, person: 'U0CLEO', can: true, serviceUser: 'ben' },
    ];
    expect(found({ ...twice, rights: since(60_000) })).not.toContain('by the log');
    expect(found({ ...twice, rights: since(1_000) })).toContain('by the log U0BEN, U0CLEO had');
  });

  test('and the quorum, which they count towards', () => {
    const three = [{ ...both, quorum: 3 }];
    expect(found({ ...approved, approvals: three })).toContain(
      'approve was sent when U0ANA, U0BEN approved, who are not enough: 3 in all',
    );
    expect(found({ ...approved, approvals: [{ ...both, quorum: 2 }] })).toBe('');
  });

  test('and not that all are named if there are more than needed', () => {
    const more = ['U0CLEO', 'U0DAN', 'U0EVE'];
    const seen = {
      ...approved,
      approvals: [{ ...both, reviewers: [...reviewers, ...more] }],
      rights: [
        ...rights,
        ...more.map((person) => ({ at: 0, person, can: true, serviceUser: person })),
      ],
      presses: [...approved.presses, ...more.map((person) => ({ ...byBen, person }))],
      told: [benCounts, ...more.map((person) => ({ ...benCounts, person }))],
    };
    const logged = [ballot('U0BEN'), ...more.map(ballot)];
    const named = (by: string) => found({ ...seen, audit: auditOf(by, logged) });
    expect(named('U0ANA,U0BEN')).toBe('');
    expect(named('U0ANA,U0BEN,U0CLEO,U0DAN')).toContain('more than were needed');
    // The person who decides may fill no place.
    expect(named('U0ANA,U0BEN,U0CLEO')).toContain('more than were needed');
    const byCleo = seen.approvals.map((each) => ({
      ...each,
      calls: [call({ serviceUser: 'cleo' })],
    }));
    const withCleo = auditOf('U0ANA,U0BEN,U0CLEO', logged);
    expect(found({ ...seen, approvals: byCleo, audit: withCleo })).not.toContain('more than were');
    // She is in a group that fills one, and nobody could read that.
    const inGroup = {
      approvals: byCleo,
      memberships: [...memberships, memberOf('U0CLEO', 'S0SRE')],
    };
    expect(found({ ...seen, ...inGroup, audit: withCleo })).toContain('more than were');
    const byName = { action: 'approve', through: 'named' };
    const unread = auditOf('U0ANA,U0BEN,U0CLEO', [
      ...logged,
      audited('approvals.ballot', 'U0CLEO', byName),
    ]);
    expect(found({ ...seen, ...inGroup, audit: unread })).not.toContain('more than were');
    // A need that names her is hers even then.
    const hers = { ...SECURITY, of: { users: ['U0CLEO'], groups: [] } };
    const named3 = byCleo.map((each) => ({ ...each, needs: [SRE, hers] }));
    expect(found({ ...seen, approvals: named3, audit: unread })).toContain('more than were');
    expect(named('U0ANA,U0CLEO')).toContain('names U0ANA,U0CLEO, who are not enough');
  });
});

test('the checker reports that more are needed if the approvals are enough', () => {
  const progress = told(COUNTS, { at: 31_000 });
  const waiting = {
    ...approved,
    approvals: [{ ...both, effects: [], calls: [], announced: [] }],
    messages: [message([[10_000, WAITING]])],
    told: [benCounts, progress],
    audit: null,
  };
  const wrong = 'false U0ANA was told that more have to approve, when U0BEN, U0ANA had';
  expect(found(waiting)).toContain(wrong);
  // Ben may not be in it any more, may have been refused, or thought better of it.
  const left = [...memberships, memberOf('U0BEN', 'S0SRE', 29_000, false)];
  expect(found({ ...waiting, memberships: left })).toBe('');
  const remembered = { ...memberOf('U0BEN', 'S0SRE', 29_000, true), mayBeOut: true as const };
  expect(found({ ...waiting, memberships: [...memberships, remembered] })).toBe('');
  const deactivated = [...rights, { at: 29_000, person: 'U0BEN', can: false, serviceUser: 'ben' }];
  expect(found({ ...waiting, rights: deactivated })).toBe('');
  const takeBacks = [{ ...byBen, at: 25_000, acknowledgedAt: 25_100 }];
  const taken = told('You took back your approval of <it>.', {
    person: 'U0BEN',
    at: 26_000,
  });
  expect(found({ ...waiting, takeBacks, told: [benCounts, taken, progress] })).toBe('');
  // A decision that Ben's was part of was refused.
  const spent = told(
    'Your approval of <it> no longer counts, because the decision it was part of could not be carried out.',
    { person: 'U0BEN', at: 30_000 },
  );
  expect(found({ ...waiting, told: [benCounts, spent, progress] })).toBe('');
  // His other account did nothing, or pressed, too.
  const alsoBens = [...rights, { at: 0, person: 'U0BOB', can: true, serviceUser: 'ben' }];
  expect(found({ ...waiting, rights: alsoBens })).toContain(wrong);
  const alsoPressed = press({ ...byBen, person: 'U0BOB', at: 22_000, acknowledgedAt: 22_050 });
  const withBoth = [...approved.presses, alsoPressed];
  expect(found({ ...waiting, rights: alsoBens, presses: withBoth })).not.toContain(wrong);
  // Or took it back.
  const byOther = takeBacks.map((each) => ({ ...each, person: 'U0BOB' }));
  expect(found({ ...waiting, rights: alsoBens, takeBacks: byOther })).not.toContain(wrong);
});

describe('whoever decides because it was escalated to them', () => {
  const unfit = told(
    'Your approval of <it> is recorded. Still needed: 1 of Owner, which you cannot cover.',
    { at: 31_000 },
  );
  const owner = { name: 'Owner', of: { users: ['U0BEN'], groups: [] }, count: 1 };
  const escalated = {
    ...approval({ reviewers, needs: [owner], effects: [], calls: [] }),
    ...{ asked: ['U0BEN', 'U0CLEO'], escalates: [{ afterMs: 10_000, users: ['U0ANA'] }] },
  };
  const seen = { ...approved, approvals: [escalated], presses: [press()], told: [unfit] };
  const wrong = 'U0ANA, to whom it was escalated, was told that they cannot cover a need';

  test('can cover every need', () => {
    expect(found(seen)).toContain(wrong);
    const asked = { ...escalated, asked: ['U0ANA', 'U0BEN', 'U0CLEO'] };
    expect(found({ ...seen, approvals: [asked] })).not.toContain(wrong);
  });

  test('unless they stand in for somebody, or another account of theirs approved', () => {
    const approvals = [{ ...escalated, substitutes: true }];
    expect(found({ ...seen, approvals })).not.toContain(wrong);
    const two = [...rights, { at: 0, person: 'U0TWO', can: true, serviceUser: 'ana' }];
    expect(found({ ...seen, rights: two })).not.toContain(wrong);
  });

  test('unless a clock was set since they pressed, or the store went back', () => {
    const clock = (from: number, to: number) => [{ from, to, what: 'clock of bot-1 is off' }];
    expect(found({ ...seen, interruptions: clock(30_500, 90_000) })).not.toContain(wrong);
    expect(found({ ...seen, interruptions: clock(10_000, 30_500) })).not.toContain(wrong);
    expect(found({ ...seen, interruptions: clock(10_000, 90_000) })).toContain(wrong);
    const lapses = [{ from: 29_500, at: 30_500, keptAcknowledged: false }];
    expect(found({ ...seen, lapses })).not.toContain(wrong);
  });
});

describe('the checker does not count an approval that was taken back', () => {
  const TAKEN = 'You took back your approval of <it>. 1 more approval is needed.';
  const takeBacks = [{ ...byBen, at: 25_000, acknowledgedAt: 25_100 }];
  const isTold = told(TAKEN, { person: 'U0BEN', at: 26_000 });
  const seen = {
    ...approved,
    approvals: [approval({ reviewers, quorum: 2 })],
    takeBacks,
    told: [benCounts, isTold],
  };
  const logged = [ballot('U0BEN'), audited('approvals.taken-back', 'U0BEN', {})];
  const audit = auditOf('U0ANA,U0BEN', logged);

  test('for a decision sent after the person was told', () => {
    const wrong = found({ ...seen, audit });
    expect(wrong).toContain('false approve was sent when U0ANA approved, who are not enough: 2');
    expect(wrong).toContain('false by the log U0ANA had approved when it was decided');
    expect(wrong).toContain(
      'false the log names U0BEN, who had not approved, or had taken it back',
    );
  });

  test('unless they pressed again, and only an answer of before came twice', () => {
    const later = press({ person: 'U0BEN', at: 28_000, acknowledgedAt: 28_100 });
    const again = { ...takeBacks[0], at: 29_000, acknowledgedAt: null, shown: 'Operation failed' };
    const twice = { ...isTold, at: 27_000 };
    const mind = { ...seen, presses: [byBen, later, press()], told: [benCounts, isTold, twice] };
    const all = { ...mind, takeBacks: [...takeBacks, again] } as typeof seen;
    const cast = [...logged, ballot('U0BEN')];
    expect(found({ ...all, audit: auditOf('U0ANA,U0BEN', cast) })).not.toContain('taken it back');
    const since = { ...all, told: [benCounts, isTold, { ...isTold, at: 28_500 }] };
    expect(found({ ...since, audit: auditOf('U0ANA,U0BEN', cast) })).not.toContain('taken it back');
    const heard = { ...all, told: [benCounts, isTold, twice, { ...isTold, at: 29_500 }] };
    expect(found({ ...heard, audit: auditOf('U0ANA,U0BEN', cast) })).toContain('taken it back');
  });

  test('from another account of theirs, unless that press was still queued', () => {
    const two = (person: string) => ({ at: 0, person, can: true, serviceUser: 'ben' });
    const rights = [
      { at: 0, person: 'U0ANA', can: true, serviceUser: 'ana' },
      two('U0BEN'),
      two('U0TWO'),
    ];
    const entries = [ballot('U0BEN'), audited('approvals.taken-back', 'U0TWO', {})];
    const by = (presses: readonly ReturnType<typeof press>[]) =>
      found({ ...seen, rights, presses, audit: auditOf('U0ANA,U0BEN', entries) });
    const lost = 'by the log U0ANA had approved when it was decided, who are not enough';
    expect(by([byBen, press()])).toContain(lost);
    const waits = press({ person: 'U0TWO', at: 24_000, acknowledgedAt: 24_100 });
    expect(by([byBen, waits, press()])).not.toContain(lost);
  });

  test('except for a decision sent earlier, and an approval given later', () => {
    const late = { ...isTold, at: 40_500 };
    expect(found({ ...seen, told: [benCounts, late] })).toBe('');
    const again = press({ person: 'U0BEN', at: 27_000, acknowledgedAt: 27_100 });
    const presses = [byBen, again, press()];
    const castAgain = auditOf('U0ANA,U0BEN', [...logged, ballot('U0BEN')]);
    expect(found({ ...seen, presses, audit: castAgain })).toBe('');
  });

  test('and reports a taken-back approval that was already sent', () => {
    const late = [{ ...byBen, at: 40_100, acknowledgedAt: 40_200 }];
    const read = { ...isTold, at: 40_500 };
    expect(found({ ...seen, takeBacks: late, told: [benCounts, read] })).toContain(
      'that their approval is taken back, when it was sent already, and decided',
    );
    expect(found({ ...seen, takeBacks, told: [benCounts, read] })).toBe('');
    // They read before it was sent that theirs is no part of it, and pressed again.
    const dropped = (at: number) => {
      const text = 'Your approval of <it> no longer counts: your account was deactivated.';
      const presses = [byBen, press(), { ...byBen, at: 40_050 }];
      const isDropped = told(text, { person: 'U0BEN', at });
      return found({ ...seen, presses, takeBacks: late, told: [benCounts, isDropped, read] });
    };
    expect(dropped(29_000)).not.toContain('when it was sent already');
    expect(dropped(40_020)).toContain('when it was sent already');
  });

  test('and requires an answer to the person', () => {
    const nothing = 'You have no approval of <it> to take back.';
    const deciding =
      '<it> is being decided with your approval. Your approval is taken back only if that decision cannot be carried out.';
    const unread = { ...approved, takeBacks };
    const tooLate = 'Your approval of <it> can no longer be undone.';
    expect(found({ ...unread, told: [told(tooLate, { person: 'U0BEN', at: 25_500 })] })).toBe('');
    expect(found(unread)).toContain('unanswered taking an approval back was acknowledged');
    expect(found({ ...unread, told: [benCounts, { ...isTold, text: told(deciding).text }] })).toBe(
      '',
    );
    expect(
      found({ ...unread, told: [benCounts, { ...isTold, text: told(nothing).text }] }),
    ).toContain('that they have no approval that counts, when they had');
    expect(found({ ...approved, told: [benCounts, isTold] })).toContain(
      'they had not asked for that',
    );
    const unknown = [
      {
        ...takeBacks[0],
        person: 'U0BEN',
        approval: 'A1',
        at: 25_000,
        acknowledgedAt: null,
        shown: null,
      },
    ];
    expect(found({ ...approved, takeBacks: unknown })).toContain('showed nothing');
  });
});

test('all assignments of people to needs are tried', () => {
  const fits = (person: string, { name }: { readonly name: string }) => person.includes(name);
  const needs = ['a', 'b', 'c'].map((name) => ({ name, of: { users: [], groups: [] }, count: 1 }));
  expect(canFillAll(needs, ['ab', 'abc', 'a'], fits)).toBe(true);
  expect(canFillAll(needs, ['ab', 'ab', 'a'], fits)).toBe(false);
  const [a] = needs;
  const two = a === undefined ? [] : [{ ...a, count: 2 }];
  expect(canFillAll(two, ['a'], fits)).toBe(false);
  expect(canFillAll(two, ['a', 'ab'], fits)).toBe(true);
});

test('a substitute for somebody who approved, too, is not in the way of another one', () => {
  const owner = { name: 'Owner', of: { users: ['U0CLEO'], groups: [] }, count: 1 };
  const cast = (person: string, giver?: string) =>
    audited('approvals.ballot', person, { action: 'approve', ...(giver && { for: giver }) });
  const [seen] = casesIn(
    evidence({
      approvals: [approval({ quorum: 2, needs: [owner] })],
      audit: [cast('U0CLEO', 'U0BEN'), cast('U0BEN'), cast('U0ANA', 'U0CLEO')],
      rights,
      limits: { quietMs: 0, resumeMs: 0, rightMs: 0 },
    }),
  );
  if (seen === undefined) throw new Error('there is no such approval');
  const span = { from: 0, until: 50_000 };
  expect(areEnough(seen, ['U0CLEO', 'U0BEN', 'U0ANA'], span)).toBe(true);
  expect(areEnough(seen, ['U0CLEO', 'U0BEN'], span)).toBe(false);
  expect(areEnough(seen, ['U0CLEO', 'U0ANA'], span)).toBe(false);
});
