import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';
import { getApproval } from './approvals.ts';
import type { CallLimits } from './transport.ts';

/** The answer to a token that the service never issued. */
export interface Probed {
  /** HTTP status. */
  readonly status: number;
  /** An address that cannot exist gets the same answer, so the token may not even have been checked. */
  readonly isSameAsNowhere: boolean;
  /** It answered as if it knew the token. */
  readonly isKnown: boolean;
}

/**
 * Reads an approval by an invented token, and something below an address that cannot exist: if the answers are alike,
 * the base address is probably wrong. Throws RemoteFailure when there is no answer, or one unrelated to the token.
 */
export async function probeApprovals(
  needs: Parameters<typeof getApproval>[0],
  made: string,
  limits: CallLimits,
): Promise<Probed> {
  const { transport } = needs;
  const asked = await failureOf(getApproval(needs, made, limits));
  if (asked === null) return { status: 200, isSameAsNowhere: false, isKnown: true };
  const { status } = asked;
  if (status !== 404 && status !== 410 && status !== 409) throw asked;
  const operation = 'get nothing';
  const nowhere = await failureOf(
    transport.send({ operation, method: 'GET', path: `/api/v1/${made}` }, limits),
  );
  return { status, isSameAsNowhere: isAlike(asked, nowhere), isKnown: false };
}

function isAlike(one: FailureFacts, other: FailureFacts | null): boolean {
  return other !== null && one.status === other.status && one.detail === other.detail;
}

async function failureOf(sent: Promise<unknown>): Promise<RemoteFailure | null> {
  try {
    await sent;
    return null;
  } catch (error) {
    if (error instanceof RemoteFailure) return error;
    throw error;
  }
}
