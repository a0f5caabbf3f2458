import { describe, expect, test } from 'vitest';
import type { Approval, Ballot } from '../../../src/approvals/approval.ts';
import { electorateOf } from '../../../src/approvals/electorate/electorate.ts';
import {
  approversOf,
  canFill,
  tally,
  unfillableNeeds,
} from '../../../src/approvals/electorate/tally.ts';
import { approvalsOf, votesFor } from '../../../src/approvals/electorate/votes.ts';
import type { NamedPeople, Place, Route } from '../../../src/core/config/config.ts';
import { approvalWith, NOW, termsWith } from '../approvals.ts';

const vote = (user: string, change: Partial<Ballot> = {}): Ballot => ({
  user,
  action: 'approve',
  at: NOW,
  ...change,
});
const electorateWith = (route: Partial<Route>, request: Partial<Approval> = {}) =>
  electorateOf(approvalWith(request), termsWith(route));
const inSre = { through: ['S0SRE'] };
const needOf = (of: Partial<NamedPeople>, count = 1, name = 'SRE'): Place => ({
  name,
  count,
  of: { users: [], groups: [], ...of },
});
const SRE = needOf({ groups: ['S0SRE'] });

describe('the votes for an action', () => {
  test('are the last ballot of each person, whichever accounts they used', () => {
    const first = vote('U0ANA', inSre);
    const ben = vote('U0BEN');
    const last = vote('U1ANA', { alsoKnownAs: ['U0ANA'] });
    expect(votesFor('approve', [first, ben, last])).toEqual([ben, last]);
    const again = vote('U0ANA', { through: ['S0SEC'] });
    expect(votesFor('approve', [first, again])).toEqual([again]);
  });

  test('are not those for the other action, which do not replace them', () => {
    const approval = vote('U0ANA');
    const rejection = vote('U0ANA', { action: 'reject' });
    expect(votesFor('approve', [approval, rejection])).toEqual([approval]);
    expect(votesFor('reject', [approval, rejection])).toEqual([rejection]);
  });

  test('count for a need as the person was last authorized', () => {
    const route = { need: [SRE], quorum: 1 };
    const progress = (...ballots: Ballot[]) => tally(electorateWith(route), ballots);
    expect(progress(vote('U0ANA', inSre), vote('U0ANA'))).toMatchObject({ isEnough: false });
    expect(progress(vote('U0ANA'), vote('U0ANA', inSre))).toMatchObject({ isEnough: true });
  });
});

describe('a need', () => {
  test('is filled by a person it names by any of their ids, or by one of their groups', () => {
    const ana = vote('U0ANA', { alsoKnownAs: ['U1ANA'], through: ['S0SRE', 'S0ALL'] });
    expect(canFill(ana, needOf({ users: ['U0ANA'] }))).toBe(true);
    expect(canFill(ana, needOf({ users: ['U0BEN', 'U1ANA'] }))).toBe(true);
    expect(canFill(ana, needOf({ groups: ['S0ALL'] }))).toBe(true);
    expect(canFill(ana, needOf({ users: ['U0BEN'], groups: ['S0SEC'] }))).toBe(false);
  });

  test('is filled by a substitute as the person they decide for, not as themselves', () => {
    const forAna = vote('U0BEN', {
      alsoKnownAs: ['U1BEN'],
      for: { user: 'U0ANA', alsoKnownAs: ['U1ANA'] },
    });
    for (const user of ['U0ANA', 'U1ANA']) {
      expect(canFill(forAna, needOf({ users: [user] }))).toBe(true);
    }
    for (const user of ['U0BEN', 'U1BEN']) {
      expect(canFill(forAna, needOf({ users: [user] }))).toBe(false);
    }
  });

  test('is open together with those whose people could move to it', () => {
    const both = ['S0SRE', 'S0SEC'];
    const need = [needOf({ groups: both }, 2, 'one'), needOf({ groups: both }, 2, 'other')];
    const ballots = [vote('U0ANA', { through: both })];
    const { open } = tally(electorateWith({ need }), ballots);
    expect(open).toEqual([
      { count: 1, of: ['one'] },
      { count: 2, of: ['one', 'other'] },
    ]);
  });

  test('that is met is not enough while more people are needed', () => {
    const electorate = electorateWith({ need: [SRE], quorum: 2 });
    const met = tally(electorate, [vote('U0ANA', inSre)]);
    expect(met).toMatchObject({ open: [], isEnough: false });
    expect(tally(electorate, [vote('U0ANA', inSre), vote('U0BEN')]).isEnough).toBe(true);
  });

  test('of the route and one of the request with its name are open as one', () => {
    const needs = [needOf({ users: ['U0ANA'] }, 2)];
    expect(tally(electorateWith({ need: [SRE] }, { needs }), []).open).toEqual([
      { count: 3, of: ['SRE'] },
    ]);
  });

  test('of several groups can be filled by a member of one of them', () => {
    const needs = [needOf({ groups: ['S0SRE', 'S0SEC'] })];
    const isIn = (user: string, group: string) => user === 'U0ANA' && group === 'S0SEC';
    expect(unfillableNeeds(needs, ['U0ANA'], isIn)).toEqual([]);
    expect(unfillableNeeds(needs, ['U0BEN'], isIn)).toEqual(['SRE']);
  });
});

describe('the approvals that a decision uses', () => {
  const used = (decider: Ballot, ballots: readonly Ballot[], quorum = 1) =>
    approversOf(electorateWith({ need: [SRE], quorum }), ballots, decider);
  const [ana, ben, carl] = [vote('U0ANA', inSre), vote('U0BEN', inSre), vote('U0CARL')];

  test('are the one of whoever decides before earlier ones that fill the same place', () => {
    expect(used(ben, [ana, ben])).toEqual(['U0BEN']);
    expect(used(carl, [ana, carl])).toEqual(['U0ANA', 'U0CARL']);
  });

  test('are as many others as the quorum takes', () => {
    expect(used(ana, [ana, ben, carl], 2)).toEqual(['U0ANA', 'U0BEN']);
    expect(used(carl, [ana, ben, carl], 2)).toEqual(['U0ANA', 'U0CARL']);
  });

  test('are of different people for each place, also if the first of them decides', () => {
    const electorate = electorateWith({ need: [{ ...SRE, count: 2 }] });
    expect(approversOf(electorate, [ana, ben], ana)).toEqual(['U0ANA', 'U0BEN']);
  });

  test('are not chosen for a rejection, or without needs', () => {
    expect(used(vote('U0ANA', { action: 'reject' }), [ana])).toBeUndefined();
    expect(approversOf(electorateWith({ quorum: 2 }), [ana, ben], ben)).toBeUndefined();
  });
});

test('the approvals of a person are those of all their accounts, without their rejections', () => {
  const own = vote('U0ANA', { account: '7' });
  const second = vote('U1ANA', { account: '7' });
  const rejection = vote('U0ANA', { action: 'reject' });
  const ballots = [own, vote('U0BEN'), second, rejection];
  expect(approvalsOf(approvalWith({ ballots }), 'U0ANA')).toEqual([own, second]);
  expect(approvalsOf(approvalWith({ ballots: [rejection] }), 'U0ANA')).toEqual([]);
});
