import type { Answer, Exchange } from '../exchange.ts';
import { readAction, respondAnswer, statusAnswer, unknownToken } from './approval-answers.ts';
import { resolveApproval } from './approval-rules.ts';
import type { Memory } from './memory.ts';
import { listUsers, scimError } from './scim-list.ts';
import type { ServiceRequest } from './service-handle.ts';
import { errorAnswer } from './variant.ts';

export type ServiceArrival = Omit<ServiceRequest, 'answered'>;

export interface CarryOutNeeds {
  readonly memory: Memory;
  readonly now: () => number;
  readonly apiKey: string;
  readonly scimToken: string;
}

/** One operation of the interface: checks what is presented, then does it. */
export function carryOut(
  exchange: Exchange,
  { operation, token, body }: ServiceArrival,
  needs: CarryOutNeeds,
): Answer {
  const { memory } = needs;
  const presented = exchange.headers.authorization;
  if (operation === 'listUsers') {
    if (presented !== `Bearer ${needs.scimToken}`) return scimError(401, 'Not authorized.');
    return listUsers(memory.users, exchange.query, memory.variant);
  }
  const refused = refusedAccess(exchange, presented, needs);
  if (refused) return refused;
  if (operation === 'respond') return respond(exchange, token ?? '', body, needs);
  return statusAnswer(memory.approvals.get(token ?? ''), memory.variant);
}

/** The token identifies the approval and no more is asked for, unless the variant says so (Interface 5). */
function refusedAccess(
  exchange: Exchange,
  presented: string | undefined,
  { memory: { variant }, apiKey }: CarryOutNeeds,
): Answer | undefined {
  if (variant.approvalCredential === 'apiKey' && presented !== `Bearer ${apiKey}`) {
    return errorAnswer(401, 'Not authorized.', variant);
  }
  if (exchange.query.size > 0) return errorAnswer(400, 'No query is known here.', variant);
  return undefined;
}

/** Interface 4.4. */
function respond(
  exchange: Exchange,
  token: string,
  body: unknown,
  { memory: { approvals, variant }, now }: CarryOutNeeds,
): Answer {
  const type = exchange.headers['content-type']?.split(';')[0];
  if (type !== 'application/json') return errorAnswer(415, 'Send application/json.', variant);
  const before = approvals.get(token);
  if (!before) return unknownToken(404, variant);
  const action = readAction(body);
  if (typeof action === 'string') return errorAnswer(400, action, variant);
  const at = new Date(now()).toISOString();
  const after = resolveApproval(before, { ...action, through: 'interface', at });
  approvals.set(token, after);
  return respondAnswer(before, after, variant);
}
