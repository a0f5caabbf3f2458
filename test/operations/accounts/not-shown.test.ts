import { expect, test } from 'vitest';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { AccountCalls } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import type {
  AccountChange,
  AccountsReading,
  Change,
} from '../../../src/operations/accounts/change.ts';
import { accountCalls } from '../../../src/operations/accounts/change-operation.ts';
import { CHANGE_RULES } from '../../../src/operations/accounts/change-rules.ts';
import { digestOf, doneWith } from '../../../src/operations/accounts/compare-accounts.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import { fake } from '../../support/fake.ts';

/** What is known where the service does not show everything of an account, or not every account. */

const ANA: UserProfile = {
  ...{ id: 'a1', userName: 'ana@example.com', externalId: null, active: true, displayName: 'Ana' },
  ...{ formattedName: null, givenName: null, familyName: null, title: null, department: null },
};
const account = { id: 'a1', userName: 'ana@example.com', externalId: null, name: 'Ana' };
const editing: Change = {
  kind: 'edit',
  account,
  values: { title: 'Lead', displayName: 'Ana R.' },
  base: {},
};

test('an attribute that the service does not show is not reported as different from what was sent', () => {
  expect(doneWith(editing, { ...ANA, displayName: 'Ana R.' }).unlike).toEqual([]);
  expect(doneWith(editing, { ...ANA, title: 'Guide' }).unlike).toEqual(['displayName', 'title']);
});

/** What ends a change whose answers were lost, when it is sent no more. */
function endOf(change: Change, reading: AccountsReading, lost = 3) {
  const unconfirmed = { quietAt: 0, lost, hasEnded: true };
  const progress = { ...progressOf(change), unconfirmed };
  const phase = { name: 'read-back', why: 'lost', reads: 0, notBefore: 0 } as const;
  return CHANGE_RULES.reading?.verdict(progress, phase, found(reading));
}

function progressOf(change: Change): AccountChange {
  return {
    ...{ v: 1, channel: '', announce: false, run: 0, by: 'U0DANA', createdAt: 0, posts: [] },
    ...{ wish: { change }, phase: firstPhase(0) },
  };
}

function found(reading: AccountsReading) {
  return { found: { reading }, readAt: 1, timing: TRUE_TIME, now: 1 };
}

function unread() {
  const failure = { class: 'ambiguous', code: 'timeout' } as const;
  return { ...found({ kind: 'account', account: null }), found: { failure } };
}

test.each([
  ['Engineer', 'not-done'],
  [null, 'unknown'],
])('a lost change of a job title now shown as %s ends as %s', (title, code) => {
  const values = { title: 'Lead' };
  const change: Change = { kind: 'edit', account, values, base: { title: digestOf(title) } };
  const end = endOf(change, { kind: 'account', account: { ...ANA, title } });
  expect(end).toEqual({ kind: 'done', outcome: { code } });
});

test.each([
  [false, 'not-done'],
  [true, 'unknown'],
])('a lost creation missing from the list (partial: %s) ends as %s', (isPartial, code) => {
  const user = { userName: 'una@example.com' };
  const change: Change = { kind: 'create', user, foreseen: { kind: 'new', id: null } };
  const provisioning = { kind: 'new', isPartial, mayLink: true } as const;
  const end = endOf(change, { kind: 'foreseen', provisioning });
  expect(end).toEqual({ kind: 'done', outcome: { code } });
});

test('a lost creation missing from a partial list is not sent again automatically', () => {
  const user = { userName: 'una@example.com' };
  const change: Change = { kind: 'create', user, foreseen: { kind: 'new', id: null } };
  const provisioning = { kind: 'new', isPartial: true, mayLink: true } as const;
  const end = endOf(change, { kind: 'foreseen', provisioning }, 1);
  expect(end).toEqual({ kind: 'done', outcome: { code: 'unknown' } });
});

test.each([
  [false, 'gone', 'deactivated'],
  [true, 'not-shown', 'not-shown'],
])(
  'an account missing from the list (partial: %s) is %s, and after a lost deletion %s',
  async (isPartial, code, lostCode) => {
    const find = async () => ({ kind: 'none', ...(isPartial && { isPartial }) }) as const;
    const calls = accountCalls(fake<AccountCalls>({ find }), systemTimers);
    const change: Change = { kind: 'delete', account };
    const progress = progressOf(change);
    const reading = await calls.read(progress, { deadlineMs: 1_000 });
    const sends = { notSent: 0, limited: 0 };
    const phase = { name: 'send', authorizedAt: 0, notBefore: 0, sends } as const;
    const verdict = CHANGE_RULES.reading?.verdict(progress, phase, found(reading));
    expect(verdict).toEqual({ kind: 'done', outcome: { code } });
    expect(endOf(change, reading)).toMatchObject({ kind: 'done', outcome: { code: lostCode } });
  },
);

