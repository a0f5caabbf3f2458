import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { ApprovalStatus } from '../../core/service/approval-status.ts';
import { type Approval, type Decision, isOwnGate, needsPrompt, STATUS_OF } from '../approval.ts';
import { openIn } from '../failure.ts';
import type { ApprovalCore } from './approval-core.ts';

/**
 * Who knows the state of a gate and accepts a decision: the service for a token, the record itself for an own gate.
 * Failures of other systems are results.
 */
interface Authority {
  /** `isPoll`: nobody is waiting for it. */
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

/** The authority's answer, or why the read failed. */
export type StatusRead =
  | {
      readonly kind: 'status';
      readonly answer: Omit<ApprovalStatus, 'prompt'> & { prompt?: string | null };
    }
  | Failed;

/** How the call that sent a decision ended. */
export type CallEnd =
  | { readonly kind: 'status'; readonly answer: Pick<ApprovalStatus, 'status' | 'resolvedAt'> }
  | Failed;

export function authorityOf(core: ApprovalCore, approval: Pick<Approval, 'key'>): Authority {
  return isOwnGate(approval) ? ownAuthority : serviceAuthority(core);
}

/**
 * An own gate is decided in its record: the save makes the decision final, and the lease lets only one process save.
 * Nothing is changed elsewhere, so no attempt has to be noted and nothing can be lost in transit.
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
