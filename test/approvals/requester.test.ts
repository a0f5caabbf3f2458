import { describe, expect, test } from 'vitest';
import type { Approval, Decision, Requester } from '../../src/approvals/approval.ts';
import {
  hasRequester,
  isRequesterKnown,
  REQUESTERS_MAX,
  receiveRequester,
  requesterIds,
  requestersOf,
  unread,
  withLinked,
} from '../../src/approvals/requester/requester.ts';
import { applyResult } from '../../src/approvals/steps/steps.ts';
import { approvalWith, DECIDING, NOW, termsWith } from './approvals.ts';

const octocat: Requester = { login: { login: 'octocat', at: 'github' } };

describe('who asked is known', () => {
  test.each<[string, Partial<Approval>, boolean]>([
    ['nobody is named', {}, false],
    ['a name alone', { requester: unread({ name: 'Ana' }) }, false],
    ['a member is not read yet', { requester: unread({ user: 'U0ANA' }) }, false],
    ['a member', { requester: { user: 'U0ANA', known: true } }, true],
    ['a guest', { requester: { user: 'U0GUS', known: false } }, false],
    ['a record of an earlier version names a Slack id', { requester: { user: 'U0ANA' } }, true],
    ['a listed robot', { requester: { ...octocat, known: true } }, true],
    [
      'a member, and then somebody else is not',
      { requester: { user: 'U0ANA', known: true }, alsoAskedBy: [{ name: 'x', known: false }] },
      false,
    ],
  ])('if %s', (_what, change, known) => {
    expect(isRequesterKnown(approvalWith(change))).toBe(known);
  });
});

describe('another requester', () => {
  const asked = approvalWith({
    requester: { email: 'ana@example.com', user: 'U0ANA', known: true },
  });

  test('is the same if all that is named is there, letter for letter', () => {
    expect(hasRequester(asked, { email: 'ana@example.com' })).toBe(true);
    expect(hasRequester(asked, { email: 'Ana@example.com' })).toBe(false);
    expect(hasRequester(asked, { email: 'ana@example.com', user: 'U0BEN' })).toBe(false);
    expect(hasRequester(asked, { email: 'ana@example.com', name: 'Ana' })).toBe(false);
    expect(hasRequester(asked, octocat)).toBe(false);
    expect(hasRequester(approvalWith({ requester: octocat }), octocat)).toBe(true);
  });

  test('is added once, and the message is drawn again', () => {
    const once = receiveRequester({ ...asked, shown: 'waiting' }, octocat);
    expect(requestersOf(once.data)).toEqual([asked.requester, { ...octocat, lookups: 0 }]);
    expect(once.data.shown).toBeUndefined();
    expect(once.audit).toMatchObject([{ action: 'approvals.asked-again' }]);
    expect(receiveRequester(once.data, octocat)).toEqual({ data: once.data });
  });

  test('takes the place of none', () => {
    const { data } = receiveRequester(approvalWith(), octocat);
    expect(data.requester).toEqual({ ...octocat, lookups: 0 });
    expect(data.alsoAskedBy).toBeUndefined();
  });

  test('is not added to ten', () => {
    const full = approvalWith({
      alsoAskedBy: Array.from({ length: REQUESTERS_MAX }, (_, at) => ({ name: `${at}` })),
    });
    expect(receiveRequester(full, octocat).data).toBe(full);
  });

  test('has an unsent decision authorized again', () => {
    const { data } = receiveRequester({ ...asked, decision: DECIDING }, octocat);
    expect(data.decision).toEqual({ ...DECIDING, authorizedAt: 0 });
  });

  test.each<[string, Partial<Approval>]>([
    [
      'decided',
      { outcome: { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } },
    ],
    ['being decided', { decision: sending() }],
  ])('is not added to an own gate that is %s, but to a gate of the service', (_what, change) => {
    const gate = approvalWith({ key: 'deploy', ...change });
    expect(receiveRequester(gate, octocat).data).toBe(gate);
    const { data } = receiveRequester(approvalWith({ token: 'sealed', ...change }), octocat);
    expect(hasRequester(data, octocat)).toBe(true);
  });

  test('is whoever the configuration links by now', () => {
    const linked = withLinked(approvalWith({ requester: octocat, alsoAskedBy: [{ name: 'x' }] }), {
      identityLogins: { 'github:octocat': 'U0CLEO' },
    });
    expect(requesterIds(linked)).toEqual(['U0CLEO']);
  });
});

