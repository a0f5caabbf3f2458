import { code } from '../../slack/text.ts';
import type { Bar } from '../may.ts';
import type { Conflict } from './conflict.ts';

/** For the administrator who pressed, in the place of the notice; mrkdwn. */
export const ACCEPTED = {
  changed: ({ user, found, pinned }, by) =>
    `<@${user}> is linked with the account ${code(found ?? '')} now, and with ${code(pinned ?? '')} no more: <@${by}> confirmed it. They can press again.`,
  taken: ({ user, found, holder }, by) =>
    `<@${user}> is linked with the account ${code(found ?? '')} now, and <@${holder ?? ''}> no more: <@${by}> confirmed it. They can press again.`,
  lost: ({ user, pinned }, by) =>
    `<@${user}> is linked with no account any more: <@${by}> confirmed it. They were with ${code(pinned ?? '')}.`,
} satisfies Record<Conflict['kind'], (conflict: Conflict, by: string) => string>;

/** Why nothing was linked. */
export const NOT_ACCEPTED = {
  'not-checked':
    'Nothing was linked: it could not be checked that you are an administrator. Press again in a minute.',
  own: 'Nothing was linked: for your own account another administrator has to press this, or link you in `identity.overrides`.',
  changed:
    'Nothing was linked: by now something else was found for this person. The next time they try to decide, you are told what.',
  over: 'Nothing was linked, and nothing needs to be: this was settled meanwhile. They can press again.',
} as const;

/** For whoever is no administrator and presses all the same. */
export const REFUSALS = {
  'not-named': 'Nothing was linked: only administrators of Gatepost can do this.',
  bot: 'Apps cannot link accounts.',
  deactivated: 'Nothing was linked: this Slack account is deactivated.',
  guest: 'Nothing was linked: guests cannot do this. Ask an administrator of Gatepost.',
  stranger: 'Nothing was linked: people of other companies cannot do this.',
  'other-company':
    'Nothing was linked: your Slack workspace is not allowed to do this. Ask an administrator of Gatepost.',
} as const satisfies Record<Bar, string>;
