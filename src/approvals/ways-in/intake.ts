/**
 * Ways in: requests over HTTP (this file), buttons and forms (`slack.ts`), lists and the Home tab (`list/`), absences
 * (`absence/`). They know everything below, and nothing below knows them.
 */

import type { IncomingMessage } from 'node:http';
import { WAIT_MAX_S } from '../../../ask/contract/approval-details.ts';
import { BODY_LIMIT, sourceDoor } from '../../core/http/from-source.ts';
import { type JsonBody, parseJsonBody } from '../../core/http/json-body.ts';
import { problem } from '../../core/http/problem.ts';
import { tooLarge } from '../../core/http/read-body.ts';
import type { Reply } from '../../core/http/reply.ts';
import type { Route as HttpRoute, Parameters } from '../../core/http/router.ts';
import { type ApprovalRequest, approvalRequest } from './approval-request.ts';
import { PART_ROUTES } from './contract-parts.ts';
import { type IntakeCore, intakeCalls, type Present } from './intake-calls.ts';
import { ownKeyIn } from './own-key.ts';
import type { Sender } from './sender.ts';

/** The routes where automations send tokens or ask for own gates, and ask for the result. */
export function intakeRoutes(core: IntakeCore): HttpRoute[] {
  const calls = intakeCalls(core);
  const answer = sourceDoor(core);
  const known =
    (call: (sender: Sender, id: string) => Promise<Reply>) =>
    (request: IncomingMessage, { id = '' }: Parameters) =>
      answer(request, (sender) => call(sender, id), { id });
  /** `id`: as the path names it, which a request key needs. */
  const get = async (
    request: IncomingMessage,
    read: (sender: Sender) => Promise<Present>,
    id?: string,
  ) => {
    const waitMs = waitMsOf(request.url ?? '');
    let open: string | undefined;
    const now = await answer(
      request,
      async (sender) => {
        const present = await read(sender);
        if (waitMs === undefined && present.reply.status === 200) return BAD_WAIT;
        if (!present.isOver) open = present.id;
        return present.reply;
      },
      id === undefined ? {} : { id },
    );
    // Waiting requests do not count as requests being answered.
    return open === undefined || !waitMs ? now : (await calls.wait(open, waitMs)).reply;
  };
  return [
    {
      method: 'POST',
      path: '/v1/approvals',
      handle: (request) =>
        answer(
          request,
          async (sender, body) => {
            const parsed = readRequest(request.headers['content-type'], body);
            return parsed.ok ? calls.ask(sender, parsed.value) : parsed.reply;
          },
          { limit: REQUEST_LIMIT },
        ),
    },
    {
      method: 'GET',
      path: '/v1/approvals',
      handle: (request) =>
        get(request, async (sender) => {
          const key = ownKeyIn(request.url ?? '');
          return key.ok ? calls.readByKey(sender, key.value) : { reply: key.reply, isOver: true };
        }),
    },
    {
      method: 'GET',
      path: '/v1/approvals/:id',
      handle: (request, { id = '' }) => get(request, (sender) => calls.read(sender, id), id),
    },
    {
      method: 'POST',
      path: '/v1/approvals/:id/check',
      handle: known(calls.check),
    },
    {
      method: 'POST',
      path: '/v1/approvals/:id/withdraw',
      handle: known(calls.withdraw),
    },
    ...PART_ROUTES.map(
      ({ path, read }): HttpRoute => ({
        method: 'POST',
        path,
        handle: (request, { id = '' }) =>
          answer(
            request,
            async (sender, body) => {
              const sent = read(request.headers['content-type'], body);
              return sent.ok ? calls.take(sender, id, sent.value) : sent.reply;
            },
            { id },
          ),
      }),
    ),
  ];
}

/** For a whole request, in bytes: a change of 40,000 characters fits even if every one is escaped. */
export const REQUEST_LIMIT = 512 * 1024;

export function readRequest(
  contentType: string | undefined,
  body: Buffer,
): JsonBody<ApprovalRequest> {
  return withinLimit(body, parseJsonBody(contentType, body, approvalRequest));
}

/** Everything but the change has the usual limit, counted without escapes. */
function withinLimit(
  { length }: Buffer,
  body: JsonBody<ApprovalRequest>,
): JsonBody<ApprovalRequest> {
  if (length <= BODY_LIMIT || !body.ok) return body;
  const { change: _, ...others } = body.value;
  const bytes = Buffer.byteLength(JSON.stringify(others));
  if (bytes <= BODY_LIMIT) return body;
  const sizes = Object.entries(others).map(
    ([name, value]) => ({ name, size: Buffer.byteLength(JSON.stringify(value)) }) as const,
  );
  const { name } = sizes.reduce((one, other) => (other.size > one.size ? other : one));
  const reply = tooLarge(`Beside change, the body (mostly ${name})`, BODY_LIMIT, bytes);
  return { ok: false, reply };
}

/** undefined: not a number of seconds. Capped at the maximum. */
function waitMsOf(url: string): number | undefined {
  const wait = new URL(url, 'http://gatepost').searchParams.get('wait') ?? '0';
  return /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), WAIT_MAX_S) * 1_000 : undefined;
}

const BAD_WAIT = problem({
  status: 422,
  title: 'Invalid query',
  detail: 'wait must be a whole number of seconds',
});
