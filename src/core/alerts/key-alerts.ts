import { escapeMrkdwn } from '../slack/text.ts';
import type { NewAlert } from './raise-alert.ts';

/** Missing access: the person was told, and only an administrator can help. */

/** For `SERVICE_API_KEY`, answered 401 on a move, a test case, or a read of a work item. */
export function keyRefused(): NewAlert {
  return {
    about: 'service.key-refused',
    text: 'The service does not accept `SERVICE_API_KEY` (401). Nobody can move work items or create test cases from Slack. Everybody who tried has been told. Set a valid key and restart Gatepost.',
  };
}

/** For the list of accounts, which moves and test cases also need. `said`: a status, or a code. */
export function accountsRefused(said: string): NewAlert {
  return {
    about: 'service.accounts-refused',
    text: `The service does not let Gatepost read its accounts (${escapeMrkdwn(said)}), so anybody whose account must be checked cannot move work items or create test cases from Slack. Check \`SCIM_TOKEN\`, and that the service's user list (SCIM) is switched on and licensed.`,
  };
}

/** For somebody who was refused because of it. `user`: a Slack user id. */
export function severalAccounts(user: string): NewAlert {
  return {
    about: `people.several.${user}`,
    text: `<@${user}> cannot move work items or create test cases from Slack: several accounts in the service have their e-mail address. Remove the duplicates, or link this person in \`identity.overrides\`.`,
  };
}

/**
 * For a full member whose address Slack does not show: one alert for all, since it is one scope. `user`: a Slack user
 * id.
 */
export function addressHidden(user: string): NewAlert {
  return {
    about: 'people.address-hidden',
    text: `Slack shows Gatepost no e-mail address for <@${user}>, so Gatepost did not look for their account in the service. If the app lacks the scope \`users:read.email\`, this affects everybody who is not in \`identity.overrides\`: they cannot decide where an account is needed. Add the scope under OAuth &amp; Permissions and reinstall the app.`,
  };
}
