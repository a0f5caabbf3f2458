import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import { areSilentLeft } from '../../../src/approvals/electorate/asked.ts';
import { growsLater, isConditional } from '../../../src/approvals/electorate/clause.ts';
import { decidersOf } from '../../../src/approvals/electorate/deciders.ts';
import { EVER, electorateOf, rulesOf } from '../../../src/approvals/electorate/electorate.ts';
import { peopleFor, tally } from '../../../src/approvals/electorate/tally.ts';
import type { Route } from '../../../src/core/config/config.ts';
import { approvalWith, NOW, routeWith } from '../approvals.ts';

const MINUTE = 60_000;
const LEADS = { users: ['U0LEA'], groups: ['S0LEADS'] };
const HEADS = { users: [], groups: ['S0HEADS'] };
const escalate = [
  { after: 30 * MINUTE, to: LEADS },
  { after: 60 * MINUTE, to: HEADS },
];
const people = (...users: string[]) => ({ users, groups: [], channel: false });

/** `minutes` after it was made. */
function at(
  minutes: number,
  request: Partial<Approval> = {},
  rules: Partial<Route> = { escalate },
) {
  const route = routeWith(rules);
  return electorateOf(approvalWith(request), { route, asOf: NOW + minutes * MINUTE });
}

test('on a plain route they are its reviewers, one of whom is enough', () => {
  expect(at(0, {}, {})).toMatchObject({
    named: people('U0ANA', 'U0BEN'),
    asked: people('U0ANA', 'U0BEN'),
    ...{ isNarrowed: false, quorum: 1, places: [], needed: 1, selfApproval: false },
    ...{ steps: [], until: EVER, lacking: { needs: [] } },
  });
});

test('nobody can decide without a route, whatever the request asks for', () => {
  const needs = [{ name: 'Legal', count: 2, of: { users: ['U0CLEO'], groups: [] } }];
  const electorate = electorateOf(approvalWith({ needs, quorum: 3 }), {
    route: undefined,
    asOf: NOW,
  });
  expect(electorate).toMatchObject({ named: people(), asked: people(), needed: 3, places: needs });
});

test('it is computed once for each state of a request, until time changes it', () => {
  const [approval, route] = [approvalWith(), routeWith({ escalate })];
  const after = (ms: number, of = route) => electorateOf(approval, { route: of, asOf: NOW + ms });
  expect(after(30 * MINUTE - 1)).toBe(after(0));
  expect(after(30 * MINUTE)).not.toBe(after(0));
  expect(after(99 * MINUTE).named).toEqual(after(EVER).named);
  expect(after(0).named).toEqual(people('U0ANA', 'U0BEN'));
  expect(after(0, routeWith({ reviewers: people('U0EVE') })).named).toEqual(people('U0EVE'));
  expect(electorateOf(approvalWith({ quorum: 2 }), { route, asOf: NOW }).needed).toBe(2);
});

describe('a request is escalated', () => {
  test.each([
    [0, 0],
    [30 - 1 / MINUTE, 0],
    [30, 1],
    [60 - 1 / MINUTE, 1],
    [60, 2],
    [9_999, 2],
  ])('%d minutes after it was made, by %i steps', (minutes, steps) => {
    expect(at(minutes).begun).toHaveLength(steps);
  });

  test.each<[string, Partial<Approval>]>([
    ['its deadline', { expiresAt: NOW + 60 * MINUTE }],
    ['its outcome', { outcome: outcomeAt(45) }],
    ['it was withdrawn', { withdrawnAt: NOW + 31 * MINUTE }],
  ])('no further after %s', (_what, change) => {
    const begun = [29, 30, 60, 99].map((minutes) => at(minutes, change).begun.length);
    expect(begun).toEqual([0, 1, 1, 1]);
    expect([0, 30].map((minutes) => at(minutes, change).until)).toEqual([NOW + 30 * MINUTE, EVER]);
    expect(at(EVER, change).begun).toHaveLength(1);
    expect(growsLater(at(30, change))).toBe(false);
  });

  test('step by step, and the next step is known in advance', () => {
    const until = [0, 30, 59, 60].map((minutes) => at(minutes).until);
    expect(until).toEqual([NOW + 30 * MINUTE, NOW + 60 * MINUTE, NOW + 60 * MINUTE, EVER]);
    expect(growsLater(at(30))).toBe(true);
    expect(growsLater(at(60))).toBe(false);
  });

  test('early, if it was noted', () => {
    const early = at(1, { escalatedAt: { [30 * MINUTE]: NOW + MINUTE } });
    expect(early.begun.map(({ users }) => users)).toEqual([['U0LEA']]);
    expect(early.since).toBe(NOW + MINUTE);
  });
});

