import { expect, test } from 'vitest';
import type { RefusalCode } from '../../../src/approvals/electorate/authorization.ts';
import { ACCOUNT_STATES, refusalsTo, THEIRS } from '../../../src/core/people/denials.ts';
import { said } from '../../approvals/approvals.ts';

/** Sentences that are made of the same facts, as people read them. */

test('who cannot move work items is told why, and what to do', () => {
  const told = Object.values(refusalsTo('move work items')).map((each) => each.join(' ').trim());
  expect(told).toMatchInlineSnapshot(`
    [
      "Your account in the service is deactivated. Type \`/people me\` for details and to tell an administrator.",
      "The service does not say whether your account is active. Type \`/people me\` for details and to tell an administrator.",
      "No synchronized account in the service has the e-mail address of your Slack profile. Type \`/people me\` for details and to tell an administrator.",
      "The service does not show your account, but may have more accounts than it shows. Type \`/people me\` for details and to tell an administrator.",
      "Slack shows Gatepost no confirmed address for you, so Gatepost did not look for your account in the service. Type \`/people me\` for details and to tell an administrator.",
      "Your account in the service has no external id. Type \`/people me\` for details and to tell an administrator.",
      "Several accounts in the service have the e-mail address of your Slack profile. Type \`/people me\` for details and to tell an administrator.",
      "The e-mail address of your Slack profile belongs to a different account in the service than the one you are linked with. A Gatepost administrator must confirm the new one. Type \`/people me\` for details and to tell an administrator.",
      "You were linked with an account in the service, but no synchronized account has the e-mail address of your Slack profile now. Type \`/people me\` for details and to tell an administrator.",
      "The account in the service with the e-mail address of your Slack profile is linked with somebody else. A Gatepost administrator must confirm whose it is. Type \`/people me\` for details and to tell an administrator.",
      "Gatepost cannot look up accounts in the service. Ask a Gatepost administrator to link you in the configuration.",
      "You are not on the list of people who can move work items. Ask a Gatepost administrator.",
      "Apps cannot move work items.",
      "This Slack account is deactivated.",
      "Guests cannot move work items. Ask a member of your team.",
      "People from other companies cannot move work items. Ask a member of the team.",
      "Members of your Slack workspace cannot move work items. Ask a Gatepost administrator.",
    ]
  `);
});

test('who cannot decide a request is told why, and what to do', () => {
  // as: each of them is one
  const codes = Object.keys(refusalsTo('')).filter((code) => code !== 'not-named') as RefusalCode[];
  expect(codes.map((why) => said({ code: 'refused', why }))).toMatchInlineSnapshot(`
    [
      "Your account in the service is deactivated, so your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "The service does not say whether your account is active, so your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "No synchronized account in the service has the e-mail address of your Slack profile, so your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "The service does not show your account, but may have more accounts than it shows, so your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "Slack shows Gatepost no confirmed address for you, so Gatepost did not look for your account in the service, and your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "Your account in the service has no external id, so your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "Several accounts in the service have the e-mail address of your Slack profile, so your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "The e-mail address of your Slack profile belongs to a different account in the service than the one you are linked with, so your decision on <request> does not count. A Gatepost administrator must confirm the new one. Type \`/people me\` for details and to tell an administrator.",
      "You were linked with an account in the service, but no synchronized account has the e-mail address of your Slack profile now, so your decision on <request> does not count. Type \`/people me\` for details and to tell an administrator.",
      "The account in the service with the e-mail address of your Slack profile is linked with somebody else, so your decision on <request> does not count. A Gatepost administrator must confirm whose it is. Type \`/people me\` for details and to tell an administrator.",
      "Gatepost cannot look up accounts in the service, so your decision on <request> does not count. Ask a Gatepost administrator to link you in the configuration.",
      "Apps cannot decide <request>, so its decision does not count.",
      "This Slack account is deactivated, so its decision on <request> does not count.",
      "Guests cannot decide <request>, so your decision does not count. Ask one of the reviewers named in the message.",
      "People from other companies cannot decide <request>, so your decision does not count. Ask one of the reviewers named in the message.",
      "Members of your Slack workspace cannot decide <request>, so your decision does not count. Ask one of the reviewers named in the message.",
    ]
  `);
});

test('others are told about their account', () => {
  const states = Object.values(ACCOUNT_STATES).map((state) => state(THEIRS));
  expect(states).toMatchInlineSnapshot(`
    [
      "their account in the service is deactivated",
      "the service does not say whether their account is active",
      "no synchronized account in the service has their address",
      "the service does not show their account, but may have more accounts than it shows",
      "Slack shows Gatepost no confirmed address for them",
      "their account in the service has no external id",
      "several accounts in the service have their address",
      "their address belongs to a different account in the service than the one they are linked with",
      "they were linked with an account in the service, but no synchronized account has their address now",
      "the account in the service with their address is linked with somebody else",
      "Gatepost cannot look up accounts in the service",
    ]
  `);
});
