import { describe, expect, test } from 'vitest';
import type { Approval, Requester } from '../../../src/approvals/approval.ts';
import {
  isListedRobot,
  isOwnApproval,
  isRequesterKnown,
  REQUESTERS_MAX,
  receiveRequester,
  requesterIds,
  requestersOf,
  sameRequester,
  unread,
  withLinked,
} from '../../../src/approvals/electorate/requester.ts';
import { provenRequester } from '../../../src/approvals/electorate/verified.ts';
import { decodeApproval, encodeApproval } from '../../../src/approvals/stored-approval.ts';
import { applyResult, approvalWith, DECIDING, NOW, termsWith } from '../approvals.ts';

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

test('whoever a token names asked, and may have been run again by somebody else', () => {
  const token = { by: 'GitHub', subject: 'repo:acme/web', scope: '1' };
  const login = { login: 'octocat', at: 'github' };
  expect(provenRequester(undefined)).toBeUndefined();
  expect(provenRequester(token)).toBeUndefined();
  expect(provenRequester({ ...token, person: { login } })).toEqual({ login, proved: 'started' });
  expect(provenRequester({ ...token, person: { login, isRerun: true } })).toEqual({
    login,
    proved: 'rerun',
  });
});

describe('another requester', () => {
  const asked = approvalWith({
    requester: { email: 'ana@example.com', user: 'U0ANA', known: true },
  });
  const isSame = (approval: Approval, other: Requester) =>
    sameRequester(approval, other) !== undefined;
  const again = (approval: Approval, requester: Requester) =>
    receiveRequester(approval, { requester });

  test('is the same if all that is named is there, letter for letter', () => {
    expect(isSame(asked, { email: 'ana@example.com' })).toBe(true);
    expect(isSame(asked, { email: 'Ana@example.com' })).toBe(false);
    expect(isSame(asked, { email: 'ana@example.com', named: 'U0ANA', user: 'U0ANA' })).toBe(false);
    expect(isSame(asked, { email: 'ana@example.com', name: 'Ana' })).toBe(false);
    expect(isSame(asked, octocat)).toBe(false);
    expect(isSame(approvalWith({ requester: octocat }), octocat)).toBe(true);
    // A record of an earlier version.
    const named = { named: 'U0ANA', user: 'U0ANA' };
    expect(isSame(approvalWith({ requester: { user: 'U0ANA' } }), named)).toBe(true);
  });

  test('is another one if the first named an address together with somebody else', () => {
    const requester = { email: 'ana@example.com', named: 'U0BEN', user: 'U0BEN', known: true };
    const { data } = again(approvalWith({ requester }), { email: 'ana@example.com' });
    expect(requestersOf(data)).toHaveLength(2);
  });

  test('is added once, and the message is drawn again unless it was recalled', () => {
    const once = again({ ...asked, shown: 'waiting' }, octocat);
    expect(requestersOf(once.data)).toEqual([asked.requester, { ...octocat, lookups: 0 }]);
    expect(once.data.shown).toBeUndefined();
    expect(once.audit).toMatchObject([{ action: 'approvals.asked-again' }]);
    expect(again(once.data, octocat)).toEqual({ data: once.data });
    const recalled = again({ ...asked, shown: 'waiting', recalled: true }, octocat);
    expect(recalled.data.shown).toBe('waiting');
  });

  test('without anything to look up is noted as not known', () => {
    expect(again(asked, { name: 'x' }).audit).toMatchObject([
      { facts: { 'requester.known': false } },
    ]);
  });

  test('is stored so that a version that knows only one refuses it', () => {
    const { data } = again(approvalWith(), octocat);
    expect(JSON.parse(encodeApproval(data)).v).toBe(5);
    expect(JSON.parse(encodeApproval(approvalWith())).v).toBe(3);
    const place = { channel: 'C0PROD', message: '17.1' };
    expect(decodeApproval({ data: encodeApproval(data), place }).alsoAskedBy).toEqual(
      data.alsoAskedBy,
    );
  });

  test('is not added to ten', () => {
    const full = approvalWith({
      alsoAskedBy: Array.from({ length: REQUESTERS_MAX }, (_, at) => ({ name: `${at}` })),
    });
    expect(again(full, octocat).data).toBe(full);
  });

  test('has an unsent decision authorized again', () => {
    const { data } = again({ ...asked, decision: DECIDING }, octocat);
    expect(data.decision).toEqual({ ...DECIDING, authorizedAt: 0 });
  });

  test('has who can approve counted again if it is somebody', () => {
    const counted = { at: NOW };
    expect(again({ ...asked, counted }, octocat).data.counted).toBe(counted);
    const named = { named: 'U0BEN', user: 'U0BEN' };
    expect(again({ ...asked, counted }, named).data.counted).toBeUndefined();
  });

  describe('of a decided own gate', () => {
    const outcome = {
      status: 'APPROVED',
      credit: 'certain',
      by: ['U0ANA'],
      learnedAt: NOW,
    } as const;
    const gate = approvalWith({ key: 'deploy', outcome });

    test('is not added, but a gate of the service takes it', () => {
      expect(again(gate, octocat).data).toBe(gate);
      expect(isSame(again(approvalWith({ token: 'sealed', outcome }), octocat).data, octocat)).toBe(
        true,
      );
    });

    test('who approved it leaves it approved by its own requester, once', () => {
      const { data, audit } = receiveRequester(gate, { requester: octocat, approvedBy: 'U0ANA' });
      expect(data.outcome?.self).toEqual({ by: 'U0ANA', isLate: true });
      expect(data.alerts).toEqual([{ cause: 'requester-approved', subject: 'U0ANA' }]);
      expect(audit).toMatchObject([{ action: 'approvals.self-approval', actor: 'U0ANA' }]);
      expect(isOwnApproval(data)).toBe(true);
      expect(receiveRequester(data, { requester: octocat, approvedBy: 'U0ANA' })).toEqual({ data });
    });
  });
});

