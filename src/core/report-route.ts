import type * as z from 'zod';
import type { Source } from './config/config.ts';
import type { Core } from './core.ts';
import { sourceDoor, unavailable } from './http/from-source.ts';
import { parseJsonBody } from './http/json-body.ts';
import type { Reply } from './http/reply.ts';
import type { Route } from './http/router.ts';
import { StoreError } from './store/store.ts';

/** A route where automations report something as JSON, which is safe to send again. */
export function reportRoute<Body>(
  core: Core,
  path: Route['path'],
  schema: z.ZodType<Body>,
  take: (source: Source, body: Body) => Promise<Reply>,
): Route {
  const door = sourceDoor(core);
  return {
    method: 'POST',
    path,
    handle: (request) =>
      door(request, async ({ source }, body) => {
        const parsed = parseJsonBody(request.headers['content-type'], body, schema);
        return parsed.ok ? take(source, parsed.value).catch(whenStoreFails) : parsed.reply;
      }),
  };
}

/** When the store fails, the answer is 503: everything here is safe to send again. */
export function whenStoreFails(error: unknown): Reply {
  if (error instanceof StoreError) return unavailable(error);
  throw error;
}