describe('the people who are asked, and those who can decide', () => {
  const quiet = { users: ['U0QIN'], groups: ['S0QUIET'] };
  const both = (minutes: number, change: Partial<Approval> = {}) =>
    at(minutes, change, { escalate, quiet });

  test('include those it was escalated to; quiet reviewers can only decide', () => {
    expect(both(29).asked).toEqual(people('U0ANA', 'U0BEN'));
    expect(both(60).asked).toEqual({
      users: ['U0ANA', 'U0BEN', 'U0LEA'],
      groups: ['S0LEADS', 'S0HEADS'],
      channel: false,
    });
    expect(both(30).named).toEqual({
      users: ['U0ANA', 'U0BEN', 'U0QIN', 'U0LEA'],
      groups: ['S0QUIET', 'S0LEADS'],
      channel: false,
    });
    expect(decidersOf(routeWith({ escalate, quiet })).groups).toEqual([
      ...['S0QUIET', 'S0LEADS', 'S0HEADS'],
    ]);
  });

  test('include those it was escalated to even if the request named others', () => {
    const narrowedTo = { users: ['U0BEN'], groups: [] };
    expect(both(29, { narrowedTo })).toMatchObject({ asked: people('U0BEN'), isNarrowed: true });
    expect(both(30, { narrowedTo }).asked).toEqual({
      users: ['U0BEN', 'U0LEA'],
      groups: ['S0LEADS'],
      channel: false,
    });
  });

  test('may be no reviewers where groups are, and are known otherwise', () => {
    const narrowedTo = { users: ['U0ZOE'], groups: [] };
    expect(isConditional(both(0, { narrowedTo }))).toBe(true);
    expect(isConditional(both(0))).toBe(false);
    expect(isConditional(at(0, { narrowedTo }))).toBe(false);
  });

  test('quiet reviewers are wanted until they have decided, if the request names them', () => {
    const alone = { quiet: { users: ['U0QIN'], groups: [] } };
    const by = (...approvedBy: string[]) => ({ ballots: [], approvedBy });
    expect(areSilentLeft(at(0, {}, alone), by())).toBe(true);
    expect(areSilentLeft(at(0, {}, alone), by('U0QIN'))).toBe(false);
    const narrowed = (...users: string[]) => at(0, { narrowedTo: { users, groups: [] } }, alone);
    expect(areSilentLeft(narrowed('U0ANA'), by())).toBe(false);
    expect(areSilentLeft(narrowed('U0QIN'), by())).toBe(true);
  });
});

