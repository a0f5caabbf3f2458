import { describe, expect, test } from 'vitest';
import { type ApprovalAlert, aboutOf, alertSentence } from '../../src/approvals/alert.ts';
import type { Approval } from '../../src/approvals/approval.ts';
import type { StepResult } from '../../src/approvals/steps.ts';
import type { FailureFacts } from '../../src/core/lib/failure.ts';
import type { Post } from '../../src/core/posts/post.ts';
import { applied, approvalWith, attempted, NOW, plan, termsWith, WAITING } from './approvals.ts';

const click = { id: 'c1', action: 'approve', user: 'U0ANA', channel: 'C0PROD', at: NOW } as const;
const read = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: NOW } as const;
const respond = { kind: 'respond', plannedAt: NOW } as const;
const unposted = approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });

const refusal = (code: string, change: Partial<FailureFacts> = {}): StepResult => ({
  kind: 'failed',
  failure: { class: 'refused', code, status: 200, ...change },
});
const PENDING: StepResult = {
  kind: 'status',
  answer: { status: 'PENDING', raw: null, resolvedAt: null },
};
const http = (status: number) => refusal(`http_${status}`, { status });

/** Tries to make a post, and is refused. */
function posted(approval: Approval, result: StepResult, post = 'message', channel = 'C0PROD') {
  const step = { kind: 'post', post, channel, state: WAITING, plannedAt: NOW } as const;
  return applied(attempted(approval, step, NOW), step, result);
}

function updated(approval: Approval, result: StepResult) {
  const step = { kind: 'update', state: WAITING, plannedAt: NOW } as const;
  return applied(attempted(approval, step, NOW), step, result);
}

function examined(result: StepResult) {
  return applied(approvalWith({ queue: [click] }), { kind: 'authorize', click }, result).alerts;
}

describe('administrators are alerted', () => {
  test.each([401, 403])('of a service that answers %i to a read', (status) => {
    expect(applied(approvalWith(), read, http(status)).alerts).toEqual([
      { cause: 'look-denied', said: String(status) },
    ]);
  });

  test('of a service that does not take an answer', () => {
    const decision = {
      action: 'approve',
      by: 'U0ANA',
      at: NOW,
      asker: click,
      phase: {
        name: 'sending',
        attempt: { plannedAt: NOW, mustEndBy: NOW + 5_000 },
        sends: { notSent: 0, limited: 0, ambiguous: 0 },
      },
    } as const;
    const end = { kind: 'failed', failure: { class: 'refused', code: 'x', status: 403 } } as const;
    const result = { kind: 'responded', end } as const;
    expect(applied(approvalWith({ decision }), respond, result).alerts).toEqual([
      { cause: 'answer-denied', said: '403' },
    ]);
  });

  test('of a list of people that the service refuses', () => {
    const failure = { class: 'refused', code: 'http_401', status: 401 } as const;
    const alerts = examined({ kind: 'failed', failure, of: 'service' });
    expect(alerts).toEqual([{ cause: 'people-denied', said: '401' }]);
  });

  test.each<[string, StepResult, readonly ApprovalAlert[]]>([
    [
      'of several accounts with one address',
      { kind: 'not-allowed', code: 'several-accounts' },
      [{ cause: 'several-accounts', subject: 'U0ANA' }],
    ],
    [
      'of a route that is gone',
      { kind: 'not-allowed', code: 'no-route' },
      [{ cause: 'route-missing', subject: 'production' }],
    ],
    [
      'of groups that are gone, whoever decided',
      { kind: 'accepted', missingGroups: ['S0A', 'S0B'] },
      [
        { cause: 'group-missing', subject: 'S0A' },
        { cause: 'group-missing', subject: 'S0B' },
      ],
    ],
    [
      'of a plan without groups, once for all of them',
      { kind: 'accepted', missingGroups: ['S0A', 'S0B'], noGroupsInPlan: true },
      [{ cause: 'no-user-groups' }],
    ],
    [
      'of a scope that a lookup lacks',
      refusal('missing_scope', { detail: 'needs usergroups:read' }),
      [{ cause: 'scope-missing', subject: 'needs usergroups:read' }],
    ],
  ])('%s', (_what, result, alerts) => {
    expect(examined(result)).toEqual(alerts);
  });

  test.each([
    ['not_in_channel', 'not-in-channel'],
    ['channel_not_found', 'channel-missing'],
    ['is_archived', 'channel-archived'],
    ['restricted_action_read_only_channel', 'posting-restricted'],
    ['msg_blocks_too_long', 'post-refused'],
  ])('of a post that Slack refuses as %s', (code, cause) => {
    expect(posted(unposted, refusal(code)).alerts).toEqual([
      { cause, subject: 'C0PROD', said: code },
    ]);
  });

  test.each(['account_inactive', 'token_revoked', 'invalid_auth'])(
    'of a token that Slack refuses as %s',
    (code) => {
      expect(posted(unposted, refusal(code)).alerts).toEqual([
        { cause: 'token-refused', said: code },
      ]);
    },
  );

  test('of an outcome that cannot be announced in its channel', () => {
    const { alerts } = posted(
      approvalWith(),
      refusal('not_in_channel'),
      'outcome-channel',
      'C0OUT',
    );
    expect(alerts).toMatchObject([{ cause: 'not-in-channel', subject: 'C0OUT' }]);
  });

  test('of a message that cannot be updated because its channel is archived', () => {
    expect(updated(approvalWith(), refusal('is_inactive')).alerts).toMatchObject([
      { cause: 'channel-archived', subject: 'C0PROD' },
    ]);
  });

  test('of a message that was deleted a second time, but not the first time', () => {
    const once = updated(approvalWith(), refusal('message_not_found'));
    expect(once.alerts).toBeUndefined();
    const post: Post = { name: 'message', channel: 'C0PROD', ts: '17.9', gone: ['17.1'] };
    expect(updated(approvalWith({ posts: [post] }), refusal('message_not_found')).alerts).toEqual([
      { cause: 'message-deleted', subject: 'C0PROD' },
    ]);
  });
});

