import { type Exchange, parseJson } from '../exchange.ts';
import type { ServiceRequest } from './service-handle.ts';

export type Target = Pick<ServiceRequest, 'operation' | 'token' | 'body'>;

const approvalPath = /^\/api\/v1\/automation\/approvals\/([^/]+)$/;
const usersPath = '/api/scim/v2/Users';

/** Which operation of the interface is asked for; 404 and 405 when none is. @param path behind the base address. */
export function readTarget({ method, query, body }: Exchange, path: string): Target | 404 | 405 {
  if (path === usersPath) {
    if (method !== 'GET') return 405;
    return { operation: 'listUsers', token: null, body: Object.fromEntries(query) };
  }
  const segment = approvalPath.exec(path)?.[1];
  const token = segment === undefined ? undefined : decoded(segment);
  if (token === undefined) return 404;
  if (method === 'GET') return { operation: 'getApproval', token, body: null };
  if (method === 'POST') return { operation: 'respond', token, body: parseJson(body.toString()) };
  return 405;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