describe('the places', () => {
  const need = (name: string, user: string) => {
    return { name, count: 1, of: { users: [user], groups: [] } };
  };
  const filledBy = (needs?: readonly string[]) => {
    const to = { ...LEADS, ...(needs !== undefined && { needs }) };
    const rules = {
      need: [need('SRE', 'U0ANA'), need('Security', 'U0BEN')],
      escalate: [{ after: 30 * MINUTE, to }],
    };
    const { places } = at(30, { needs: [need('Own', 'U0BEN')] }, rules);
    return places.filter(({ of }) => of.users.includes('U0LEA')).map(({ name }) => name);
  };

  test('can be filled by the people of a step: all needs, the named ones, or none', () => {
    expect(filledBy()).toEqual(['SRE', 'Security', 'Own']);
    expect(filledBy(['Security'])).toEqual(['Security']);
    expect(filledBy([])).toEqual([]);
    // The configuration has changed since.
    expect(filledBy(['Gone'])).toEqual([]);
  });

  test('raise the number of approvals above the quorum, and are filled by different people', () => {
    const rules = { need: [need('SRE', 'U0ANA'), need('Security', 'U0ANA')] };
    const electorate = at(0, {}, rules);
    const ana = { user: 'U0ANA', action: 'approve', at: NOW } as const;
    expect(electorate.needed).toBe(2);
    expect(tally(electorate, [ana])).toMatchObject({
      ...{ have: 1, needed: 2, isEnough: false },
      open: [{ count: 1, of: ['SRE', 'Security'] }],
    });
    expect(tally(electorate, [ana, { ...ana, user: 'U0BEN' }]).isEnough).toBe(false);
  });

  test('are asked of their people who are reviewers, where all reviewers are named', () => {
    const rules = { need: [need('SRE', 'U0ANA'), need('Security', 'U0ZOE')] };
    expect(peopleFor(at(0, {}, rules), ['SRE', 'Security']).users).toEqual(['U0ANA']);
    const groups = { ...rules, reviewers: { users: [], groups: ['S0ALL'], channel: false } };
    expect(peopleFor(at(0, {}, groups), ['SRE', 'Security']).users).toEqual(['U0ANA', 'U0ZOE']);
  });
});

test('whoever asked is let in by the route: loudly only to own gates', () => {
  const loud = { selfApproval: 'loud' } as const;
  expect(at(0, {}, loud).selfApproval).toBe(false);
  expect(at(0, { key: 'deploy-7' }, loud).selfApproval).toBe('loud');
  expect(at(0, {}, { selfApproval: true }).selfApproval).toBe(true);
});

test('what is lacking are needs that still exist', () => {
  const counted = { at: NOW, able: 0, lacking: ['SRE', 'Gone'], isOnlyRequester: true } as const;
  const need = [{ name: 'SRE', count: 1, of: { users: ['U0ANA'], groups: [] } }];
  const { lacking } = at(0, { counted }, { need });
  expect(lacking).toEqual({ able: 0, isOnlyRequester: true, needs: ['SRE'] });
});

test('its rules are listed in one order', () => {
  const need = [{ name: 'SRE', count: 1, of: { users: ['U0ANA'], groups: [] } }];
  const change = {
    absent: {
      at: NOW,
      people: [{ ids: ['U0BEN'], until: NOW + MINUTE, substitute: 'U0SUB' }],
      gone: { U0EVE: 'deactivated' },
    },
    counted: { at: NOW, large: ['S0ALL'] },
  } as const;
  const approval = approvalWith(change);
  const terms = {
    route: routeWith({ need, escalate, substitutes: true }),
    asOf: NOW + 30 * MINUTE,
  };
  expect(rulesOf(electorateOf(approval, terms), approval)).toEqual([
    { code: 'needed', needed: 1 },
    { code: 'need', need: { ...need[0], of: { users: ['U0ANA', 'U0LEA'], groups: ['S0LEADS'] } } },
    { code: 'escalated', to: LEADS, at: NOW + 30 * MINUTE },
    { code: 'escalates', to: HEADS, at: NOW + 60 * MINUTE },
    { code: 'away', user: 'U0BEN', until: NOW + MINUTE, substitute: 'U0SUB' },
    { code: 'substitutes' },
    { code: 'gone', user: 'U0EVE', why: 'deactivated' },
    { code: 'large-group', group: 'S0ALL' },
    { code: 'requester-unknown', selfApproval: false },
  ]);
});

function outcomeAt(minutes: number): NonNullable<Approval['outcome']> {
  return {
    status: 'APPROVED',
    credit: 'certain',
    by: ['U0ANA'],
    learnedAt: NOW + minutes * MINUTE,
  };
}