function sending(): Decision {
  const { sends } = DECIDING.phase;
  return {
    ...DECIDING,
    phase: { name: 'sending', sends, attempt: { plannedAt: NOW, mustEndBy: NOW } },
  };
}

describe('a look-up', () => {
  const step = { kind: 'identify-requester', index: 0 } as const;
  const looked = (change: Partial<Approval>, found: object, terms = termsWith()) =>
    applyResult(
      approvalWith(change),
      step,
      {
        kind: 'identified',
        found: { known: true, user: 'U0ANA', ids: ['U0ANA', 'W0ANA'], ...found },
      },
      terms,
      NOW,
    );
  const requester = { ...octocat, lookups: 1, notBefore: NOW };
  const ballots = [
    { user: 'W0ANA', action: 'approve', at: NOW },
    { user: 'U0BEN', action: 'approve', at: NOW },
  ] as const;

  test('says who it is, and is noted in the audit log', () => {
    const { data, audit } = looked({ requester }, {});
    expect(data.requester).toEqual({ ...octocat, user: 'U0ANA', known: true });
    expect(audit).toEqual([
      {
        action: 'approvals.requester',
        record: null,
        actor: 'default',
        facts: { 'requester.known': true, user: 'U0ANA' },
      },
    ]);
  });

  test('removes what they decided, by all of their ids, and tells them', () => {
    const { data, audit } = looked({ requester, ballots }, {});
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0BEN']);
    expect(data.replies).toMatchObject([{ user: 'W0ANA', about: 'dropped' }]);
    expect(audit?.at(-1)?.facts).toEqual({ action: 'approve', refused: 'requester' });
  });

  test('keeps it where the route lets them decide, or everybody was told', () => {
    expect(
      looked({ requester, ballots }, {}, termsWith({ selfApproval: true })).data.ballots,
    ).toEqual(ballots);
    const told = ballots.map((ballot) => ({ ...ballot, self: true as const }));
    const loud = termsWith({ selfApproval: 'loud' });
    expect(looked({ requester, ballots: told, key: 'k' }, {}, loud).data.ballots).toEqual(told);
  });

  test('leaves a decision that is being sent', () => {
    const { data } = looked({ requester, ballots, decision: DECIDING }, {});
    expect(data.ballots).toEqual(ballots);
  });

  test('shows that the service accepted an approval of theirs, and alerts administrators', () => {
    const outcome = {
      status: 'APPROVED',
      credit: 'certain',
      by: ['W0ANA'],
      learnedAt: NOW,
    } as const;
    const { data, audit } = looked({ requester, ballots, outcome }, {});
    expect(data.outcome?.self).toEqual({ by: 'W0ANA' });
    expect(audit?.at(-1)).toMatchObject({ action: 'approvals.self-approval', actor: 'W0ANA' });
    expect(data.alerts).toEqual([{ cause: 'requester-approved', subject: 'W0ANA' }]);
    const others = { ...outcome, by: ['U0BEN'] };
    expect(looked({ requester, ballots, outcome: others }, {}).data.outcome?.self).toBeUndefined();
  });

  test('that Slack refuses, or that fails eight times, ends: it is not known', () => {
    let data = approvalWith({ requester: unread({ email: 'ana@example.com' }) });
    for (let tries = 0; tries < 8; tries += 1) {
      expect(data.requester?.known).toBeUndefined();
      const failure = { class: 'ambiguous', code: 'timeout' } as const;
      data = applyResult(data, step, { kind: 'failed', failure }, termsWith(), NOW).data;
    }
    expect(data.requester).toEqual({ email: 'ana@example.com', known: false });
  });
});
