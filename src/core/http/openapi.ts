import { z } from 'zod';
import { problemDetails } from './problem.ts';
import { jsonReply } from './reply.ts';
import type { Route } from './router.ts';

/**
 * `/openapi.json`: what automations can send and are sent (OpenAPI 3.1). @param documented each feature's paths and
 * webhooks; called when it is asked for the first time, so that no start waits for it.
 */
export function openapiRoute(
  documented: () => {
    readonly paths: Readonly<Record<string, unknown>>;
    readonly webhooks: Readonly<Record<string, unknown>>;
  },
): Route {
  const write = () =>
    jsonReply(200, {
      openapi: '3.1.0',
      info: { title: 'Gatepost', version: '1' },
      security: [{ source: [] }],
      ...documented(),
      components: {
        securitySchemes: { source: SECURITY },
        schemas: { Problem: answerSchema(problemDetails) },
      },
    });
  let reply: ReturnType<typeof write> | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    async handle() {
      reply ??= write();
      return reply;
    },
  };
}

const SECURITY = {
  type: 'http',
  scheme: 'bearer',
  description: 'Some sources use their own header or a Standard Webhooks signature instead',
};

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Not valid JSON in UTF-8',
  401: 'The secret or signature is missing or wrong, or belongs to more than one source',
  403: 'This source cannot send this kind of request, or cannot use that route or channel',
  404: 'This source has no such approval',
  409: 'Another source has already sent this token, or this key or token was sent with other content',
  413: 'Longer than is possible: detail has the limit and the length',
  415: 'Not application/json',
  422: 'Invalid request body: errors has a JSON Pointer for each fault',
  429: 'This source has too many requests in progress; Retry-After says when to send it again',
  503: 'The store cannot be reached, or too much is being received at once; safe to send again',
};

/** What these statuses mean, as problem details (RFC 9457). */
export function problems(statuses: readonly number[]): Record<number, unknown> {
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: MEANINGS[status], content }]),
  );
}

/** A body that is sent to us: its schema is the one that is enforced. */
export function requestBody(schema: z.ZodType, $id?: string): Record<string, unknown> {
  const described = { ...z.toJSONSchema(schema), ...($id !== undefined && { $id }) };
  return { required: true, content: { 'application/json': { schema: described } } };
}

/** A body that we answer; the type of what is answered is made of the same schema. */
export function answer(description: string, schema: z.ZodType): Record<string, unknown> {
  return { description, content: { 'application/json': { schema: answerSchema(schema) } } };
}

/** Leaves room for members that come later, and out what only this library's own reading needs. */
function answerSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, {
    override({ jsonSchema: described }) {
      if (described.additionalProperties === false) delete described.additionalProperties;
      if (described.format === 'date-time') delete described.pattern;
      if (described.minimum === Number.MIN_SAFE_INTEGER) delete described.minimum;
      if (described.maximum === Number.MAX_SAFE_INTEGER) delete described.maximum;
    },
  });
}
