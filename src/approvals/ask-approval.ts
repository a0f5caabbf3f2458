import { hash } from 'node:crypto';
import type { Source } from '../config/config.ts';
import { redact } from '../lib/redact.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { Store } from '../store/store.ts';
import type { Approval } from './approval.ts';
import { APPROVAL_KIND, encodeApproval } from './approval-flow.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { firstPollAt } from './timing.ts';

export interface AskNeeds {
  readonly store: Pick<Store, 'create'>;
  readonly reconciler: Pick<Reconciler, 'hasRoom' | 'run'>;
  readonly seal: (plain: string, what: 'token') => string;
  readonly now: () => number;
}

/** `isNew` is false when the token is known already: nothing is posted again. */
export interface AskedApproval {
  readonly id: string;
  readonly isNew: boolean;
  /** The known one, as it is kept. */
  readonly data?: string;
}

/**
 * Takes a token: stores the approval durably, in one step, and begins to post it. Throws StoreError
 * when it could not be stored, or nobody can tell; asking again with the same token is safe.
 */
export async function askApproval(
  needs: AskNeeds,
  source: Source,
  where: { readonly route: string; readonly channel: string },
  request: ApprovalRequest,
): Promise<AskedApproval> {
  const approval = newApproval(needs, source, where, request);
  const created = await needs.store.create(
    {
      kind: APPROVAL_KIND,
      data: encodeApproval(approval),
      lane: 'people',
      dueInMs: 0,
      place: { channel: approval.channel, message: null },
      uniqueKey: uniqueKeyOf(request.token),
      audit: [
        {
          action: 'approvals.asked',
          record: null,
          actor: source.id,
          facts: { route: where.route, channel: where.channel },
        },
      ],
    },
    { hold: needs.reconciler.hasRoom },
  );
  if (created.kind === 'exists') {
    return { id: created.record.id, isNew: false, data: created.record.data };
  }
  if (created.held !== undefined) void needs.reconciler.run(created.held);
  return { id: created.id, isNew: true };
}

/** Before any time of the store, of which this process knows only about what it is. */
const AT_ONCE = 0;

/** No secret, and independent of the keys, so that rotating them asks nobody twice. */
function uniqueKeyOf(token: string): string {
  return hash('sha256', `${APPROVAL_KIND}\0${token}`, 'base64url');
}

function newApproval(
  { seal, now }: AskNeeds,
  source: Source,
  { route, channel }: { readonly route: string; readonly channel: string },
  request: ApprovalRequest,
): Approval {
  const { token, title, message, fields, link, requestedBy, reviewers, quorum, expiresAt } =
    request;
  const clean = (text: string) => redact(text, [token]);
  const createdAt = now();
  const deadlineAt = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  // Without words of its own the service's are wanted before anything is posted.
  const nextAt = message === undefined ? AT_ONCE : firstPollAt(createdAt, deadlineAt);
  const pairs = Object.entries(fields ?? {}).map(([k, v]) => [clean(k), clean(v)] as const);
  return {
    v: 1,
    token: seal(token, 'token'),
    source: source.id,
    route,
    channel,
    createdAt,
    ...(title !== undefined && { title: clean(title) }),
    ...(message !== undefined && { message: clean(message) }),
    ...(pairs.length > 0 && { fields: pairs }),
    ...(link !== undefined && { link: clean(link) }),
    ...(requestedBy !== undefined && { requester: requesterOf(requestedBy, clean) }),
    ...(reviewers !== undefined && {
      narrowedTo: { users: reviewers.users ?? [], groups: reviewers.groups ?? [] },
    }),
    ...(quorum !== undefined && { quorum }),
    ...(deadlineAt !== undefined && { expiresAt: deadlineAt }),
    parts: [{ name: 'message', channel }],
    watch: { state: 'pending', nextAt },
    queue: [],
    ballots: [],
    tells: [],
  };
}

function requesterOf(
  { name, email, slackUser }: NonNullable<ApprovalRequest['requestedBy']>,
  clean: (text: string) => string,
) {
  return {
    ...(name !== undefined && { name: clean(name) }),
    ...(email !== undefined && { email }),
    ...(slackUser !== undefined && { user: slackUser }),
  };
}
