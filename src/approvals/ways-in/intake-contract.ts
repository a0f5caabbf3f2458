import {
  approvalDetails,
  approvalSummary,
  askedSummary,
  WAIT_MAX_S,
} from '../../../ask/contract/approval-details.ts';
import { answer, problems, requestBody } from '../../core/http/openapi.ts';
import { callbackBody } from '../tell/callback-body.ts';
import { approvalRequest } from './approval-request.ts';
import { partPaths } from './contract-parts.ts';

/** The intake's part of `/openapi.json` (OpenAPI 3.1). */
export function intakePaths(): Record<string, unknown> {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const key = {
    name: 'key',
    in: 'query',
    required: true,
    description: 'The key it was asked with',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  };
  const wait = {
    name: 'wait',
    in: 'query',
    description: 'Answers when it is final or BLOCKED, or after so many seconds',
    schema: { type: 'integer', minimum: 0, maximum: WAIT_MAX_S },
  };
  return {
    '/v1/approvals': {
      post: {
        summary: 'Ask for an approval',
        operationId: 'askApproval',
        requestBody: requestBody(approvalRequest),
        responses: {
          202: answer('New: stored, and will be posted', askedSummary),
          200: answer('The token, or the key with this content, is already known', askedSummary),
          ...problems([400, 401, 403, 409, 413, 415, 422, 429, 503]),
        },
      },
      get: {
        summary: 'Find an own gate by its key',
        operationId: 'findApproval',
        parameters: [key, wait],
        responses: {
          200: answer('Its current state', approvalDetails),
          ...problems([401, 404, 413]),
          ...problems(
            [422],
            'key is missing, given twice, or no possible key; or wait is no number',
          ),
          ...problems([429, 503]),
        },
      },
    },
    '/v1/approvals/{id}': {
      get: {
        summary: 'Get an approval',
        operationId: 'getApproval',
        parameters: [id, wait],
        responses: {
          200: answer('Its current state', approvalDetails),
          ...problems([401, 404, 413, 422, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}/withdraw': {
      post: {
        summary: 'Withdraw the request without a decision',
        operationId: 'withdrawApproval',
        parameters: [id],
        responses: {
          202: answer('Its current state; PENDING while a decision is being sent', approvalSummary),
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
    ...partPaths(id, approvalDetails),
    '/v1/approvals/{id}/check': {
      post: {
        summary: 'Read the status from the service now',
        operationId: 'checkApproval',
        parameters: [id],
        responses: {
          202: answer('The check has started', approvalSummary),
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
  };
}

/** The callbacks in `/openapi.json` (OpenAPI 3.1). */
export function callbackWebhooks(): Record<string, unknown> {
  return {
    approval: {
      post: {
        summary: 'What became of a request, as a Standard Webhook',
        operationId: 'callBack',
        requestBody: requestBody(callbackBody),
        responses: { '2XX': { description: 'Taken; anything else is sent again for 24 hours' } },
      },
    },
  };
}
