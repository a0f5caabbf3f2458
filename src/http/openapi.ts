import { jsonReply } from './reply.ts';
import type { Route } from './router.ts';

/** `/openapi.json`: what automations can send, made of each feature's paths (OpenAPI 3.1). */
export function openapiRoute(paths: Readonly<Record<string, unknown>>): Route {
  const reply = jsonReply(200, {
    openapi: '3.1.0',
    info: { title: 'Gatepost', version: '1' },
    security: [{ source: [] }],
    paths,
    components: {
      securitySchemes: { source: SECURITY },
      schemas: { Problem: PROBLEM },
    },
  });
  return { method: 'GET', path: '/openapi.json', handle: async () => reply };
}

const SECURITY = {
  type: 'http',
  scheme: 'bearer',
  description: 'For some sources a header of their own or a Standard Webhooks signature instead',
};

/** RFC 9457. */
const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};
