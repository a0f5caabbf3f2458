import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import {
  authorizeWithAccount,
  isAdministrator,
  recordRefusal,
} from '../../core/people/permission.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { NOT_STORED } from '../flow/words.ts';
import type { Entered } from './fields.ts';
import { formView, type Origin } from './form-view.ts';
import { recallChoices, withTyped } from './last-choices.ts';
import { noticeView } from './result-view.ts';
import { NOT_SET_UP, notChecked, REFUSED, refusalSentence, SET_UP } from './sentences.ts';

/** Who wants a test case, and where; `thread`: of the message it is made from. */
export interface Asker extends Origin {
  readonly user: string;
}

/** The first view for a new test case: whether the person may, and the form. */
export function firstForm(
  core: Core,
  who: Asker,
  entered: () => Promise<Entered>,
): Promise<ModalView> {
  return ifAllowed(core, who, async () => filledForm(core, who, await entered()));
}

/** The view, or why the person cannot create test cases. */
export async function ifAllowed(
  core: Core,
  { user, channel }: Asker,
  view: () => Promise<ModalView>,
): Promise<ModalView> {
  const missing = await setUpSentence(core, user);
  if (missing !== null) return noticeView(missing);
  const checked = async () => {
    const permission = await authorizeWithAccount(core, core.config.cases, { user, channel });
    if (permission.kind === 'failed') return noticeView(notChecked(permission.of));
    if (permission.kind === 'not-allowed') {
      await recordRefusal(core.store, REFUSED, { user, channel, code: permission.code });
      return noticeView(refusalSentence(permission.code));
    }
    return view();
  };
  return unlessAway(checked(), noticeView(NOT_STORED));
}

/** The form with what is known, and the channel's last choices. `note`: shown above. */
export async function filledForm(
  { store, config }: Core,
  { channel, thread }: Origin,
  entered: Entered,
  note?: string,
): Promise<ModalView> {
  const recalled = await recallChoices(store, channel);
  const { typed, ...last } = recalled ?? {};
  const places = withTyped(config, recalled);
  const offered = { ...last, ...entered };
  const carry = { channel, ...(thread !== undefined && { thread }), round: 0 };
  return formView(
    places,
    carry,
    offered,
    note === undefined ? undefined : { text: note, at: null },
  );
}

/** If no test project is configured; null: some are. */
export async function setUpSentence(core: Core, user: string): Promise<string | null> {
  if (core.config.catalogue.testProjects.length > 0) return null;
  return (await isAdministrator(core, user)) ? SET_UP : NOT_SET_UP;
}
