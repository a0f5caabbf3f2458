import type { SlackPerson } from '../../src/core/slack/slack-person.ts';

/** A full member of the workspace `T0ACME` with a confirmed address: Ana, with a test's changes. */
export function slackPerson(change: Partial<SlackPerson> = {}): SlackPerson {
  return {
    id: 'U0ANA',
    globalId: null,
    teamId: 'T0ACME',
    enterpriseId: null,
    deleted: false,
    isBot: false,
    isGuest: false,
    isStranger: false,
    isEmailConfirmed: true,
    email: 'ana@example.com',
    displayName: 'Ana',
    timeZone: null,
    ...change,
  };
}

/** A person with this id, in the workspace `T0`, with a confirmed address of their own. */
export function personOf(id: string): SlackPerson {
  return slackPerson({ id, teamId: 'T0', email: `${id}@example.com`, displayName: id });
}
