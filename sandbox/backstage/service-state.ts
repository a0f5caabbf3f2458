import { isObject } from '../exchange.ts';
import type { Sandbox } from '../sandbox.ts';
import type { ApprovalState } from '../service/approval-state.ts';
import type { Service, ServiceRequest } from '../service/service-handle.ts';
import type { ShownItem } from '../service/tasks/tasks-handle.ts';
import type { TestCase, TestProject } from '../service/test-cases/test-project.ts';
import type { User } from '../wire.ts';
import type {
  PageAccount,
  PageApproval,
  PageProject,
  PageRequest,
  PageTestProject,
  PageWorkItem,
} from './backstage-state.ts';

const shownRequests = 40;

/** Requests that the service received, newest first. Approvals appear by id, never by token. */
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

/** The item's current key; the key that was requested if there is no such item. */
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

/** Approvals of the service, newest first. */
export function approvalsState({ service, automation }: Sandbox): PageApproval[] {
  const shown = service.approvals().map((approval) => ({
    id: approval.id,
    title: automation.asked(approval.token)?.title ?? approval.prompt,
    status: approval.status,
    effects: approval.effects.map((effect) =>
      effect.through === 'elsewhere'
        ? 'in the service itself'
        : `by ${nameOf(effect.userId, service)}`,
    ),
    canCheck: !isKnownToBot(approval, service),
    isAsked: automation.asked(approval.token) !== undefined,
  }));
  return shown.reverse();
}

function nameOf(userId: string | null, service: Service): string {
  return service.users().find(({ id }) => id === userId)?.displayName ?? 'nobody named';
}

/** It is pending, was decided through the bot, or the bot has read it since it ended. */
function isKnownToBot({ token, effects, resolvedAt }: ApprovalState, service: Service): boolean {
  if (resolvedAt === null || effects.some((effect) => effect.through === 'interface')) return true;
  const looks = service.requests('getApproval').filter((look) => look.token === token);
  return looks.some((look) => look.answered === 200 && look.at >= Date.parse(resolvedAt));
}

export function projectsState({ tasks }: Service): PageProject[] {
  return tasks.projects().map(({ id, name, items }) => ({
    id,
    name,
    items: items.flatMap((item) => shown(item, 0)),
  }));
}

/** An item and everything below it, each before its sub-items. */
function withSubItems(item: ShownItem): ShownItem[] {
  return [item, ...item.subItems.flatMap(withSubItems)];
}

function shown({ id, key, title, status, subItems }: ShownItem, depth: number): PageWorkItem[] {
  const below = subItems.flatMap((each) => shown(each, depth + 1));
  return [{ id, key, title, status: status.name, depth }, ...below];
}

/** More would slow down each update of the page. */
const SHOWN_CASES = 50;

export function testProjectsState(service: Service): PageTestProject[] {
  return service.testProjects().map((project) => ({
    id: project.id,
    name: project.name,
    caseCount: project.cases.length,
    cases: project.cases
      .slice(-SHOWN_CASES)
      .reverse()
      .map((each) => ({ id: each.id, title: each.title, words: caseWords(each, project) })),
  }));
}

/** “DRAFT · HIGH · MANUAL · Smoke”. */
function caseWords({ status, priority, type, suiteId }: TestCase, { suites }: TestProject): string {
  const suite = suites.find(({ id }) => id === suiteId)?.name;
  return [status, priority, type, suite].filter((word) => word !== undefined).join(' · ');
}

/** More would slow down each update of the page. */
const SHOWN_ACCOUNTS = 50;

export function accountsState(service: Service): { count: number; shown: PageAccount[] } {
  const users = service.users();
  const shown = users.slice(0, SHOWN_ACCOUNTS).map((user) => ({
    id: user.id,
    name: user.displayName,
    words: [user.userName, user.active ? 'active' : 'deactivated', user.title, user.department]
      .filter((word) => word !== null && word !== '')
      .join(' · '),
  }));
  return { count: users.length, shown };
}

/** What the service knows about a Slack member, each fact as text. */
export function accountNotes({ profile }: User, service: Service): string[] {
  const account = service.users().find(({ userName }) => userName === profile.email);
  if (!account) return ['unknown to the service'];
  return account.active ? [] : ['deactivated in the service'];
}
