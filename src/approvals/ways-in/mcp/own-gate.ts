import type * as z from 'zod';
import {
  type ApprovalDetails,
  type ApprovalSummary,
  approvalDetails,
  approvalSummary,
} from '../../../../ask/contract/approval-details.ts';
import { GateError, problemWords } from '../../../../ask/contract/gate-error.ts';
import type { Reply } from '../../../core/http/reply.ts';
import type { ApprovalRequest } from '../approval-request.ts';
import { takesOf } from '../contract-parts.ts';
import { readRequest } from '../intake.ts';
import type { IntakeCalls } from '../intake-calls.ts';
import type { Sender } from '../sender.ts';

/** The intake, as the tools of one sender use it. Every call is safe to repeat, and throws GateError. */
export interface OwnGate {
  ask(request: ApprovalRequest): Promise<ApprovalSummary & { readonly isNew: boolean }>;
  /** Answers when it is final or BLOCKED, or after `waitMs`. */
  read(id: string, waitMs?: number): Promise<ApprovalDetails>;
  check(id: string): Promise<void>;
  withdraw(id: string): Promise<ApprovalSummary>;
  /** The words why not, if another run has the approval; undefined: it is claimed. */
  claim(id: string, claim: string): Promise<string | undefined>;
}

export function ownGate(calls: IntakeCalls, sender: Sender): OwnGate {
  return {
    async ask(request) {
      const read = readRequest('application/json', Buffer.from(JSON.stringify(request)));
      const reply = read.ok ? await calls.ask(sender, read.value) : read.reply;
      return { ...valueIn(reply, approvalSummary), isNew: reply.status === 202 };
    },
    async read(id, waitMs = 0) {
      const now = await calls.read(sender, id);
      const { reply } = now.isOver || waitMs === 0 ? now : await calls.wait(id, waitMs);
      return valueIn(reply, approvalDetails);
    },
    async check(id) {
      valueIn(await calls.check(sender, id), approvalSummary);
    },
    withdraw: async (id) => valueIn(await calls.withdraw(sender, id), approvalSummary),
    async claim(id, claim) {
      for (const take of takesOf({ state: 'running', text: HANDED_OUT, claim })) {
        const reply = await calls.take(sender, id, take);
        if (reply.status === 409) return wordsIn(reply);
        valueIn(reply, approvalDetails);
      }
      return undefined;
    },
  };
}

const HANDED_OUT = 'The agent got the approval. How it ends is not reported.';

function valueIn<Schema extends z.ZodType>(reply: Reply, schema: Schema): z.output<Schema> {
  const { status, headers, body } = reply;
  if (status < 300) return schema.parse(JSON.parse(body));
  const words = wordsIn(reply);
  if (status === 429 || status >= 500) {
    const retryAfterMs = Number(headers['retry-after'] ?? 0) * 1_000;
    const message = `Gatepost cannot answer now (${status}): ${words}.`;
    throw new GateError('unreached', message, { retryAfterMs, status });
  }
  const message = `Gatepost refused the request (${status}): ${words}.`;
  throw new GateError(status === 404 ? 'unknown' : 'refused', message, { status });
}

function wordsIn({ status, body }: Reply): string {
  return (problemWords(JSON.parse(body), status) ?? String(status)).replace(/\.$/, '');
}
