/**
 * A gate that is one address, for tools that can only call one: the first call of an attempt asks people, every further
 * one answers, and the status is the answer. `POST` asks; `GET` only answers.
 */

import type { IncomingMessage } from 'node:http';
import { sourceDoor } from '../../../core/http/from-source.ts';
import { problem } from '../../../core/http/problem.ts';
import type { Reply } from '../../../core/http/reply.ts';
import type { Route as HttpRoute, Parameters } from '../../../core/http/router.ts';
import { isLoopback } from '../../../core/lib/loopback.ts';
import { whenStoreFails } from '../../../core/report-route.ts';
import { decodeApproval } from '../../stored-approval.ts';
import { TOO_MANY } from '../add-requester.ts';
import { readRequest } from '../intake.ts';
import {
  CHANGED,
  endsWait,
  type IntakeCalls,
  type IntakeCore,
  intakeCalls,
} from '../intake-calls.ts';
import type { Sender } from '../sender.ts';
import { NOT_FOUND } from '../source-requests.ts';
import { askedWith, findAttempt } from './attempt.ts';
import { answerFor, changedReply } from './gate-answer.ts';
import { type GateCall, readCall } from './gate-call.ts';

/** Its routes, also with a secret in the path. */
export function gateRoutes(core: IntakeCore): HttpRoute[] {
  const calls = intakeCalls(core);
  const door = sourceDoor(core);

  const handle = async (
    request: IncomingMessage,
    { name = '', secret }: Parameters,
    isAsking: boolean,
  ): Promise<Reply> => {
    if (secret !== undefined && !isPrivate(request)) return IN_THE_OPEN;
    const query = new URL(request.url ?? '', 'http://gatepost').searchParams;
    let waiting: Waiting | undefined;
    const now = await door(
      request,
      async (sender, body) => {
        const read = readCall(name, query, isAsking ? body : undefined, core.store.now());
        if ('refused' in read) return read.refused;
        const call = { ...read.call, name, isAsking };
        const answer = await answerCall(core, calls, sender, call).catch(whenStoreFails);
        if ('status' in answer) return answer;
        waiting = { id: answer.id, ...read.call };
        return answer.reply;
      },
      { limit: BODY_LIMIT, pathSecret: secret },
    );
    // Waiting calls do not count as requests being answered.
    return waiting === undefined || waiting.waitMs === 0 ? now : afterWait(waiting);
  };

  async function afterWait({ id, waitMs, forMs }: Waiting): Promise<Reply> {
    try {
      await calls.wait(id, waitMs);
      const record = await core.store.read(id);
      return record === undefined
        ? NOT_FOUND
        : await answerFor(core, id, decodeApproval(record), forMs);
    } catch (error) {
      return whenStoreFails(error);
    }
  }

  return ['/v1/gates/:name', '/v1/gates/:secret/:name'].flatMap((path) => [
    { method: 'POST', path, handle: (request, parameters) => handle(request, parameters, true) },
    { method: 'GET', path, handle: (request, parameters) => handle(request, parameters, false) },
  ]) satisfies HttpRoute[];
}

interface Waiting extends Pick<GateCall, 'waitMs' | 'forMs'> {
  readonly id: string;
}

interface NamedCall extends GateCall {
  readonly name: string;
  readonly isAsking: boolean;
}

/** A body that can be shown whole has at most 40,000 characters. */
const BODY_LIMIT = 256 * 1024;

/** The answer, or of an undecided request also its id, so that the caller can wait. */
async function answerCall(
  core: IntakeCore,
  calls: IntakeCalls,
  sender: Sender,
  { name, attempt, request, ...call }: NamedCall,
): Promise<Reply | { readonly id: string; readonly reply: Reply }> {
  const found = await findAttempt(core, sender, JSON.stringify([name, attempt]), call);
  if (call.isAsking) {
    // As the intake reads it: an address without what mail programs write around it.
    const sent = readRequest(
      'application/json',
      Buffer.from(JSON.stringify({ ...request, key: found.key })),
    );
    if (!sent.ok) return sent.reply;
    const taken = await calls.ask(sender, sent.value);
    if (taken === CHANGED.key) return changedReply(OTHER_CONTENT);
    if (taken === TOO_MANY) return changedReply(TOO_MANY_ASK);
    if (taken.status === 409) return changedReply(OTHER_REQUESTER);
    if (taken.status >= 300) return taken;
  }
  // What was found may be older than what was just asked or added.
  const asked = call.isAsking ? await askedWith(core, sender, found.key) : found.asked;
  if (asked === undefined) return NOT_FOUND;
  const reply = await answerFor(core, asked.id, asked.approval, call.forMs);
  return endsWait(asked.approval) ? reply : { id: asked.id, reply };
}

const OTHER_CONTENT =
  'This attempt was asked with other content, and its answer is not good for this one. Name another attempt.';
const TOO_MANY_ASK = 'Too many people have asked in this attempt. Name another attempt.';
const OTHER_REQUESTER =
  'This attempt was, or may have been, approved by the person who asks for it now. Name another attempt.';

/** A secret in a path must not travel in the open. A proxy says how it was called. */
function isPrivate({ socket, headers }: IncomingMessage): boolean {
  const proto = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim();
  if (proto !== undefined && proto !== '') return proto.toLowerCase() === 'https';
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return isLoopback(address.includes(':') ? `[${address}]` : address);
}

const IN_THE_OPEN = problem({
  status: 403,
  title: 'Forbidden',
  detail:
    'A secret in the path is accepted over https only (the proxy in front says so with X-Forwarded-Proto), or from this machine. Change it: it was sent in the open',
});