describe('administrators are not alerted', () => {
  test.each<[string, Approval]>([
    ['a silent service', applied(approvalWith(), read, refusal('x', { class: 'ambiguous' }))],
    ['a service that refuses one request', applied(approvalWith(), read, http(422))],
    ['a limit', posted(unposted, refusal('ratelimited', { status: 429 }))],
    ['Slack out of reach', posted(unposted, refusal('x', { class: 'not-sent' }))],
    [
      'a requester who takes no messages',
      posted(approvalWith(), refusal('channel_not_found'), 'outcome-requester', 'D0CLEO'),
    ],
    ['an update that is tried again', updated(approvalWith(), refusal('x'))],
  ])('for %s', (_what, approval) => {
    expect(approval.alerts).toBeUndefined();
  });

  test('when the list of people only does not answer', () => {
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    expect(examined({ kind: 'failed', failure, of: 'service' })).toBeUndefined();
  });
});

test('a post refused for days repeats its alert after 1, 2, 4, 8… tries, and at once for another reason', () => {
  const alarmsAfter = (tries: number, code: string) => {
    const post = { name: 'message', channel: 'C0PROD', tries, refused: 'not_in_channel' };
    return posted(approvalWith({ posts: [post] }), refusal(code)).alerts?.length ?? 0;
  };
  const raised = Array.from({ length: 40 }, (_, tries) => tries + 1).filter(
    (tries) => alarmsAfter(tries - 1, 'not_in_channel') > 0,
  );
  expect(raised).toEqual([1, 2, 4, 8, 16, 32]);
  expect(alarmsAfter(20, 'is_archived')).toBe(1);
});

test('an alert is sent once and then removed from the record', () => {
  const refused = posted(unposted, refusal('not_in_channel'));
  const next = plan(refused, termsWith(), NOW);
  if (next.kind !== 'step') throw new Error('there is something to do');
  expect(next.step).toMatchObject({ kind: 'alert', alert: { cause: 'not-in-channel' } });
  const given = applied(refused, next.step, { kind: 'done' });
  expect(given).not.toHaveProperty('alerts');
  expect(plan(given, termsWith(), NOW).kind).toBe('wait');
});

test('an alert is queued once, and not again for another denied read until a read succeeds', () => {
  const once = applied(approvalWith(), read, http(401));
  expect(applied({ ...once, alerts: [] }, read, http(403)).alerts).toEqual([]);
  const answered = applied(once, read, PENDING);
  expect(applied(answered, read, http(403)).alerts).toEqual([
    { cause: 'look-denied', said: '403' },
  ]);
});

test('alerts are the same if cause and subject are, whatever the service said', () => {
  const abouts = [
    { cause: 'look-denied', said: '401' },
    { cause: 'look-denied', said: '403' },
    { cause: 'not-in-channel', subject: 'C0PROD', said: 'not_in_channel' },
    { cause: 'not-in-channel', subject: 'C0TEST', said: 'not_in_channel' },
  ] as const;
  expect(abouts.map(aboutOf)).toEqual([
    'approvals.look-denied',
    'approvals.look-denied',
    'approvals.not-in-channel.C0PROD',
    'approvals.not-in-channel.C0TEST',
  ]);
});

