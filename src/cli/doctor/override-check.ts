import { RemoteFailure } from '../../core/lib/failure.ts';
import { holderOf } from '../../core/people/identity-link.ts';
import { idsOf, NO_SUCH_PERSON } from '../../core/slack/slack-person.ts';
import { StoreError } from '../../core/store/store.ts';
import { type CheckNeeds, checkAtMost, type Found, fine, PEOPLE_MOST, wrong } from './found.ts';
import { slackFound } from './slack-checks.ts';

/**
 * Overrides that give somebody an account to which another Slack user was already linked: for Gatepost both are one
 * person. If the store cannot be read, its own check reports that.
 */
export async function checkOverrides(needs: CheckNeeds): Promise<Found> {
  try {
    return await compareOverrides(needs);
  } catch (error) {
    if (error instanceof StoreError) return fine('not checked: the store cannot be read');
    throw error;
  }
}

async function compareOverrides(needs: CheckNeeds): Promise<Found> {
  const { config, lookup } = needs;
  const { identityOverrides, identityUserId } = config;
  const names = Object.keys(identityOverrides);
  if (names.length === 0) return fine('none is configured');
  const store = await needs.store();
  if (store === null) return fine('nobody is linked yet');
  return checkAtMost(names, PEOPLE_MOST, async (user) => {
    const override = identityOverrides[user] ?? '';
    const account = identityUserId === 'externalId' ? await idOf(needs, override) : override;
    const holder = account === null ? null : await holderOf(store, account);
    if (holder === null || holder === user)
      return fine(`no other Slack member is linked with the account of ${user}`);
    try {
      if (idsOf(await lookup.recent.person(user)).includes(holder))
        return fine(`${holder} is the same person as ${user}`);
    } catch (error) {
      const isNobody = error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code);
      if (!isNobody) return slackFound(error, 'SLACK_BOT_TOKEN', config);
    }
    return wrong(
      `${user} has the account that ${holder} is linked with, so both count as one person`,
      `If they are two people, correct identity.overrides. If not, type /people forget ${holder}.`,
    );
  });
}

/** null: nobody has this external id, or the service does not say, which its own check reports. */
async function idOf({ accounts }: CheckNeeds, externalId: string): Promise<string | null> {
  try {
    const match = await accounts?.recent(['externalId', externalId]);
    return match?.kind === 'found' ? match.user.id : null;
  } catch (error) {
    if (error instanceof RemoteFailure) return null;
    throw error;
  }
}
