import { escapeMrkdwn } from '../slack/text.ts';
import type { NewAlert } from './raise-alert.ts';

/** Credentials that the service refuses: whoever asked was told, and only an administrator can help. */

/** For `SERVICE_API_KEY`, answered 401 on a move or a test case, or where a work item is read. */
export function keyRefused(): NewAlert {
  return {
    about: 'service.key-refused',
    text: 'The service does not accept `SERVICE_API_KEY` (401). Nobody can move work items or create test cases from Slack. Everybody who tried has been told. Set a valid key and restart Gatepost.',
  };
}

/** For the list of accounts, which moves and test cases need too. `said`: a status, or a code. */
export function accountsRefused(said: string): NewAlert {
  return {
    about: 'service.accounts-refused',
    text: `The service does not let Gatepost read its accounts (${escapeMrkdwn(said)}), so anybody whose account must be checked cannot move work items or create test cases from Slack. Check \`SCIM_TOKEN\`, and that the service's user list (SCIM) is switched on and licensed.`,
  };
}
