import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import {
  askedOf,
  decidersOf,
  isEscalatedLater,
  lastRoute,
  lastRouteOf,
  nextEscalationAt,
  presentRoute,
} from '../../../src/approvals/electorate/reviewers.ts';
import { needsOf } from '../../../src/approvals/electorate/votes.ts';
import { approvalWith, NOW, routeWith } from '../approvals.ts';

const MINUTE = 60_000;
const LEADS = { users: ['U0LEA'], groups: ['S0LEADS'] };
const HEADS = { users: [], groups: ['S0HEADS'] };
const escalate = [
  { after: 30 * MINUTE, to: LEADS },
  { after: 60 * MINUTE, to: HEADS },
];
const route = routeWith({ escalate });
const at = (minutes: number, change: Partial<Approval> = {}) =>
  presentRoute(route, approvalWith(change), NOW + minutes * MINUTE);
const stepsAt = (minutes: number, change: Partial<Approval> = {}) =>
  at(minutes, change)?.escalatedTo?.length ?? 0;

describe('a request is escalated', () => {
  test.each([
    [0, 0],
    [30 - 1 / MINUTE, 0],
    [30, 1],
    [60 - 1 / MINUTE, 1],
    [60, 2],
    [9_999, 2],
  ])('%d minutes after it was made, by %i steps', (minutes, steps) => {
    expect(stepsAt(minutes)).toBe(steps);
  });

  test('never, if the route has no escalation', () => {
    const plain = routeWith();
    expect(presentRoute(plain, approvalWith(), NOW + 99 * MINUTE)).toBe(plain);
    expect(nextEscalationAt(plain, approvalWith(), NOW)).toBeUndefined();
    expect(presentRoute(undefined, approvalWith(), NOW)).toBeUndefined();
    // Before its first step it is the route itself, too.
    expect(at(29)).toBe(route);
  });

  test.each<[string, Partial<Approval>]>([
    ['its deadline', { expiresAt: NOW + 60 * MINUTE }],
    ['its outcome', { outcome: outcomeAt(45) }],
    ['it was withdrawn', { withdrawnAt: NOW + 31 * MINUTE }],
  ])('no further after %s', (_what, change) => {
    expect([29, 30, 60, 99].map((minutes) => stepsAt(minutes, change))).toEqual([0, 1, 1, 1]);
    const next = [0, 30].map((m) =>
      nextEscalationAt(route, approvalWith(change), NOW + m * MINUTE),
    );
    expect(next).toEqual([NOW + 30 * MINUTE, undefined]);
    expect(lastRouteOf(approvalWith(change), route).escalatedTo).toHaveLength(1);
    expect(isEscalatedLater(approvalWith(change), at(30, change) ?? route)).toBe(false);
  });

  test('step by step, and the next step is known in advance', () => {
    const next = [0, 30, 59, 60].map((m) =>
      nextEscalationAt(route, approvalWith(), NOW + m * MINUTE),
    );
    expect(next).toEqual([NOW + 30 * MINUTE, NOW + 60 * MINUTE, NOW + 60 * MINUTE, undefined]);
    expect(isEscalatedLater(approvalWith(), at(30) ?? route)).toBe(true);
    expect(isEscalatedLater(approvalWith(), at(60) ?? route)).toBe(false);
  });
});

describe('the people who are asked, and those who can decide', () => {
  const quiet = { users: ['U0QIN'], groups: ['S0QUIET'] };
  const both = routeWith({ escalate, quiet });
  const present = (minutes: number) =>
    presentRoute(both, approvalWith(), NOW + minutes * MINUTE) ?? both;

  test('include those it was escalated to; quiet reviewers can only decide', () => {
    expect(askedOf(approvalWith(), present(29))).toEqual({
      users: ['U0ANA', 'U0BEN'],
      groups: [],
      channel: false,
    });
    expect(askedOf(approvalWith(), present(60))).toEqual({
      users: ['U0ANA', 'U0BEN', 'U0LEA'],
      groups: ['S0LEADS', 'S0HEADS'],
      channel: false,
    });
    expect(decidersOf(present(30))).toEqual({
      users: ['U0ANA', 'U0BEN', 'U0QIN', 'U0LEA'],
      groups: ['S0QUIET', 'S0LEADS'],
      channel: false,
    });
    expect(decidersOf(lastRoute(both)).groups).toEqual(['S0QUIET', 'S0LEADS', 'S0HEADS']);
  });

  test('include those it was escalated to even if the request named others', () => {
    const narrowed = approvalWith({ narrowedTo: { users: ['U0BEN'], groups: [] } });
    expect(askedOf(narrowed, present(29))).toMatchObject({ users: ['U0BEN'], groups: [] });
    expect(askedOf(narrowed, present(30))).toEqual({
      users: ['U0BEN', 'U0LEA'],
      groups: ['S0LEADS'],
      channel: false,
    });
  });
});

describe('the needs of an escalated request', () => {
  const need = (name: string, user: string) => {
    return { name, count: 1, of: { users: [user], groups: [] } };
  };
  const filledBy = (needs?: readonly string[]) => {
    const to = { ...LEADS, ...(needs !== undefined && { needs }) };
    const rules = routeWith({
      need: [need('SRE', 'U0ANA'), need('Security', 'U0BEN')],
      escalate: [{ after: 30 * MINUTE, to }],
    });
    const approval = approvalWith({ needs: [need('Own', 'U0BEN')] });
    const now = presentRoute(rules, approval, NOW + 30 * MINUTE);
    const isLed = ({ of }: { of: { users: readonly string[] } }) => of.users.includes('U0LEA');
    return needsOf(approval, now)
      .filter(isLed)
      .map(({ name }) => name);
  };

  test('can be covered by the people of the step: all needs, the named ones, or none', () => {
    expect(filledBy()).toEqual(['SRE', 'Security', 'Own']);
    expect(filledBy(['Security'])).toEqual(['Security']);
    expect(filledBy([])).toEqual([]);
    // The configuration has changed since.
    expect(filledBy(['Gone'])).toEqual([]);
  });
});

function outcomeAt(minutes: number): NonNullable<Approval['outcome']> {
  return {
    status: 'APPROVED',
    credit: 'certain',
    by: ['U0ANA'],
    learnedAt: NOW + minutes * MINUTE,
  };
}
