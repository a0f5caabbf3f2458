import { APPROVAL_KIND, type Approval } from '../approvals/approval.ts';
import { approvalMessage, type SlackMessage } from '../approvals/message/message.ts';
import type { Route } from '../config/config.ts';

/**
 * The message of an approval that shows all an approval can show, as the route would have it: what
 * `doctor` has Slack judge. Nothing is posted.
 */
export function sampleMessage(route: Route): SlackMessage {
  const approval: Approval = {
    token: '',
    source: 'doctor',
    route: route.name,
    channel: route.channel,
    createdAt: 0,
    title: 'Deploy 4.2 to production',
    message: 'Three services restart. To roll back, see https://example.com/runbook.',
    change: '- replicas: 2\n+ replicas: 4',
    fields: [['Version', '4.2']],
    link: 'https://example.com/runs/4711',
    requester: { name: 'Ana' },
    expiresAt: Date.UTC(2030, 0, 1),
    posts: [{ name: 'message', channel: route.channel }],
    watch: { state: 'pending', nextAt: 0 },
    queue: [],
    ballots: [],
    replies: [],
  };
  const needed = Math.max(2, route.quorum);
  const state = { name: 'waiting', approvedBy: [], needed, prompt: true } as const;
  return approvalMessage(`0-${APPROVAL_KIND}-of-the-doctor`, approval, state, { route });
}
