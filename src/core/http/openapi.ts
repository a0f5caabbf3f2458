import * as z from 'zod';
import { problemDetails } from './problem.ts';
import { jsonReply } from './reply.ts';
import type { Route } from './router.ts';

/**
 * `/openapi.json`: what automations can send and receive (OpenAPI 3.1). @param documented each feature's paths and
 * webhooks; called on the first request, so that it does not delay the start.
 */
export function openapiRoute(
  documented: () => {
    readonly paths: Readonly<Record<string, unknown>>;
    readonly webhooks: Readonly<Record<string, unknown>>;
  },
): Route {
  const write = () => {
    const { document, definitions } = withoutDefinitions({
      openapi: '3.1.0',
      info: { title: 'Gatepost', version: '1' },
      servers: [{ url: '/' }],
      security: [{ source: [] }],
      ...documented(),
    });
    const schemas = { Problem: answerSchema(problemDetails), ...definitions };
    const components = { securitySchemes: { source: SECURITY }, schemas };
    return jsonReply(200, { ...document, components });
  };
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

/** Moves the definitions of a recursive schema to `components`, the only place that generators look. */
function withoutDefinitions(document: Record<string, unknown>): {
  readonly document: Record<string, unknown>;
  readonly definitions: Readonly<Record<string, unknown>>;
} {
  const definitions: Record<string, unknown> = {};
  const moved = JSON.parse(JSON.stringify(document), (name, value: unknown) => {
    if (name === '$ref') return String(value).replace('#/$defs/', '#/components/schemas/');
    if (name !== '$defs') return value;
    Object.assign(definitions, value);
    return undefined;
  });
  return { document: moved, definitions };
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
  503: 'The store cannot be reached or is full, or too much is being received at once; safe to send again',
};

/** These statuses as problem details (RFC 9457). */
export function problems(statuses: readonly number[], meaning?: string): Record<number, unknown> {
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: meaning ?? MEANINGS[status], content }]),
  );
}

/** A request body, with the schema that is enforced. */
export function requestBody(schema: z.ZodType): Record<string, unknown> {
  return { required: true, content: { 'application/json': { schema: schemaOf(schema) } } };
}

/** A response body; its TypeScript type comes from the same schema. */
export function answer(description: string, schema: z.ZodType): Record<string, unknown> {
  return { description, content: { 'application/json': { schema: answerSchema(schema) } } };
}

/** Allows members that later versions may add. */
function answerSchema(schema: z.ZodType): unknown {
  return schemaOf(schema, (described) => {
    if (described.additionalProperties === false) delete described.additionalProperties;
  });
}

/** Without zod's own additions to the JSON Schema. */
function schemaOf(
  schema: z.ZodType,
  change: (described: z.core.JSONSchema.BaseSchema) => void = () => {},
): unknown {
  const { $schema, ...written } = z.toJSONSchema(schema, {
    override({ jsonSchema: described }) {
      if (described.format === 'date-time') delete described.pattern;
      if (described.minimum === Number.MIN_SAFE_INTEGER) delete described.minimum;
      if (described.maximum === Number.MAX_SAFE_INTEGER) delete described.maximum;
      change(described);
    },
  });
  return written;
}
