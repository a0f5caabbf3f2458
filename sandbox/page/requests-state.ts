import { isObject } from '../exchange.ts';
import type { Service, ServiceRequest } from '../service/service-handle.ts';
import type { PageRequest } from './page-state.ts';
import { withSubItems } from './projects-state.ts';

const shownRequests = 40;

/** What the service received, the newest first. An approval goes by its id: no token is in it. */
export function requestsState(service: Service): PageRequest[] {
  const ids = new Map(service.approvals().map(({ token, id }) => [token, id]));
  const approvalOf = ({ token }: ServiceRequest): string =>
    ids.get(token ?? '') ?? 'an unknown approval';
  const shown = service.requests().map((request, id) => ({
    id,
    ...wordsOf(request, approvalOf(request), service),
    answered: request.answered,
    at: request.at,
  }));
  return shown.slice(-shownRequests).reverse();
}

function wordsOf(
  request: ServiceRequest,
  approval: string,
  service: Service,
): Pick<PageRequest, 'method' | 'words'> {
  switch (request.operation) {
    case 'getApproval':
      return { method: 'GET', words: `status of ${approval}` };
    case 'respond':
      return { method: 'POST', words: `${answerOf(request.body, service)} to ${approval}` };
    case 'moveTask':
      return { method: 'POST', words: `move of ${itemIn(request, service)}` };
    case 'readTask':
      return { method: 'GET', words: `work item ${itemIn(request, service)}` };
    case 'readProjects':
      return { method: 'GET', words: 'projects' };
    case 'createTestCase':
      return { method: 'POST', words: 'a test case' };
    case 'listUsers':
      return { method: 'GET', words: 'users' };
    case 'createUser':
      return { method: 'POST', words: 'a user' };
    case 'patchUser':
      return { method: 'PATCH', words: 'a user' };
    case 'deleteUser':
      return { method: 'DELETE', words: 'a user' };
  }
}

/** The key it has by now; what was asked for where there is no such item. */
function itemIn({ ids: [asked = ''] }: ServiceRequest, { tasks }: Service): string {
  const items = tasks.projects().flatMap(({ items }) => items.flatMap(withSubItems));
  return items.find(({ id, key }) => id === asked || key === asked)?.key ?? asked;
}

/** “approve by Ana Reyes”. */
function answerOf(body: unknown, service: Service): string {
  const { action, userId } = isObject(body) ? body : {};
  const what = action === 'approve' || action === 'reject' ? action : 'an answer';
  const who = service.users().find(({ id }) => id === userId)?.displayName;
  return who === undefined ? what : `${what} by ${who}`;
}
