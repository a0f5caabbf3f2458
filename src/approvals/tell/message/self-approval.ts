import { section } from '../../../core/slack/blocks.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { code } from '../../../core/slack/text.ts';
import { type Approval, type Ballot, messagePost } from '../../approval.ts';
import type { StatementFacts } from '../../decision/statement.ts';
import { titleOf } from '../../digest.ts';
import { alsoNaming } from '../../electorate/clause.ts';
import { electorateOf } from '../../electorate/electorate.ts';
import { isSelfApproval, selfApprovalPost } from '../../electorate/self-approval.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import { selfApprovalIn, slackIdsOf, votersFor } from '../../electorate/votes.ts';
import type { AskingButton, FeaturePost } from './feature-shapes.ts';
import { REASONS_MAX, reasonBlocks } from './outcome-line.ts';
import { namesText, people, REQUEST, requestLink } from './sentences.ts';

/** The reply that announces a self-approval (`self-approval.ts`), and sentences about it. */

export function selfApprovalMessage(
  approval: Approval,
  { links, ...terms }: RouteTerms & { readonly links: SlackLinks },
): SlackMessage {
  const ballot = selfApprovalIn(approval);
  if (ballot === undefined) throw new Error('a self-approval is told while it is decided');
  const { user, reason } = ballot;
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(approval.channel, ts);
  const who = links.person(user);
  const used = approval.decision?.approvers ?? votersFor('approve', approval.ballots);
  const others = used.filter((each) => each !== user);
  const how = others.length === 0 ? 'without anybody else' : `together with ${people(others)}`;
  const what = `${who} asked for ${requestLink(titleOf(approval), link)} and is approving it ${how}.`;
  const next = 'Please check it, then press Reviewed on the request.';
  const text = `:rotating_light: *Approval by its own requester* · ${othersText(approval, terms, ballot)}: ${what} ${next}`;
  const said = reason === undefined ? [] : [{ user, text: reason }];
  const reasons = { reasons: said, by: [user], credit: 'certain' } as const;
  return { text, blocks: [section(text), ...reasonBlocks(reasons, REASONS_MAX)] };
}

/**
 * The reviewers of the route, whatever the request narrows, even if away; quiet ones only if nobody else is left.
 * `eligible.ts` refuses the approval where there is nobody.
 */
function othersText(approval: Approval, terms: RouteTerms, ballot: Ballot): string {
  if (terms.route === undefined) return HERE;
  const own = slackIdsOf(ballot);
  const { named: all, begun } = electorateOf(approval, terms);
  const asked = alsoNaming(terms.route.reviewers, begun);
  const named = [asked, all].map(({ users, groups }) =>
    namesText({ users: users.filter((user) => !own.includes(user)), groups }),
  );
  const names = named.find((text) => text !== '');
  if (!asked.channel) return names ?? HERE;
  return [HERE, ...(names === undefined ? [] : [names])].join(', ');
}

/** Notifies everybody in the channel who is active. */
const HERE = '<!here>';

export const selfApprovalWords = {
  refusals: {
    'nobody-to-tell': `You asked for ${REQUEST}, and its route has no other reviewer who can be told first, so your decision does not count.`,
  },
  advice: {
    'nobody-to-tell': 'Ask a Gatepost administrator to add a reviewer.',
  },
  changes: {
    'nobody-to-tell': 'no other reviewer of its route can be told first any more',
  },
};

export const selfApprovalSentences = {
  untold: ({ refused }: StatementFacts['untold']) => {
    const what = `${REQUEST} was not approved`;
    return refused === undefined
      ? `${what}: Slack did not confirm the reply that tells the other reviewers first. Press again in a minute.`
      : `${what}: Slack refused the reply that tells the other reviewers first (${code(refused)}). Ask a Gatepost administrator, then press again.`;
  },
};

export const selfApprovalWaits = {
  telling: (until: string) =>
    `Gatepost first has to tell the other reviewers. It keeps trying until ${until}`,
};

export const loudButton: AskingButton = {
  action: 'approvals.ballot.approve-loudly',
  isFor: ({ requesters, selfApproval }) => requesters.length > 0 && selfApproval === 'loud',
};

export const selfApprovalReply: FeaturePost = {
  isOne: isSelfApproval,
  post: selfApprovalPost,
  content: (approval, _state, terms) => selfApprovalMessage(approval, terms),
  names: ({ decision, ballots }) => decision?.approvers ?? votersFor('approve', ballots),
  said: 'Other reviewers told that the person who asked is approving it',
  called: 'the reply that tells the other reviewers of a self-approval',
  untold: (refused) => ({ code: 'untold', refused }),
};
