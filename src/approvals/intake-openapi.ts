import { z } from 'zod';
import { json, problems } from '../http/openapi.ts';
import { approvalRequest } from './approval-request.ts';

/** The intake's part of `/openapi.json` (OpenAPI 3.1); the request's schema is the one that is enforced. */
export function intakePaths(): Record<string, unknown> {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return {
    '/v1/approvals': {
      post: {
        summary: 'Ask for an approval',
        operationId: 'askApproval',
        requestBody: { required: true, content: json(z.toJSONSchema(approvalRequest)) },
        responses: {
          202: { description: 'New: it is stored and will be posted', content: json(SUMMARY) },
          200: { description: 'The token is known already', content: json(SUMMARY) },
          ...problems([400, 401, 403, 409, 413, 415, 422, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}': {
      get: {
        summary: 'How an approval stands',
        operationId: 'getApproval',
        parameters: [id],
        responses: {
          200: { description: 'As it stands', content: json(DETAILS) },
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}/withdraw': {
      post: {
        summary: 'Take the request back without deciding anything',
        operationId: 'withdrawApproval',
        parameters: [id],
        responses: {
          202: {
            description: 'As it stands now; PENDING while a decision is being sent',
            content: json(SUMMARY),
          },
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}/check': {
      post: {
        summary: 'Read the status at the service now',
        operationId: 'checkApproval',
        parameters: [id],
        responses: {
          202: { description: 'It is being looked at', content: json(SUMMARY) },
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
  };
}

const STATUS = { enum: ['PENDING', 'WITHDRAWN', 'UNKNOWN', 'APPROVED', 'REJECTED', 'TIMED_OUT'] };
const TIME = { type: 'string', format: 'date-time' };
const SUMMARY = {
  type: 'object',
  required: ['id', 'status', 'url'],
  properties: { id: { type: 'string' }, status: STATUS, url: { type: 'string' } },
};
const BALLOT = {
  type: 'object',
  properties: {
    user: { type: 'string', description: 'Slack user id' },
    action: { enum: ['approve', 'reject'] },
    at: TIME,
    reason: { type: 'string' },
  },
};
const POSTING = {
  type: 'object',
  description: 'How it is with the message that asks',
  required: ['state'],
  properties: {
    state: {
      enum: ['waiting', 'posted', 'blocked', 'ended'],
      description: 'blocked: Slack refuses it, it is tried again. ended: it is not posted any more',
    },
    reason: { type: 'string', description: "Slack's error code, or withdrawn" },
  },
};
const DETAILS = {
  ...SUMMARY,
  properties: {
    ...SUMMARY.properties,
    createdAt: TIME,
    posting: POSTING,
    approvals: { type: 'integer' },
    ballots: { type: 'array', items: BALLOT },
    outcome: {
      type: 'object',
      description: 'Absent while nothing is decided',
      properties: {
        status: { enum: ['APPROVED', 'REJECTED', 'TIMED_OUT'] },
        resolvedAt: { type: ['string', 'null'], description: "The service's own time" },
        by: { type: 'array', items: { type: 'string' } },
        certain: { type: 'boolean', description: 'The service confirmed whose answer it took' },
      },
    },
  },
};
