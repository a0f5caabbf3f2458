import type { NewAlert } from '../../core/alerts/raise-alert.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { membershipOf } from '../../core/people/membership.ts';
import type { UserMatch } from '../../core/service/find-user.ts';
import type { UsersClient } from '../../core/service/service-client.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { button, confirm } from '../../core/slack/blocks.ts';
import { personIfAny, type SlackPerson } from '../../core/slack/slack-person.ts';
import { code, inertText } from '../../core/slack/text.ts';
import { notRecorded } from '../flow/store-away.ts';
import { type AccountNamed, accountNamed, writeAccount } from './account.ts';
import { GONE } from './account-modal.ts';
import { BEGINNING, writeBrowse } from './browse.ts';
import { askForChange } from './change-operation.ts';

/** Alerts administrators if somebody who has left the workspace still has an account. Throws StoreError. */
export async function tellOfLeaver(core: Core, person: SlackPerson): Promise<void> {
  const { config, service, raise } = core;
  const { users } = service;
  if (!config.accounts.tellOfLeavers || users === null || !person.deleted || !isOurs(core, person))
    return;
  if (await isBack(core, person)) return;
  try {
    const match = await accountOf(users, core, person);
    if (match.kind === 'found') {
      if (match.user.active !== false) await raise(leaverNews(person, match.user));
    } else if (match.kind === 'several') {
      await raise(uncertainLeaverNews(person, SEVERAL));
    } else if (match.isPartial) {
      await raise(uncertainLeaverNews(person, MAY_BE_HIDDEN));
    } else if (person.email === null) {
      await raise(uncertainLeaverNews(person, NO_ADDRESS));
    }
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    await raise(uncertainLeaverNews(person, NOT_READ));
  }
}

/** Slack repeats events, perhaps after the person was re-activated. */
async function isBack({ lookup }: Core, { id }: SlackPerson): Promise<boolean> {
  try {
    return (await personIfAny(lookup, id))?.deleted === false;
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}

/** Other workspaces, allowed or not, can give their members any address, and deactivate them. */
function isOurs({ workspace }: Core, person: SlackPerson): boolean {
  if (person.isStranger) return false;
  const rules = { ...workspace, teams: [], guests: true };
  return membershipOf({ ...person, deleted: false }, rules) === 'member';
}

/** The linked account, or else the one with their address; a person has to decide. */
async function accountOf(
  users: UsersClient,
  { directory }: Core,
  person: SlackPerson,
): Promise<UserMatch<UserProfile>> {
  const { override, account, address, linkedTo } = await directory.search(person);
  const id = override === null ? linkedTo : account;
  const linked: UserMatch<UserProfile> =
    id === null ? { kind: 'none' } : await users.find('id', id);
  if (linked.kind !== 'none') return linked;
  // A linked account that the list does not show.
  const isHidden = (override ?? linkedTo) !== null;
  const hidden = isHidden ? { ...linked, isPartial: true as const } : linked;
  // Anybody can enter an address.
  const isTyped = person.isEmailConfirmed === false && address === null;
  if (person.email === null || isTyped) return hidden;
  const match = await users.findByEmail(person.email);
  return match.kind === 'none' ? { ...match, ...hidden } : match;
}

export const LEAVER_ACTION = 'people.leaver.deactivate';

/** An alert: somebody left the workspace, and their account is active. */
function leaverNews({ id }: SlackPerson, user: UserProfile): NewAlert {
  const account = accountNamed(user);
  const state = user.active === null ? 'may still be active' : 'is still active';
  const sure = confirm('Are you sure?', WHAT_HAPPENS, LABEL, 'Cancel', 'danger');
  return {
    about: aboutOf(id),
    text: `<@${id}> was deactivated in Slack. Their account in the service, ${nameIn(account)}, ${state}. If they have left, deactivate it.`,
    button: button(LEAVER_ACTION, LABEL, writeAccount(account), { style: 'danger', confirm: sure }),
  };
}

/** The same if it is not known which account, if any, is theirs. */
function uncertainLeaverNews({ id, email }: SlackPerson, what: string): NewAlert {
  const words = email === null ? '/people' : `/people find ${email}`;
  // Searching the same list again would not help.
  const next =
    what === MAY_BE_HIDDEN ? 'Check in the service itself.' : `Check with ${code(words)}.`;
  return { about: aboutOf(id), text: `<@${id}> was deactivated in Slack. ${what} ${next}` };
}

const NOT_READ =
  'It is not known whether they have an account in the service, because the service gave no usable answer.';
const MAY_BE_HIDDEN =
  'The service shows no account of theirs, but perhaps not all of its accounts.';
const NO_ADDRESS =
  'Slack shows Gatepost no address of theirs, so it is not known whether they have an account in the service.';
const SEVERAL =
  'Several accounts in the service may be theirs, so it is not known which one to deactivate.';

function deactivating(account: AccountNamed): string {
  return `:hourglass_flowing_sand: Deactivating ${nameIn(account)}… You'll get the result as a direct message.`;
}

const LABEL = 'Deactivate account';
const WHAT_HAPPENS =
  'Access ends at once. Documents and tasks are kept. You can re-activate the account with /people.';

function aboutOf(id: string): string {
  return `people.left.${id}`;
}

function nameIn({ name }: AccountNamed): string {
  return inertText(name);
}

interface LeaverPress {
  readonly user: string;
  readonly account: AccountNamed | undefined;
  /** Unique to this press. */
  readonly press: string;
}

/** The text for the person; `carryOn` starts work after the acknowledgement. */
interface LeaverAnswer {
  readonly text: string;
  readonly isRecorded: boolean;
  carryOn(): Promise<void>;
}

/** Records the deactivation before the acknowledgement. The permission is checked before it is sent. */
export async function deactivateLeaver(
  core: Core,
  { user: by, account, press }: LeaverPress,
): Promise<LeaverAnswer> {
  if (account === undefined) return not(GONE);
  const change = { kind: 'deactivate', account } as const;
  const wish = { change, browse: writeBrowse(BEGINNING) };
  try {
    const asked = { by, wish, key: `leaver\0${press}`, delivery: press };
    const { carryOn } = await askForChange(core, asked);
    return { text: deactivating(account), isRecorded: true, carryOn };
  } catch (error) {
    return not(notRecorded(error));
  }
}

function not(text: string): LeaverAnswer {
  return { text, isRecorded: false, async carryOn() {} };
}
