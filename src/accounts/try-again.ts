import type { ModalView } from '@slack/types';
import { readAgain } from '../operations/ask.ts';
import { type SignalRecordNeeds, signalRecord } from '../reconcile/signal-record.ts';
import type { UserProfile } from '../service/service-user.ts';
import { type Store, StoreError } from '../store/store.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttributes } from './account.ts';
import { noticeView, shown } from './account-modal.ts';
import { type AdministratorNeeds, asAdministrator, NOT_STORED } from './administrator.ts';
import { BEGINNING, readBrowse } from './browse.ts';
import { showOne } from './card.ts';
import {
  type AccountChange,
  CHANGE_KIND,
  decodeChange,
  isRepeatable,
} from './change/account-change.ts';
import { faceOf } from './change/change-face.ts';
import { encodeChangeSignal } from './change/change-flow.ts';
import { resultView } from './change/result-view.ts';
import { createView } from './create.ts';
import { editView } from './edit.ts';

export interface GoOnNeeds extends AdministratorNeeds, SignalRecordNeeds {
  readonly store: AdministratorNeeds['store'] & Pick<Store, 'read' | 'signal'>;
  readonly newId: () => string;
}

/** A press on a button of a change that did not end as wanted. */
interface Press {
  /** Of the button: the record, and for one that tries it again what was seen of it. */
  readonly value: string;
  /** Unique to this press. */
  readonly press: string;
  readonly user: string;
}

/** Has the same tried once more. The view to show; undefined: the change itself shows what comes of it. */
export async function tryAgain(
  needs: Pick<GoOnNeeds, 'store' | 'reconciler'>,
  press: Press,
): Promise<ModalView | undefined> {
  const { id, run } = readAgain(press.value);
  const found = await changeOf(needs.store, id, press.user);
  if (typeof found === 'string') return noticeView(found);
  // It has gone on since: the person has not seen yet how.
  if (!isRepeatable(found) || (found.run ?? 0) !== run) return resultView(id, found, faceOf(found));
  const signal = { id: press.press, body: encodeChangeSignal({ kind: 'again', run }) };
  const signalled = await signalRecord(needs, id, signal, { once: true });
  return signalled === 'missing' ? noticeView(CHANGE_GONE) : undefined;
}

/** The form again, with what was entered and how the account stands now. */
export async function revise(needs: GoOnNeeds, press: Press): Promise<ModalView> {
  const found = await changeOf(needs.store, press.value, press.user).catch(notStored);
  if (typeof found === 'string') return noticeView(found);
  const { wish } = found;
  if (wish.kind === 'create') {
    return asAdministrator(needs, whoIn(press), BEGINNING, async () =>
      createView(needs.newId(), wish.user),
    );
  }
  const browse = readBrowse(found.browse);
  return showOne(needs, whoIn(press), { account: wish.account, browse }, (user) => {
    const entered = wish.kind === 'edit' ? wish.values : {};
    const note = differences(user, entered);
    const key = needs.newId();
    return editView(user, { browse, key, entered, ...(note !== '' && { note }) });
  });
}

/** How the account stands now where the form shows what was entered. */
function differences(user: UserProfile, entered: TextAttributes): string {
  const lines = TEXT_ATTRIBUTES.filter(
    (name) => entered[name] !== undefined && entered[name] !== (user[name] ?? ''),
  ).map((name) => `• ${ATTRIBUTES[name].name}: ${shown(user[name] ?? '–')}`);
  return lines.length === 0
    ? ''
    : ['The account has now, other than the form:', ...lines].join('\n');
}

function whoIn({ user }: Press) {
  return { user, channel: '' };
}

/** The sentence to say instead, when it is not theirs or not there. */
async function changeOf(
  store: Pick<Store, 'read'>,
  id: string,
  user: string,
): Promise<AccountChange | string> {
  const found = await store.read(id);
  if (found === undefined || found.kind !== CHANGE_KIND) return CHANGE_GONE;
  const known = decodeChange(found.data);
  return known.by === user ? known : NOT_YOURS;
}

function notStored(error: unknown): string {
  if (error instanceof StoreError) return NOT_STORED;
  throw error;
}

const CHANGE_GONE = 'This is no longer kept here. Begin again with /people.';
export const NOT_YOURS = 'Only the person who asked for this can go on with it.';
