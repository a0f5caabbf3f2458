import { clip } from '../../lib/clip.ts';
import { closest } from '../../lib/closest.ts';
import { escapeMrkdwn } from '../../slack/text.ts';

/** Sentences on the way to an account, in mrkdwn: state first, next action last. */

export const HELP = [
  '• `/people me` – your own account in the service: how Gatepost sees you, and what to do',
  'For administrators of Gatepost:',
  '• `/people` – all accounts, page by page',
  '• `/people find ana` – accounts whose name or e-mail address holds these words',
  '• `/people create ana@example.com` – a new account: you see first what would happen',
  '• `/people forget U012AB3CD` – forgets with which account this member of Slack is linked',
  'From the card of an account you change, deactivate and re-activate it.',
].join('\n');

export const NO_TOKEN =
  'Gatepost has no token for the accounts of the service. Ask whoever runs it to set SCIM_TOKEN.';
export const COULD_NOT_CHECK =
  'Slack did not tell whether you are an administrator. Nothing was changed. Try again in a minute.';
export const NOT_OPENED = 'The accounts could not be shown. Nothing was changed. Try again.';
export const NOT_STORED =
  'Gatepost cannot keep this just now. Nothing was changed. Try again in a minute.';
export const GONE = 'The service does not show this account any more.';
export const NO_MORE = 'There are no more accounts.';
export const CUT_SHORT =
  'There are too many accounts to look at all of them. Look for a whole e-mail address.';
export const MORE_MATCH = 'More accounts match. Look for more of the name or address.';

export const NOT_RECORDED =
  'This was not recorded: Gatepost cannot store it just now. Nothing was changed. Try again in a minute.';
export const MAYBE_RECORDED =
  'It is not known whether this was recorded. Try again: it is looked at first, and not done twice.';
export const NO_CHANGE = 'Nothing is changed here yet.';
export const NOT_EMPTY = 'The external id can be changed, not taken away.';
export const NO_ADDRESS = 'Enter an e-mail address, such as ana@example.com.';
export const FORM_OLD = 'This form is no longer valid. Begin again with /people create.';
export const CHANGE_GONE = 'This is no longer kept here. Begin again with /people.';
export const NOT_YOURS = 'Only the person who asked for this can go on with it.';

const VERBS = ['me', 'find', 'list', 'create', 'forget', 'help'] as const;

export function unknownWords(text: string): string {
  const [first = ''] = text.split(/\s+/u);
  const near = closest(first, VERBS);
  const next =
    near === undefined
      ? `To look for somebody: \`/people find ${quotable(text)}\`.`
      : `Did you mean \`/people ${near}\`?`;
  return `${quoted(first)} is not something that /people does. ${next} \`/people help\` says the rest.`;
}

export function noneFound(text: string): string {
  return `No account has ${quoted(text)} in its name or e-mail address.`;
}

export function quoted(text: string): string {
  return `“${quotable(text)}”`;
}

function quotable(text: string): string {
  return escapeMrkdwn(clip(text.replaceAll('`', ''), 100)[0]);
}
