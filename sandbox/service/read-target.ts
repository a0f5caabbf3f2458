import { type Exchange, parseJson } from '../exchange.ts';
import type { ServiceOperation, ServiceRequest } from './service-handle.ts';

export type Target = Pick<ServiceRequest, 'operation' | 'token' | 'ids' | 'body'>;

interface Place {
  readonly pattern: RegExp;
  /** Operations by method. */
  readonly methods: Readonly<Record<string, ServiceOperation>>;
}

const places: readonly Place[] = [
  {
    pattern: /^\/api\/v1\/automation\/approvals\/([^/]+)$/,
    methods: { GET: 'getApproval', POST: 'respond' },
  },
  { pattern: /^\/api\/v1\/tasks\/([^/]+)\/move$/, methods: { POST: 'moveTask' } },
  {
    pattern: /^\/api\/v1\/test-management\/([^/]+)\/([^/]+)\/cases$/,
    methods: { POST: 'createTestCase' },
  },
  { pattern: /^\/api\/scim\/v2\/Users$/, methods: { GET: 'listUsers', POST: 'createUser' } },
  {
    pattern: /^\/api\/scim\/v2\/Users\/([^/]+)$/,
    methods: { PATCH: 'patchUser', DELETE: 'deleteUser' },
  },
  // Not part of the service: a way to read a work item (Interface 2.1 shows none).
  { pattern: /^\/sandbox\/v1\/tasks\/([^/]+)$/, methods: { GET: 'readTask' } },
  { pattern: /^\/sandbox\/v1\/projects$/, methods: { GET: 'readProjects' } },
];

/** The operation that a request means; 404 or 405 if there is none. @param path after the base address. */
export function readTarget({ method, query, body }: Exchange, path: string): Target | 404 | 405 {
  for (const { pattern, methods } of places) {
    const segments = pattern.exec(path)?.slice(1).map(decoded);
    if (segments === undefined) continue;
    const operation = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (operation === undefined) return 405;
    const ids = segments.filter((segment) => segment !== undefined);
    if (ids.length < segments.length) return 404;
    const [token = null] = isOfApproval(operation) ? ids : [];
    return {
      operation,
      token,
      ids: token === null ? ids : [],
      body: method === 'GET' ? queryOf(operation, query) : parseJson(body.toString()),
    };
  }
  return 404;
}

function isOfApproval(operation: ServiceOperation): boolean {
  return operation === 'getApproval' || operation === 'respond';
}

function queryOf(operation: ServiceOperation, query: URLSearchParams): unknown {
  return operation === 'listUsers' ? Object.fromEntries(query) : null;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
