import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { type Denial, refusalsTo } from '../../core/people/denials.ts';
import { authorizePerson, recordRefusal } from '../../core/people/permission.ts';
import type { UsersClient } from '../../core/service/service-client.ts';
import { inertText } from '../../core/slack/text.ts';
import { StoreError } from '../../core/store/store.ts';
import { ASK, NOT_STORED } from '../flow/words.ts';
import { noticeView, troubleView } from './account-modal.ts';
import type { Browse } from './browse.ts';
import { troubleOf, troubleSentence } from './trouble.ts';

/** Somebody who wants to see accounts. `channel`: where the command was typed; empty in a modal. */
export interface Asking {
  readonly user: string;
  readonly channel: string;
}

/** The view for an administrator, or a refusal. Failures of the service are shown; `browse`: where to go back to. */
export async function asAdministrator(
  core: Core,
  who: Asking,
  browse: Browse,
  view: (users: UsersClient) => Promise<ModalView>,
): Promise<ModalView> {
  try {
    const permission = await authorizePerson(core, namedIn(core), who);
    if (permission.kind === 'failed') return troubleView(COULD_NOT_CHECK, browse);
    if (permission.kind === 'not-allowed') {
      await recordRefusal(core.store, REFUSED, { ...who, code: permission.code });
      return noticeView(REFUSALS[permission.code]);
    }
    const { users } = core.service;
    return users === null ? noticeView(NO_TOKEN) : await view(users);
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    if (!(error instanceof RemoteFailure)) throw error;
    return troubleView(troubleSentence(troubleOf(error), inertText), browse);
  }
}

/** Membership of a channel makes nobody an administrator. */
export function namedIn({ config }: Core) {
  return { ...config.administrators, channel: false };
}

const { bot, deactivated, guest, stranger, ...others } = refusalsTo('manage accounts');

/** Why a person cannot manage accounts, and what they can do. */
export const REFUSALS = {
  'not-named': 'Only Gatepost administrators can manage accounts. Ask one of them.',
  bot: bot[0],
  deactivated: deactivated[0],
  guest: `${guest[0]} ${ASK}`,
  stranger: stranger[0],
  'other-company': others['other-company'].join(' '),
} as const satisfies Record<Denial, string>;

/** The audit log's name for a refusal. */
const REFUSED = 'people.refused';

export const NO_TOKEN =
  'Gatepost has no token for the accounts of the service. Ask the person who runs Gatepost to set SCIM_TOKEN.';
const COULD_NOT_CHECK =
  'Gatepost could not check in Slack whether you are an administrator. Nothing was changed. Try again in a minute.';
