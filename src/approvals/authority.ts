import { callResult, type Failed } from '../core/engine/call-result.ts';
import type { ApprovalStatus } from '../core/service/approval-status.ts';
import { type Approval, type Decision, isOwnGate, needsPrompt, STATUS_OF } from './approval.ts';
import { openIn } from './failure.ts';
import type { ApprovalCore } from './steps/step-rules.ts';

/**
 * Who says how a gate stands, and takes a decision: the service for a token, the record itself for an own
 * gate. What fails elsewhere is a result.
 */
interface Authority {
  /** `isPoll`: nobody waits for it. */
  read(
    approval: Approval,
    asked: { readonly deadlineMs: number; readonly plannedAt: number; readonly isPoll: boolean },
  ): Promise<StatusRead>;
  respond(
    approval: Approval,
    decision: Pick<Decision, 'action' | 'serviceUser'>,
    asked: { readonly plannedAt: number },
  ): Promise<CallEnd>;
}

/** What the authority said, or what reading it failed of. */
export type StatusRead =
  | {
      readonly kind: 'status';
      readonly answer: Omit<ApprovalStatus, 'prompt'> & { prompt?: string | null };
    }
  | Failed;

/** How the call that brought a decision ended. */
export type CallEnd =
  | { readonly kind: 'status'; readonly answer: Pick<ApprovalStatus, 'status' | 'resolvedAt'> }
  | Failed;

export function authorityOf(core: ApprovalCore, approval: Pick<Approval, 'key'>): Authority {
  return isOwnGate(approval) ? ownAuthority : serviceAuthority(core);
}

/**
 * The record of an own gate is where it is decided: the decision becomes true with the save that holds it,
 * which the lease allows one process alone. Nothing is changed elsewhere, so there is nothing to note before
 * and nothing that could be lost on its way.
 */
const ownAuthority: Authority = {
  read: async (approval, { plannedAt }) => ({
    kind: 'status',
    answer: timedOut(approval, plannedAt) ?? { status: 'PENDING', raw: null, resolvedAt: null },
  }),

  respond: async (approval, { action }, { plannedAt }) => ({
    kind: 'status',
    answer: timedOut(approval, plannedAt) ?? {
      status: STATUS_OF[action],
      resolvedAt: new Date(plannedAt).toISOString(),
    },
  }),
};

function timedOut({ expiresAt }: Approval, now: number) {
  if (expiresAt === undefined || now < expiresAt) return undefined;
  const resolvedAt = new Date(expiresAt).toISOString();
  return { status: 'TIMED_OUT', raw: null, resolvedAt } as const;
}

function serviceAuthority({ service, box, serviceAnswers, timing }: ApprovalCore): Authority {
  return {
    async read(approval, { deadlineMs, isPoll }) {
      const read = async (): Promise<StatusRead> => ({
        kind: 'status',
        answer: await service.approvals.get(openIn(box, tokenOf(approval), 'token'), {
          deadlineMs,
          withPrompt: needsPrompt(approval),
        }),
      });
      const result: StatusRead = await callResult(read());
      if (result.kind === 'status') await serviceAnswers.shown(isPoll);
      await serviceAnswers.heard(result);
      return result;
    },

    async respond(approval, { action, serviceUser }) {
      const call = async (): Promise<CallEnd> => {
        const body = { action, userId: serviceUser ?? null };
        const token = openIn(box, tokenOf(approval), 'token');
        const answer = await service.approvals.respond(token, body, { deadlineMs: timing.stepMs });
        return { kind: 'status', answer };
      };
      const end = await callResult(call());
      await serviceAnswers.heard(end);
      return end;
    },
  };
}

function tokenOf({ token }: Approval): string {
  if (token === undefined) throw new Error('only an approval of the service has a token');
  return token;
}
