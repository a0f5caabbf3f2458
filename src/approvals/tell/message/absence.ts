import type { Rule } from '../../electorate/electorate.ts';
import { mention, REQUEST, timeOf } from './sentences.ts';

/** What people read about absences and substitutes, besides `/approvals away`. */

export const awayRules = {
  away: ({ user, until, substitute }: Extract<Rule, { code: 'away' }>) => {
    const away = `${mention(user)} is away until ${timeOf(until)}.`;
    if (substitute === undefined) return away;
    return `${away} ${mention(substitute)} can decide in their place.`;
  },
  substitutes: () => 'Somebody who is away can name a substitute, who decides in their place.',
};

export const substituteWords = {
  refusals: {
    'giver-voted': `${REQUEST} already has the vote of the person you stand in for, so yours does not count.`,
    'giver-cannot': `The person you stand in for cannot decide ${REQUEST}, so your decision does not count.`,
    'giver-back': `You no longer stand in for a reviewer of ${REQUEST}, so your decision does not count.`,
  },
  advice: {
    'giver-cannot': 'Ask one of the reviewers named in the message.',
    'giver-back': 'Ask one of the reviewers named in the message.',
  },
  changes: {
    'giver-voted': 'the person you stand in for voted themselves',
    'giver-cannot': 'the person you stand in for can no longer decide it',
    'giver-back': 'the person you decided for is back, or you no longer stand in for them',
  },
};
