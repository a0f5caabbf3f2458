import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Absent, askAgain, findOwn, type Press } from '../flow/ask.ts';
import { goneText, NOT_STORED, NOT_YOURS } from '../flow/words.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttributes } from './account.ts';
import { noticeView, shown } from './account-modal.ts';
import { asAdministrator } from './administrator.ts';
import { BEGINNING, readBrowse } from './browse.ts';
import { showOne } from './card.ts';
import { resultView } from './change-result.ts';
import { CHANGE_RULES } from './change-rules.ts';
import { createView } from './create.ts';
import { editView } from './edit.ts';

/** Repeats the same change. Returns a view to show; undefined: the change itself shows the result. */
export function tryAgain(core: Core, press: Press): Promise<ModalView | undefined> {
  return askAgain(core, CHANGE_RULES, press, { result: resultView, absent });
}

/** The form again, with what was entered and the account's current values. */
export function revise(
  core: Core,
  { value, user }: { readonly value: string; readonly user: string },
): Promise<ModalView> {
  const form = async () => {
    const found = await findOwn(core.store, CHANGE_RULES, value, user);
    if (found.kind !== 'found') return absent(found.kind);
    const { change, browse: way = '' } = found.record.wish;
    const who = { user, channel: '' };
    if (change.kind === 'create') {
      return asAdministrator(core, who, BEGINNING, async () =>
        createView(core.random.uuid(), change.user),
      );
    }
    const browse = readBrowse(way);
    return showOne(core, who, { account: change.account, browse }, (account) => {
      const entered = change.kind === 'edit' ? textsIn(change.values) : {};
      const note = differences(account, entered);
      const key = core.random.uuid();
      return editView(account, { browse, key, entered, ...(note !== '' && { note }) });
    });
  };
  return unlessAway(form(), noticeView(NOT_STORED));
}

/** The current values of the attributes that were entered. */
function differences(user: UserProfile, entered: TextAttributes): string {
  const lines = TEXT_ATTRIBUTES.filter(
    (name) => entered[name] !== undefined && entered[name] !== (user[name] ?? ''),
  ).map((name) => `• ${ATTRIBUTES[name].name}: ${shown(user[name] ?? '–')}`);
  return lines.length === 0 ? '' : ['The account now differs from the form:', ...lines].join('\n');
}

function textsIn({ active, ...texts }: Partial<UserAttributes>): TextAttributes {
  return texts;
}

function absent(kind: Absent): ModalView {
  return noticeView(kind === 'gone' ? goneText('/people') : NOT_YOURS);
}
