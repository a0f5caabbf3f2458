import { WAIT_MAX_S } from '../../../../ask/contract/approval-details.ts';
import { answer, problems } from '../../../core/http/openapi.ts';
import { gateAnswer } from './gate-answer.ts';

/** The gates' part of `/openapi.json` (OpenAPI 3.1). */
export function gatePaths(): Record<string, unknown> {
  const text = { type: 'string' };
  const member = (name: string, description: string, schema: object = text) => ({
    name,
    in: 'query',
    description,
    schema,
  });
  const names = { name: 'name', in: 'path', required: true, schema: text };
  const read = [
    names,
    member('attempt', 'Names the attempt; required, or by'),
    member('for', 'How long an approval is good: 30m; default 1h, at most 24h'),
    member('wait', 'Answers when it is decided, or after so many seconds', {
      type: 'integer',
      minimum: 0,
      maximum: WAIT_MAX_S,
    }),
  ];
  const asked = [
    member('by', 'JSON Pointers into the body, separated by commas, that name the attempt'),
    member('show', 'JSON Pointers to what is shown and compared; default: the whole body'),
    member('route', "One of the source's routes; default: its first"),
    member('title', 'Default: the name of the gate'),
    member('expires', 'A time, or a duration from now such as 4h'),
    member('requested-by', 'Who asks, as gatepost ask takes it, or a JSON Pointer to it'),
  ];
  const responses = {
    200: answer('Approved', gateAnswer),
    409: answer('Rejected, withdrawn, or asked with other content (changed)', gateAnswer),
    410: answer('Nobody decided in time, or the time of the approval is over', gateAnswer),
    ...problems([401, 403, 404, 413, 422, 429]),
    // Also while the store is away.
    503: either(
      answer('Not decided yet, or Gatepost cannot tell: call again', gateAnswer),
      problems([503])[503],
    ),
  };
  return {
    '/v1/gates/{name}': {
      post: {
        summary: 'Pass a gate: the first call of an attempt asks, every further one answers',
        operationId: 'callGate',
        parameters: [...read, ...asked],
        requestBody: { required: false, content: { 'application/json': { schema: {} } } },
        responses,
      },
      get: {
        summary: 'Get the answer of an attempt without asking',
        operationId: 'getGate',
        parameters: read,
        responses,
      },
    },
  };
}

function either(one: Record<string, unknown>, other: unknown): Record<string, unknown> {
  // as: both are answers of an OpenAPI document
  const { content } = other as { readonly content: object };
  return { ...one, content: { ...(one.content as object), ...content } };
}
