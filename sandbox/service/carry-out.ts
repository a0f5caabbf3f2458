import type { Answer, Exchange } from '../exchange.ts';
import {
  readAction,
  resolveApproval,
  respondAnswer,
  statusAnswer,
  unknownToken,
} from './approval-answers.ts';
import type { Memory } from './memory.ts';
import type { ServiceRequest } from './service-handle.ts';
import { moveAnswer, projectsAnswer, taskAnswer } from './tasks/task-answers.ts';
import { createCase, refusal } from './test-cases/create-case.ts';
import { carryOutUsers } from './users/carry-out-users.ts';
import { errorAnswer } from './variant.ts';

export type ServiceArrival = Omit<ServiceRequest, 'answered'>;

export interface CarryOutNeeds {
  readonly memory: Memory;
  readonly now: () => number;
  readonly randomUuid: () => string;
  readonly apiKey: string;
  readonly scimToken: string;
}

/** One operation of the interface: checks the credentials, then runs it. */
export function carryOut(
  exchange: Exchange,
  arrival: ServiceArrival,
  needs: CarryOutNeeds,
): Answer {
  const { variant } = needs.memory;
  const { operation, ids, body } = arrival;
  switch (operation) {
    case 'listUsers':
    case 'createUser':
    case 'patchUser':
    case 'deleteUser':
      return carryOutUsers(exchange, { operation, id: ids[0] ?? '', body }, needs);
    case 'getApproval':
    case 'respond':
      if (variant.approvalCredential === 'none') return carryOutApproval(exchange, arrival, needs);
      return withApiKey(exchange, needs, () => carryOutApproval(exchange, arrival, needs));
    case 'moveTask':
    case 'readTask':
    case 'readProjects':
      return withApiKey(exchange, needs, () => carryOutTask(exchange, arrival, needs));
    case 'createTestCase':
      return withApiKey(
        exchange,
        needs,
        () => carryOutTestCase(exchange, arrival, needs),
        refusal(401, 'Not authorized.'),
      );
  }
}

function withApiKey(
  { headers }: Exchange,
  { apiKey, memory }: CarryOutNeeds,
  work: () => Answer,
  refused = errorAnswer(401, 'Not authorized.', memory.variant),
): Answer {
  return headers.authorization === `Bearer ${apiKey}` ? work() : refused;
}

/** The token identifies the approval and nothing else is required, unless the variant says so (Interface 5). */
function carryOutApproval(
  exchange: Exchange,
  { operation, token, body }: ServiceArrival,
  needs: CarryOutNeeds,
): Answer {
  const { approvals, variant } = needs.memory;
  if (exchange.query.size > 0) return errorAnswer(400, 'No query is known here.', variant);
  if (operation === 'respond') return respond(exchange, token ?? '', body, needs);
  return statusAnswer(approvals.get(token ?? ''), variant);
}

/** Interface 4.4. */
function respond(
  exchange: Exchange,
  token: string,
  body: unknown,
  { memory: { approvals, variant }, now }: CarryOutNeeds,
): Answer {
  if (!isJson(exchange)) return errorAnswer(415, 'Send application/json.', variant);
  const before = approvals.get(token);
  if (!before) return unknownToken(404, variant);
  const action = readAction(body);
  if (typeof action === 'string') return errorAnswer(400, action, variant);
  const at = new Date(now()).toISOString();
  const after = resolveApproval(before, { ...action, through: 'interface', at });
  approvals.set(token, after);
  return respondAnswer(before, after, variant);
}

/** Interface 4.1, and the reads that it needs. */
function carryOutTask(
  exchange: Exchange,
  { operation, ids: [id = ''], body }: ServiceArrival,
  { memory, now }: CarryOutNeeds,
): Answer {
  const { variant, spaces } = memory;
  if (exchange.query.size > 0) return errorAnswer(422, 'No query is known here.', variant);
  if (operation === 'readTask') return taskAnswer(memory.tasks, id, variant);
  if (operation === 'readProjects') return projectsAnswer(memory.tasks);
  if (!isJson(exchange)) return errorAnswer(415, 'Send application/json.', variant);
  const { world, answer } = moveAnswer(memory.tasks, id, body, { spaces, variant, now: now() });
  memory.tasks = world;
  return answer;
}

/** Interface 4.2. */
function carryOutTestCase(
  exchange: Exchange,
  { ids: [space = '', projectId = ''], body }: ServiceArrival,
  { memory, randomUuid }: CarryOutNeeds,
): Answer {
  if (exchange.query.size > 0) return refusal(400, 'No query is known here.');
  if (!isJson(exchange)) return refusal(415, 'Send application/json.');
  const place = { spaces: memory.spaces, space, projectId, newId: randomUuid };
  const { projects, answer } = createCase(memory.testProjects, body, place);
  memory.testProjects = projects;
  return answer;
}

function isJson({ headers }: Exchange): boolean {
  return headers['content-type']?.split(';')[0] === 'application/json';
}
