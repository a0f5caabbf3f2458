import { clip } from '../../lib/clip.ts';
import type { News } from '../../notices/raise-notice.ts';
import type { SlackPerson } from '../../people/membership.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { button, confirm } from '../../slack/blocks.ts';
import { escapeMrkdwn } from '../../slack/text.ts';
import { type AccountNamed, accountNamed, writeAccount } from '../change/account-named.ts';

export const LEAVER_ACTION = 'people.leaver.deactivate';

/** For administrators: somebody is gone from the workspace, and their account is not deactivated. */
export function leaverNews({ id }: Pick<SlackPerson, 'id'>, user: UserProfile): News {
  const account = accountNamed(user);
  const state = user.active === null ? 'may still be active' : 'is still active';
  const sure = confirm('Are you sure?', WHAT_HAPPENS, LABEL, 'Leave it', 'danger');
  return {
    about: aboutOf(id),
    text: `<@${id}> was deactivated in Slack. Their account in the service, ${nameIn(account)}, ${state}. If they have left, deactivate it.`,
    button: button(LEAVER_ACTION, LABEL, writeAccount(account), { style: 'danger', confirm: sure }),
  };
}

/** The same, where the accounts could not be read. */
export function unreadLeaverNews({ id, email }: Pick<SlackPerson, 'id' | 'email'>): News {
  const words = email === null ? '/people' : `/people find ${escapeMrkdwn(clip(email, 254)[0])}`;
  return {
    about: aboutOf(id),
    text: `<@${id}> was deactivated in Slack. The service did not tell whether they have an account there. Look with \`${words}\`.`,
  };
}

export function deactivating(account: AccountNamed): string {
  return `:hourglass_flowing_sand: Deactivating ${nameIn(account)}… You read the result in a direct message.`;
}

const LABEL = 'Deactivate account';
const WHAT_HAPPENS =
  'Access ends at once. Documents and tasks stay. The account can be re-activated with /people.';

function aboutOf(id: string): string {
  return `people.left.${id}`;
}

function nameIn({ name }: AccountNamed): string {
  return escapeMrkdwn(name);
}