test('an alert says what happened first and what to do last', () => {
  const alerts: ApprovalAlert[] = [
    { cause: 'look-denied', said: '401' },
    { cause: 'answer-denied', said: '403' },
    { cause: 'people-denied', said: '401' },
    { cause: 'several-accounts', subject: 'U0ANA' },
    { cause: 'group-missing', subject: 'S0REL' },
    { cause: 'no-user-groups' },
    { cause: 'not-in-channel', subject: 'C0PROD', said: 'not_in_channel' },
    { cause: 'channel-missing', subject: 'C0PROD', said: 'channel_not_found' },
    { cause: 'channel-archived', subject: 'C0PROD', said: 'is_archived' },
    { cause: 'posting-restricted', subject: 'C0PROD', said: 'restricted_action' },
    { cause: 'post-refused', subject: 'C0PROD', said: 'msg_blocks_too_long' },
    { cause: 'message-deleted', subject: 'C0PROD' },
    { cause: 'scope-missing', subject: 'needs <channels:history>' },
    { cause: 'token-refused', said: 'token_revoked' },
    { cause: 'route-missing', subject: 'production' },
    { cause: 'reviewers-too-few', subject: 'production' },
    { cause: 'sealed' },
  ];
  expect(alerts.map(alertSentence).join('\n\n')).toMatchInlineSnapshot(`
    "The service does not let Gatepost read approvals (401). Gatepost cannot see decisions made elsewhere, and clicks have no effect. Fix its access in the service, or correct \`SERVICE_URL\`, \`SERVICE_API_KEY\` or \`dialect.approval.auth\` and restart Gatepost. Approvals are then read again automatically, the first one within a minute.

    The service does not accept decisions from Gatepost (403). Approvals are still waiting, and everybody who clicked has been told. Fix its access (\`SERVICE_API_KEY\` and \`dialect.approval.auth\`), then ask the reviewers to press again.

    The service does not let Gatepost look up accounts (401). Anybody whose account must be checked cannot decide. Check \`SCIM_TOKEN\`, and that the service's user list (SCIM) is switched on and licensed; then ask the reviewers to press again.

    <@U0ANA> cannot decide: several accounts in the service have their e-mail address. Remove the duplicates, or link this person in \`identity.overrides\`.

    The user group \`S0REL\` cannot be read: it was deleted or disabled in Slack. Its members cannot decide. Enable it again, or set another group in the route's \`reviewers\`.

    Slack does not show Gatepost any user groups: the plan of this workspace has none. Members of groups cannot decide. Set people in the route's \`reviewers\` instead, or upgrade the plan.

    Gatepost cannot post in <#C0PROD>: it is not in the channel. Type \`/invite @Gatepost\` there: waiting approvals and outcomes are then posted automatically.

    Gatepost cannot post in \`C0PROD\`: there is no such channel, or it is private and Gatepost is not in it. Invite Gatepost to it, and waiting approvals and outcomes are posted automatically; or correct the channel in the configuration.

    Gatepost cannot post in <#C0PROD>: the channel is archived. Unarchive it, and invite Gatepost again if needed (\`/invite @Gatepost\`): waiting approvals and outcomes are then posted automatically. Or set another channel in the configuration.

    Gatepost is not allowed to post in <#C0PROD> (\`restricted_action\`). Allow it in the channel's settings: waiting approvals are then posted within 15 minutes.

    Slack refuses an approval for <#C0PROD> (\`msg_blocks_too_long\`). Gatepost tries again every 15 minutes. Look up the code in Slack's reference for chat.postMessage.

    The message of an approval in <#C0PROD> was deleted again, so Gatepost stopped posting it. Nobody can decide it in Slack: decide it in the service, or have the automation ask again.

    Slack did not grant Gatepost all the scopes it needs (needs &lt;channels:history&gt;). Add the scopes from manifest.yml under OAuth &amp; Permissions and reinstall the app: waiting approvals are then posted within 15 minutes.

    Slack no longer accepts Gatepost's token (\`token_revoked\`), so nothing is posted. Reinstall the app, set \`SLACK_BOT_TOKEN\` and restart Gatepost: waiting approvals are then posted.

    Approvals of the route \`production\` cannot be decided: the route is not configured. Add it again, or withdraw these approvals and ask again.

    A request on the route \`production\` needs more approvals than its reviewers can give; whoever asked does not count. Add reviewers, or change the \`quorum\` or \`need\` of the route or the request. The message is updated within five minutes.

    Gatepost can no longer decrypt some approvals: their key is not in \`GATEPOST_KEYS\`. Add the old key after the new one and restart Gatepost. Then press Check now on their messages."
  `);
});