test.each([
  [false, 'not-done'],
  [null, 'unknown'],
])('a lost re-activation is not sent again automatically: %s ends as %s', (active, code) => {
  const end = endOf(
    { kind: 'activate', account },
    { kind: 'account', account: { ...ANA, active } },
    1,
  );
  expect(end).toEqual({ kind: 'done', outcome: { code } });
});

test.each([
  ['Guide', { code: 'changed-meanwhile', names: ['title'] }],
  [null, { code: 'conflict', detail: 'No.' }],
])('after a conflict the account is read again: with the job title %s', (title, outcome) => {
  const values = { title: 'Lead' };
  const change: Change = { kind: 'edit', account, values, base: { title: digestOf(null) } };
  const progress = progressOf(change);
  const refused = CHANGE_RULES.verdict(progress, { kind: 'conflict', detail: 'No.' });
  expect(refused).toEqual({ kind: 'read-back', why: 'conflict', detail: 'No.' });
  const phase = { name: 'read-back', why: 'conflict', reads: 0, notBefore: 0 } as const;
  const verdictOn = (read: ReturnType<typeof found> | ReturnType<typeof unread>) =>
    CHANGE_RULES.reading?.verdict(progress, { ...phase, detail: 'No.' }, read);
  const reading: AccountsReading = { kind: 'account', account: { ...ANA, title } };
  expect(verdictOn(found(reading))).toEqual({ kind: 'done', outcome });
  expect(verdictOn(unread())).toMatchObject({ kind: 'read-again' });
});

test('a lost creation is sent again automatically once, a lost change twice', () => {
  const user = { userName: 'una@example.com' };
  const create: Change = { kind: 'create', user, foreseen: { kind: 'new', id: null } };
  const provisioning = { kind: 'new', isPartial: false, mayLink: true } as const;
  const values = { title: 'Lead' };
  const edit: Change = { kind: 'edit', account, values, base: { title: digestOf(null) } };
  const ends = (change: Change, reading: AccountsReading) =>
    [1, 2, 3].map((lost) => endOf(change, reading, lost)?.kind);
  expect(ends(create, { kind: 'foreseen', provisioning })).toEqual(['send-again', 'done', 'done']);
  expect(ends(edit, { kind: 'account', account: ANA })).toEqual([
    'send-again',
    'send-again',
    'done',
  ]);
});

test('an address that somebody took is not called refused, and after a lost creation nobody knows whose it is', () => {
  const user = { userName: 'ana@example.com', externalId: 'x-1' };
  const change: Change = { kind: 'create', user, foreseen: { kind: 'new', id: null } };
  const reading = { kind: 'foreseen', provisioning: { kind: 'collision', account: ANA } } as const;
  const sends = { notSent: 0, limited: 0 };
  const phase = { name: 'send', authorizedAt: 0, notBefore: 0, sends } as const;
  const before = (unconfirmed?: AccountChange['unconfirmed']) =>
    CHANGE_RULES.reading?.verdict(
      { ...progressOf(change), ...(unconfirmed && { unconfirmed }) },
      phase,
      found(reading),
    );
  const unknown = { kind: 'done', outcome: { code: 'unknown' } };
  expect(before()).toMatchObject({ outcome: { code: 'collision', account: { id: 'a1' } } });
  expect(before({ quietAt: 0, lost: 1, hasEnded: true })).toEqual(unknown);
  expect(endOf(change, reading, 1)).toEqual(unknown);
});

test('a lost creation is not sent again automatically if it may re-activate the account', () => {
  const user = { userName: 'ana@example.com' };
  const change: Change = { kind: 'create', user, foreseen: { kind: 'link', id: 'a1' } };
  const endWith = (active: boolean | null) =>
    endOf(
      change,
      { kind: 'foreseen', provisioning: { kind: 'link', account: { ...ANA, active } } },
      1,
    );
  expect(endWith(true)).toMatchObject({ kind: 'send-again' });
  expect(endWith(null)).toEqual({ kind: 'done', outcome: { code: 'unknown' } });
});