describe('whom the configuration links', () => {
  const logins = { 'github:octocat': 'U0CLEO', 'email:ana+ci@example.com': 'U0ANA' };
  const linked = (requester: Requester) =>
    requesterIds(withLinked(approvalWith({ requester }), { identityLogins: logins }));

  test('asked as well as whom it linked before', () => {
    expect(linked(octocat)).toEqual(['U0CLEO']);
    expect(linked({ ...octocat, user: 'U0BEN', known: true })).toEqual(['U0BEN', 'U0CLEO']);
  });

  test('asked even if the request names somebody else beside the address', () => {
    const email = 'Ana+CI@example.com';
    expect(linked({ email, named: 'U0BEN', user: 'U0BEN' })).toEqual(['U0BEN', 'U0ANA']);
  });

  test('a robot may be listed by its address', () => {
    const rules = { identityRobots: ['github:renovate[bot]', 'email:bot@example.com'] };
    expect(isListedRobot(rules, { login: { login: 'Renovate[bot]', at: 'github' } })).toBe(true);
    expect(isListedRobot(rules, { email: 'Bot@Example.com' })).toBe(true);
    expect(isListedRobot(rules, octocat)).toBe(false);
  });
});

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

  test('removes what somebody decided in their place', () => {
    const forAna = [{ ...ballots[1], for: { user: 'U0ANA' } }];
    expect(looked({ requester, ballots: forAna }, {}).data.ballots).toEqual([]);
  });

  test('does not say whose approval the service accepted if it did not', () => {
    const sent = { status: 'APPROVED', credit: 'sent', by: ['W0ANA'], learnedAt: NOW } as const;
    expect(looked({ requester, ballots, outcome: sent }, {}).data.outcome).toEqual(sent);
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
    expect(data.outcome?.self).toEqual({ by: 'W0ANA', isLate: true });
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
