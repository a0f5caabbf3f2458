import { z } from 'zod';
import { json, problems } from '../http/openapi.ts';
import { taskRequest } from './task-request.ts';

/** The part of `/openapi.json` (OpenAPI 3.1) about work items; the schema is the one that is enforced. */
export function tasksPaths(): Record<string, unknown> {
  // Its own id, because it refers to itself.
  const schema = { ...z.toJSONSchema(taskRequest), $id: 'urn:gatepost:task' };
  return {
    '/v1/tasks': {
      post: {
        summary: 'Report a work item, so that it can be moved from Slack',
        operationId: 'reportTask',
        requestBody: { required: true, content: json(schema) },
        responses: {
          200: { description: 'A newer snapshot of it is known, and stays', content: json(ANSWER) },
          202: { description: 'It is kept for 7 days', content: json(ANSWER) },
          ...problems([400, 401, 403, 413, 415, 422, 429, 503]),
        },
      },
    },
  };
}

const ANSWER = {
  type: 'object',
  required: ['id', 'key', 'items'],
  properties: {
    id: { type: 'string' },
    key: { type: ['string', 'null'] },
    items: { type: 'integer', description: 'The item and its sub-items' },
  },
};
