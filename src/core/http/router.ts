import type { IncomingMessage } from 'node:http';
import { problem } from './problem.ts';
import type { Reply } from './reply.ts';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** `/v1/approvals/:id`: a segment with a colon takes anything but a slash. */
  readonly path: string;
  readonly handle: (request: IncomingMessage, parameters: Parameters) => Promise<Reply>;
}

/** Decoded, by the names in the route's path. */
export type Parameters = Readonly<Record<string, string>>;

export type Router = (request: IncomingMessage) => Promise<Reply>;

/** 404 for an unknown path, 405 for a method that the path does not have. */
export function createRouter(routes: readonly Route[]): Router {
  const patterns = groupByPath(routes);
  const fixed = new Map(
    patterns.filter((it) => !it.path.includes('/:')).map((it) => [it.path, it]),
  );
  const open = patterns.filter((it) => it.path.includes('/:'));
  return async (request) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const exact = fixed.get(path);
    if (exact) return dispatch(exact, request, {});
    const segments = path.split('/');
    for (const pattern of open) {
      const parameters = match(pattern.segments, segments);
      if (parameters) return dispatch(pattern, request, parameters);
    }
    return problem({ status: 404, title: 'Not found' });
  };
}

interface Pattern {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Map<string, Route['handle']>;
}

function groupByPath(routes: readonly Route[]): Pattern[] {
  const patterns = new Map<string, Pattern>();
  for (const { method, path, handle } of routes) {
    const pattern = patterns.get(path) ?? { path, segments: path.split('/'), methods: new Map() };
    if (pattern.methods.has(method)) throw new Error(`Two routes for ${method} ${path}`);
    pattern.methods.set(method, handle);
    patterns.set(path, pattern);
  }
  return [...patterns.values()];
}

async function dispatch(
  { methods }: Pattern,
  request: IncomingMessage,
  parameters: Parameters,
): Promise<Reply> {
  // Node omits the body of a response to HEAD.
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const handle = methods.get(method);
  if (handle) return handle(request, parameters);
  const allow = [...methods.keys()].join(', ');
  return problem({ status: 405, title: 'Method not allowed', headers: { allow } });
}

function match(pattern: readonly string[], path: readonly string[]): Parameters | undefined {
  if (pattern.length !== path.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = path[index] ?? '';
    if (!expected.startsWith(':')) {
      if (actual !== expected) return undefined;
      continue;
    }
    const value = decoded(actual);
    if (value === undefined || value === '') return undefined;
    parameters[expected.slice(1)] = value;
  }
  return parameters;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
