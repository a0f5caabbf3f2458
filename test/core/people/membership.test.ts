import { describe, expect, it } from 'vitest';
import {
  isOwnMember,
  type MembershipRules,
  membershipOf,
} from '../../../src/core/people/membership.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { slackPerson } from '../../support/slack-person.ts';

const member = slackPerson({ teamId: 'T0BOT' });
const rules: MembershipRules = {
  team: 'T0BOT',
  enterprise: null,
  teams: ['T0ALLY'],
  guests: false,
};
const grid = { ...rules, enterprise: 'E0ORG' };
const open = { ...rules, guests: true };

describe('the membership of a person', () => {
  it.each<[string, Partial<SlackPerson>, MembershipRules, string]>([
    ['a full member', {}, rules, 'member'],
    ['a member of an allowed workspace', { teamId: 'T0ALLY' }, rules, 'member'],
    ['a bot', { isBot: true }, rules, 'bot'],
    ['somebody deactivated', { deleted: true }, rules, 'deactivated'],
    ['somebody of another workspace', { teamId: 'T0ELSE' }, rules, 'other-team'],
    ['somebody of no known workspace', { teamId: null }, rules, 'other-team'],
    [
      'a colleague of another workspace in the organisation',
      { teamId: 'T0ELSE', enterpriseId: 'E0ORG' },
      grid,
      'member',
    ],
    [
      'somebody of another organisation',
      { teamId: 'T0ELSE', enterpriseId: 'E0ELSE' },
      grid,
      'other-team',
    ],
    [
      'somebody of an organisation when the bot has none',
      { teamId: 'T0ELSE', enterpriseId: 'E0ORG' },
      rules,
      'other-team',
    ],
    [
      'somebody without an organisation when the bot has one',
      { teamId: 'T0ELSE' },
      grid,
      'other-team',
    ],
    ['a guest', { isGuest: true }, rules, 'guest'],
    ['a guest where guests may decide', { isGuest: true }, open, 'member'],
    ['a stranger', { isStranger: true }, rules, 'stranger'],
    [
      'a stranger of an allowed workspace where guests may decide',
      { isStranger: true, teamId: 'T0ALLY' },
      open,
      'member',
    ],
    [
      'a stranger of another workspace where guests may decide',
      { isStranger: true, teamId: 'T0ELSE' },
      open,
      'other-team',
    ],
    ['somebody with an unconfirmed address', { isEmailConfirmed: false }, rules, 'member'],
    [
      'somebody of whose address Slack says nothing',
      { isEmailConfirmed: null, email: null },
      rules,
      'member',
    ],
    ['a deactivated guest', { deleted: true, isGuest: true }, open, 'deactivated'],
    ['a bot of another workspace', { isBot: true, teamId: 'T0ELSE' }, rules, 'bot'],
    ['a guest of another workspace', { isGuest: true, teamId: 'T0ELSE' }, rules, 'other-team'],
  ])('is read for %s', (_who, facts, by, expected) => {
    expect(membershipOf({ ...member, ...facts }, by)).toBe(expected);
  });
});

describe('a full member of our own workspaces', () => {
  it.each<[Partial<SlackPerson>, MembershipRules, boolean]>([
    [{}, rules, true],
    [{ isGuest: true }, open, false],
    [{ isStranger: true }, open, false],
    [{ teamId: 'T0ALLY' }, rules, false],
    [{ teamId: null }, rules, false],
    [{ teamId: 'T0ELSE', enterpriseId: 'E0ORG' }, grid, true],
    [{ teamId: 'T0ELSE', enterpriseId: 'E0ELSE' }, grid, false],
  ])('with %j, by %j: %s', (facts, by, expected) => {
    expect(isOwnMember({ ...member, ...facts }, by)).toBe(expected);
  });
});
