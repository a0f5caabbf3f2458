import { expect, test } from 'vitest';
import type { AccountChange, Change, Outcome } from '../../../src/operations/accounts/change.ts';
import { resultText } from '../../../src/operations/accounts/change-result.ts';
import { stateOf } from '../../../src/operations/flow/operation.ts';
import { allowed, firstPhase } from '../../../src/operations/flow/sending.ts';

const account = { id: 'a1', userName: 'ana@example.com', externalId: null, name: 'Ana <ana@ex>' };
const editing: Change = { kind: 'edit', account, values: { title: 'Lead' }, base: {} };
const creating: Change = {
  kind: 'create',
  user: { userName: 'ana@example.com' },
  foreseen: { kind: 'new', id: null },
};

const begun: Omit<AccountChange, 'wish'> = {
  v: 1,
  channel: '',
  announce: false,
  run: 0,
  by: 'U0DANA',
  createdAt: 0,
  phase: firstPhase(0),
  posts: [],
};

function textOf(change: Change, outcome?: Outcome, isUnconfirmed = false): string {
  const record: AccountChange = {
    ...begun,
    wish: { change },
    ...(outcome && { phase: { name: 'done' }, outcome }),
    ...(isUnconfirmed && { unconfirmed: { quietAt: 0, lost: 1, hasEnded: true } }),
  };
  return resultText(record, stateOf(record));
}

function textIn(phase: AccountChange['phase']): string {
  const record: AccountChange = { ...begun, wish: { change: editing }, phase };
  return resultText(record, stateOf(record));
}

const done = { code: 'changed', account, unlike: [] } as const;

