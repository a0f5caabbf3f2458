import { electorateOf } from '../../approvals/electorate/electorate.ts';
import { groupsIn } from '../../core/config/places.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { holderOf } from '../../core/people/identity-link.ts';
import { idsOf, NO_SUCH_PERSON } from '../../core/slack/slack-person.ts';
import { StoreError } from '../../core/store/store.ts';
import { advice, type CheckNeeds, checkAtMost, type Found, fine, wrong } from './found.ts';
import { rolesIn } from './roles.ts';
import { slackFound } from './slack-checks.ts';

/** Slack answers about a hundred such calls a minute, which the running bot needs too. */
export const PEOPLE_MOST = 40;
/** Slack answers about twenty a minute. */
export const GROUPS_MOST = 10;

export async function checkGroups({ config, lookup }: CheckNeeds): Promise<Found> {
  const needed = groupsIn(
    config.routes.flatMap((route) => electorateOf({}, { route, asOf: 0 }).places),
  );
  const named = [...rolesIn(config).flatMap(({ who }) => who.groups), ...needed];
  return checkAtMost(named, GROUPS_MOST, async (group) => {
    try {
      const { users, missing } = await lookup.recent.groupMembers(group);
      if (missing === 'no_groups_in_plan') {
        return wrong(
          `${group} cannot be read: this Slack plan has no user groups`,
          'Use people instead of groups.',
        );
      }
      if (missing !== null) {
        return wrong(
          `${group} does not exist, or is disabled`,
          'Check the id, or enable the group in Slack.',
        );
      }
      if (users.length === 0) return advice(`${group} has no members`, `Add members to ${group}.`);
      return fine(`${group} has ${users.length === 1 ? '1 member' : `${users.length} members`}`);
    } catch (error) {
      return slackFound(error, 'SLACK_BOT_TOKEN', config);
    }
  });
}

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
