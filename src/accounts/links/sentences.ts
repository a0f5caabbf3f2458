import type { LinkConflict } from '../../people/link-conflict.ts';
import type { Denial } from '../../people/permission.ts';
import { code } from '../../slack/text.ts';

/** For the administrator who pressed, in the place of the notice; mrkdwn. */
export const ACCEPTED = {
  changed: ({ user, found, linkedTo }, by) =>
    `<@${user}> is linked with the account ${code(found ?? '')} now, and with ${code(linkedTo ?? '')} no more: <@${by}> confirmed it. They can press again.`,
  taken: ({ user, found, holder }, by) =>
    `<@${user}> is linked with the account ${code(found ?? '')} now, and <@${holder ?? ''}> no more: <@${by}> confirmed it. They can press again.`,
  lost: ({ user, linkedTo }, by) =>
    `<@${user}> is linked with no account any more: <@${by}> confirmed it. They were with ${code(linkedTo ?? '')}.`,
} satisfies Record<LinkConflict['kind'], (conflict: LinkConflict, by: string) => string>;

/** Why nothing was linked. */
export const NOT_ACCEPTED = {
  'not-checked':
    'Nothing was linked: it could not be checked that you are an administrator. Press again in a minute.',
  own: 'Nothing was linked: for your own account another administrator has to press this, or link you in `identity.overrides`.',
  changed:
    'Nothing was linked: by now something else was found for this person. The next time they try to decide, you are told what.',
  over: 'Nothing was linked, and nothing needs to be: this was settled meanwhile. They can press again.',
} as const;

/** What an administrator reads who wants somebody to be forgotten. */
export const FORGET = {
  whom: 'Nothing was forgotten: `/people forget` takes the member id of one person, as in `/people forget U012AB3CD`. It is copied from the menu of their profile in Slack.',
  own: 'Nothing was forgotten: for your own account another administrator has to do this.',
  notChecked:
    'Nothing was forgotten: it could not be checked that you are an administrator. Try again in a minute.',
  nothing: (user: string) => `<@${user}> is linked with no account. There is nothing to forget.`,
  done: (user: string, account: string) =>
    `It is forgotten that <@${user}> was linked with the account ${code(account)}. If they decide again, they are linked with the account that has their address then.`,
} as const;

/** What the audit log calls it. */
export const PINS_REFUSED = 'people.pins.refused';

/** For whoever is no administrator and tries all the same. */
export const REFUSALS = {
  'not-named': 'Nothing was changed: only administrators of Gatepost can do this.',
  bot: 'Apps cannot do this.',
  deactivated: 'Nothing was changed: this Slack account is deactivated.',
  guest: 'Nothing was changed: guests cannot do this. Ask an administrator of Gatepost.',
  stranger: 'Nothing was changed: people of other companies cannot do this.',
  'other-company':
    'Nothing was changed: your Slack workspace is not allowed to do this. Ask an administrator of Gatepost.',
} as const satisfies Record<Denial, string>;