test('every outcome has a text: what happened first, what to do last', () => {
  const texts = [
    textIn(firstPhase(0)),
    textIn(allowed(firstPhase(0), 0)),
    textIn({ name: 'read-back', why: 'lost', reads: 0, notBefore: 0 }),
    textOf(editing, done),
    textOf(editing, { ...done, found: true }),
    textOf(editing, { ...done, unlike: ['title'] }),
    textOf(creating, { ...done, code: 'created-or-linked', found: true, unlike: ['title'] }),
    textOf(editing, { ...done, account: null }),
    textOf(
      { kind: 'delete', account },
      { ...done, code: 'deactivated', account: null, found: true },
    ),
    textOf(creating, { ...done, code: 'linked' }),
    textOf(editing, { code: 'already' }),
    textOf(editing, { code: 'changed-meanwhile', names: ['title', 'department'] }),
    textOf(creating, { code: 'otherwise' }),
    textOf(creating, { code: 'taken', detail: 'no' }),
    textOf(creating, { code: 'collision', account }),
    textOf(editing, { code: 'own-unknown' }),
    textOf(editing, { code: 'taken', detail: 'taken <!here>' }),
    textOf(editing, { code: 'conflict' }),
    textOf({ kind: 'deactivate', account }, { code: 'own-account' }),
    textOf({ kind: 'activate', account }, { code: 'own-account' }),
    textOf(creating, { code: 'own-account' }),
    textOf({ kind: 'deactivate', account }, { code: 'last-administrator' }),
    textOf({ kind: 'activate', account }, { code: 'could-not-check' }),
    textOf(creating, { code: 'not-done' }),
    textOf(creating, { code: 'unknown' }, true),
    textOf(creating, { code: 'not-reached' }, true),
    textOf(editing, { code: 'changed-meanwhile', names: ['title'] }, true),
    textOf(creating, { code: 'not-allowed', refusal: 'not-named' }),
  ];
  expect(texts.join('\n\n')).toMatchInlineSnapshot(`
    ":hourglass_flowing_sand: *Checking whether you can…* · Ana &lt;ana@ex&gt;

    :hourglass_flowing_sand: *Changing…* · Ana &lt;ana@ex&gt;

    :hourglass_flowing_sand: *Checking…* · Ana &lt;ana@ex&gt;
    The service gave no clear answer. Gatepost is checking whether it was done.

    :white_check_mark: *Changed* · Ana &lt;ana@ex&gt;
    Job title.

    :white_check_mark: *Changed* · Ana &lt;ana@ex&gt;
    Job title. The service gave no clear answer, but it shows the account like this now.

    :warning: *Done, but not as requested* · Ana &lt;ana@ex&gt;
    The service reported success, but shows other values: Job title. Check the account.

    :grey_question: *Unknown* · Ana &lt;ana@ex&gt;
    The service gave no clear answer, and shows the account with other values now: Job title. Check the account.

    :white_check_mark: *Changed* · Ana &lt;ana@ex&gt;
    Job title. Gatepost did not see the account in the service after that. Check the account.

    :white_check_mark: *Deactivated* · Ana &lt;ana@ex&gt;
    The service gave no clear answer, and does not show the account now.

    :white_check_mark: *Linked* · Ana &lt;ana@ex&gt;
    The account already existed.

    :white_check_mark: *No change* · Ana &lt;ana@ex&gt;
    The account is already like this. Nothing was sent.

    :no_entry_sign: *Not changed* · Ana &lt;ana@ex&gt;
    Somebody changed this in the meantime: Job title, Department. Your change was not made. Check it and change it again.

    :no_entry_sign: *Not created* · ana@example.com
    The accounts have changed in the meantime: creating would do something else now. Nothing was sent. Check the preview again.

    :no_entry_sign: *Not created* · ana@example.com
    The service refused this as a duplicate. Nothing was created or linked. The service says: “no”

    :no_entry_sign: *Not created* · ana@example.com
    An account has this address, and the service shows no external id for it. Nothing was linked. It is Ana &lt;ana@ex&gt;. To link to it, leave out the external id; it can be set afterwards.

    :no_entry_sign: *Not changed* · Ana &lt;ana@ex&gt;
    Gatepost does not see which account in the service is yours, so this may be your own. Nothing was sent. Ask another administrator to do this, or have yourself linked in \`identity.overrides\`.

    :no_entry_sign: *Not changed* · Ana &lt;ana@ex&gt;
    Nothing was changed. The service refused this as a duplicate. Another account may have this address, or this external id. The service says: “taken &lt;!here&gt;”

    :no_entry_sign: *Not changed* · Ana &lt;ana@ex&gt;
    Nothing was changed. The service refused this because of a conflict (409). Something may have changed in the meantime, or another account may have this external id. Check the account.

    :no_entry_sign: *Not deactivated* · Ana &lt;ana@ex&gt;
    This is your own account. Ask another administrator to deactivate it.

    :no_entry_sign: *Not re-activated* · Ana &lt;ana@ex&gt;
    This is your own account. Ask another administrator to re-activate it, or have it re-activated in the service itself.

    :no_entry_sign: *Not created* · ana@example.com
    This is your own account, or would be. Ask another administrator to create or link it.

    :no_entry_sign: *Not deactivated* · Ana &lt;ana@ex&gt;
    No other Gatepost administrator was found whose account is active. Nothing was sent. Add another administrator first.

    :no_entry_sign: *Not re-activated* · Ana &lt;ana@ex&gt;
    Gatepost could not check with Slack or the service whether this is allowed. Nothing was changed. Try again in a minute.

    :no_entry_sign: *Not created* · ana@example.com
    The service gave no clear answer, and the accounts do not show that it was done. Try again.

    :grey_question: *Unknown* · ana@example.com
    The service gave no clear answer, so it is not known whether it was done. Check the account before you try again.

    :grey_question: *Unknown* · ana@example.com
    The service could not be reached. Check SERVICE_URL, or try again in a minute.
    An earlier attempt may have been carried out. Check the account first.

    :grey_question: *Unknown* · Ana &lt;ana@ex&gt;
    Somebody changed this in the meantime: Job title. Check it and change it again.
    An earlier attempt may have been carried out. Check the account first.

    :no_entry_sign: *Not created* · ana@example.com
    Only Gatepost administrators can manage accounts. Ask one of them."
  `);
});
