import { expect, test } from 'vitest';
import type { AccountChange, Outcome, Wish } from '../../src/accounts/change/account-change.ts';
import { faceOf } from '../../src/accounts/change/change-face.ts';
import { resultText } from '../../src/accounts/change/outcome-words.ts';

const account = { id: 'a1', userName: 'ana@example.com', externalId: null, name: 'Ana <ana@ex>' };
const editing: Wish = { kind: 'edit', account, values: { title: 'Lead' }, base: {} };
const creating: Wish = {
  kind: 'create',
  user: { userName: 'ana@example.com' },
  foreseen: { kind: 'new', id: null },
};

function textOf(wish: Wish, outcome?: Outcome, isInDoubt = false): string {
  const change: AccountChange = {
    v: 1,
    channel: '',
    by: 'U0DANA',
    wish,
    browse: '',
    createdAt: 0,
    phase: { name: 'over' },
    parts: [],
    ...(outcome && { outcome }),
    ...(isInDoubt && { doubt: { quietAt: 0, lost: 1, hasEnded: true } }),
  };
  return resultText(change, faceOf(change));
}

const done = { code: 'done', how: 'changed', account, unlike: [] } as const;

test('every end is said: what holds first, what to do last', () => {
  const texts = [
    textOf({ kind: 'deactivate', account }),
    textOf(editing, done),
    textOf(editing, { ...done, found: true }),
    textOf(editing, { ...done, unlike: ['title'] }),
    textOf(editing, { ...done, account: null }),
    textOf(creating, { ...done, how: 'linked' }),
    textOf(editing, { code: 'already' }),
    textOf(editing, { code: 'changed-meanwhile', names: ['title', 'department'] }),
    textOf(creating, { code: 'otherwise' }),
    textOf(creating, { code: 'taken', detail: 'no' }),
    textOf(editing, { code: 'taken', detail: 'taken <!here>' }),
    textOf({ kind: 'deactivate', account }, { code: 'own-account' }),
    textOf({ kind: 'deactivate', account }, { code: 'last-administrator' }),
    textOf({ kind: 'activate', account }, { code: 'could-not-check' }),
    textOf(creating, { code: 'not-done' }),
    textOf(creating, { code: 'unknown' }, true),
    textOf(creating, { code: 'unreachable' }, true),
    textOf(editing, { code: 'changed-meanwhile', names: ['title'] }, true),
    textOf(creating, { code: 'not-allowed', refusal: 'not-named' }),
  ];
  expect(texts.join('\n\n')).toMatchInlineSnapshot(`
    ":hourglass_flowing_sand: *Deactivating…* · Ana &lt;ana@ex&gt;

    :white_check_mark: *Changed* · Ana &lt;ana@ex&gt;
    Job title.

    :white_check_mark: *Changed* · Ana &lt;ana@ex&gt;
    Job title. The service did not answer, but this is how it shows the account now.

    :warning: *Not as asked* · Ana &lt;ana@ex&gt;
    The service said that it is done, and shows something else: Job title. Look at the account.

    :white_check_mark: *Changed* · Ana &lt;ana@ex&gt;
    The service said that it is done, and did not show the account.

    :white_check_mark: *Linked* · Ana &lt;ana@ex&gt;
    The account existed already.

    :white_check_mark: *No change* · Ana &lt;ana@ex&gt;
    The account is like that already. Nothing was sent.

    :no_entry_sign: *Not changed* · Ana &lt;ana@ex&gt;
    Somebody changed this meanwhile: Job title, Department. Nothing was sent. Look at it and change it again.

    :no_entry_sign: *Not created* · ana@example.com
    The accounts have changed meanwhile: creating would do something else now. Nothing was sent. Look again.

    :no_entry_sign: *Not created* · ana@example.com
    An account made otherwise has this address: nothing was linked.

    :no_entry_sign: *Not changed* · Ana &lt;ana@ex&gt;
    Nothing was changed. Another account has what may not be had twice: this address, or this external id. The service says: “taken &lt;!here&gt;”

    :no_entry_sign: *Not deactivated* · Ana &lt;ana@ex&gt;
    This is your own account. Ask another administrator to deactivate it.

    :no_entry_sign: *Not deactivated* · Ana &lt;ana@ex&gt;
    No other administrator of Gatepost was found whose account is active. Nothing was sent. Name another administrator first.

    :no_entry_sign: *Not re-activated* · Ana &lt;ana@ex&gt;
    It could not be found out whether this is allowed: Slack or the service did not answer. Nothing was sent. Try again in a minute.

    :no_entry_sign: *Not created* · ana@example.com
    The service did not answer, and the accounts do not show that it was done. Try again.

    :grey_question: *Unknown* · ana@example.com
    The service did not answer, so it is not known whether it was done. Look at the account before you try again.

    :grey_question: *Unknown* · ana@example.com
    The service could not be reached. Check SERVICE_URL, or try again in a minute.
    An earlier attempt may have been carried out. Look at the account first.

    :grey_question: *Unknown* · Ana &lt;ana@ex&gt;
    Somebody changed this meanwhile: Job title. Look at it and change it again.
    An earlier attempt may have been carried out. Look at the account first.

    :no_entry_sign: *Not created* · ana@example.com
    Only administrators of Gatepost look after accounts here. Ask one of them."
  `);
});
