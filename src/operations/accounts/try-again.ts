import type { ModalView } from '@slack/types';
import type { RecordDependencies } from '../../core/engine/put-record.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import { StoreError } from '../../core/store/store.ts';
import { askAgain, type Found, findOwn, type Press } from '../flow/ask.ts';
import { stateOf } from '../flow/operation.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttributes } from './account.ts';
import { noticeView, shown } from './account-modal.ts';
import { asAdministrator, NOT_STORED } from './administrator.ts';
import { BEGINNING, readBrowse } from './browse.ts';
import { showOne } from './card.ts';
import type { ChangeTypes } from './change.ts';
import { resultView } from './change-result.ts';
import { CHANGE_RULES } from './change-rules.ts';
import { createView } from './create.ts';
import type { AccountsDependencies } from './dependencies.ts';
import { editView } from './edit.ts';

/** Has the same tried once more. The view to show; undefined: the change itself shows what comes of it. */
export async function tryAgain(
  dependencies: RecordDependencies,
  press: Press,
): Promise<ModalView | undefined> {
  const asked = await askAgain(dependencies, CHANGE_RULES, press);
  if (asked.kind === 'stored') return undefined;
  if (asked.kind !== 'found') return absent(asked.kind);
  const { id, record } = asked;
  return resultView(id, record, stateOf(record));
}

/** The form again, with what was entered and how the account stands now. */
export async function revise(
  needs: AccountsDependencies,
  { value, user }: { readonly value: string; readonly user: string },
): Promise<ModalView> {
  try {
    const found = await findOwn(needs.store, CHANGE_RULES, value, user);
    if (found.kind !== 'found') return absent(found.kind);
    const { change, browse: way = '' } = found.record.wish;
    const who = { user, channel: '' };
    if (change.kind === 'create') {
      return await asAdministrator(needs, who, BEGINNING, async () =>
        createView(needs.newId(), change.user),
      );
    }
    const browse = readBrowse(way);
    return await showOne(needs, who, { account: change.account, browse }, (account) => {
      const entered = change.kind === 'edit' ? textsIn(change.values) : {};
      const note = differences(account, entered);
      const key = needs.newId();
      return editView(account, { browse, key, entered, ...(note !== '' && { note }) });
    });
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    throw error;
  }
}

/** How the account stands now where the form shows what was entered. */
function differences(user: UserProfile, entered: TextAttributes): string {
  const lines = TEXT_ATTRIBUTES.filter(
    (name) => entered[name] !== undefined && entered[name] !== (user[name] ?? ''),
  ).map((name) => `• ${ATTRIBUTES[name].name}: ${shown(user[name] ?? '–')}`);
  return lines.length === 0 ? '' : ['The account now differs from the form:', ...lines].join('\n');
}

function textsIn({ active, ...texts }: Partial<UserAttributes>): TextAttributes {
  return texts;
}

function absent(kind: Exclude<Found<ChangeTypes>['kind'], 'found'>): ModalView {
  return noticeView(kind === 'gone' ? CHANGE_GONE : NOT_YOURS);
}

const CHANGE_GONE = 'This is no longer kept here. Start over with /people.';
const NOT_YOURS = 'Only the person who asked for this can continue with it.';
