import type { RequestedBy } from '../../../../ask/contract/approval-body.ts';
import { type ApprovalDetails, ONLY_REQUESTER } from '../../../../ask/contract/approval-details.ts';
import {
  decidedBy,
  NOBODY_ELSE,
  OWN_APPROVAL,
  openText,
} from '../../../../ask/contract/details-text.ts';
import { GateError } from '../../../../ask/contract/gate-error.ts';
import { patiently } from '../../../../ask/contract/patiently.ts';
import { reviewersNamed } from '../../../../ask/contract/reviewers-named.ts';
import type { System } from '../../../core/lib/system.ts';
import { type Store, StoreError } from '../../../core/store/store.ts';
import { barIn } from '../../electorate/bar-seen.ts';
import type { ApprovalRequest } from '../approval-request.ts';
import {
  claimOf,
  type Handle,
  handleText,
  isForOneCall,
  isUnreceived,
  keysFor,
  newHandle,
  noteReceived,
  readHandle,
} from './one-call.ts';
import type { OwnGate } from './own-gate.ts';
import { USUAL_WAIT_S } from './tool-inputs.ts';

const DAY_S = 86_400;
/** How often a call is tried while Gatepost cannot answer. */
const TRIES = 4;
/** How often a client hears that it still waits, if it wants to: proxies cut connections without any news. */
const PROGRESS_MS = 10_000;

interface WaitArguments {
  readonly id: string;
  readonly seconds?: number | undefined;
}

interface RequestArguments {
  readonly title: string;
  readonly change: string;
  readonly message?: string | undefined;
  readonly reviewers?: string[] | undefined;
  readonly key?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export type Tools = ReturnType<typeof toolsFor>;

export interface ToolsNeeds {
  readonly gate: OwnGate;
  readonly store: Store;
  readonly system: System;
  /** Who asks; undefined: nobody knows. */
  readonly requestedBy: RequestedBy | undefined;
  /** Tells apart what different people and runs ask for with the same words. */
  readonly scope: unknown;
  readonly isStopping: () => boolean;
  /** What the agent is told after an unexpected error. */
  readonly onError: (error: unknown) => string;
}

/** A call, as its client sees it. */
export interface CallContext {
  /** Fires when the client has left or cancelled. */
  readonly signal: AbortSignal;
  /** Says what is waited for; does nothing if the client does not want to know. */
  readonly progress: (message: string) => Promise<void>;
}

/** The tools, also used to implement tasks. Nothing is kept between calls: any replica can answer the next one. */
export function toolsFor(needs: ToolsNeeds) {
  const { gate, store, system, requestedBy, scope, isStopping } = needs;
  const { clock, timers, random } = system;

  const tried = <T>(signal: AbortSignal, call: () => Promise<T>) =>
    patiently(call, { timers, signal, isStopping, tries: TRIES });

  /** The request of a key of the agent's own, or one whose approval is for this call. */
  async function ask(
    request: Omit<ApprovalRequest, 'key'>,
    given: string | undefined,
    content: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Handle & { readonly status: string }> {
    if (given !== undefined) {
      const { id, status } = await tried(signal, () => gate.ask({ ...request, key: given }));
      return { id, call: '', status };
    }
    for (const key of keysFor(content, random)) {
      const asked = await tried(signal, () => gate.ask({ ...request, key })).catch(whenOther);
      if (asked === undefined) continue;
      const { id, status, isNew } = asked;
      const details = isNew ? undefined : await tried(signal, () => gate.read(id));
      const isOurs = !details?.final || (await isUnreceived(store, details));
      if (isOurs) return { ...newHandle(id, random), status };
    }
    throw new Error('the last key was used before');
  }

  /** The result of a request that has ended. An approval is handed out once it is claimed. */
  async function ended(handle: Handle, details: ApprovalDetails, signal: AbortSignal) {
    // Nobody would receive it: the same call made again can.
    if (signal.aborted) throw new GateError('aborted', INTERRUPTED);
    const facts = factsOf(handle, details);
    if (details.ownApproval) {
      return said(
        { ...facts, status: 'USED', approved: false, by: [] },
        `${OWN_APPROVAL} ${NOTHING}`,
      );
    }
    if (isForOneCall(details)) {
      const { id, status } = details;
      if (status !== 'APPROVED') await noteReceived(store, id);
      else {
        const why = await tried(signal, () => gate.claim(id, claimOf(handle)));
        if (why !== undefined) {
          return said({ ...facts, status: 'USED', approved: false, by: [] }, usedText(why));
        }
      }
    }
    return said(facts, sentenceFor(details));
  }

  async function taskOf(handle: Handle, details: ApprovalDetails, signal: AbortSignal) {
    if (!details.final) return openTask(handle, details);
    const result = await ended(handle, details, signal);
    return details.status === 'WITHDRAWN'
      ? openTask(handle, details)
      : endedTask(handle, details, result);
  }

  /** Final or BLOCKED, or as it is after so many seconds. */
  async function waitFor(
    id: string,
    seconds: number,
    { signal, progress }: CallContext,
  ): Promise<ApprovalDetails> {
    const endAt = clock.monotonic() + seconds * 1_000;
    let details = await tried(signal, () => gate.read(id));
    for (;;) {
      const leftMs = endAt - clock.monotonic();
      const isOver = details.final || details.status === 'BLOCKED';
      if (isOver || leftMs <= 0 || isStopping() || signal.aborted) return details;
      await progress(progressOf(details));
      const waitMs = Math.min(leftMs, PROGRESS_MS);
      details = await tried(signal, () => gate.read(id, waitMs));
    }
  }

  /** The same call made again asks anew. */
  async function withdraw(text: string, { signal }: CallContext): Promise<string> {
    const { id } = readHandle(text);
    // Before that, it is not known whether there is such a request.
    await tried(signal, () => gate.read(id));
    const { status } = await tried(signal, () => gate.withdraw(id));
    if (status === 'WITHDRAWN') await noteReceived(store, id);
    return status;
  }

  /** A refusal or failure is reported as text, and never as an approval. */
  async function told(
    { signal }: CallContext,
    call: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    try {
      return await call();
    } catch (error) {
      const words = signal.aborted ? INTERRUPTED : (wordsOf(error) ?? needs.onError(error));
      return { content: [{ type: 'text', text: `${words} ${NOTHING}` }], isError: true };
    }
  }

  return {
    request: (given: RequestArguments, isTask: boolean, context: CallContext) =>
      told(context, async () => {
        const { title, change, message, key, timeoutSeconds = DAY_S } = given;
        const { signal } = context;
        const reviewers = given.reviewers && reviewersNamed(given.reviewers);
        const request = {
          title,
          change,
          ...(message !== undefined && { message }),
          ...(reviewers !== undefined && { reviewers }),
          ...(requestedBy !== undefined && { requestedBy }),
          expiresAt: new Date(store.now() + timeoutSeconds * 1_000).toISOString(),
        };
        const content = [scope, title, change, message, reviewers, requestedBy];
        const { status, ...handle } = await ask(request, key, content, signal);
        const { id } = handle;
        // Slack may accept by now what it refused before.
        if (status === 'BLOCKED') await tried(signal, () => gate.check(id));
        const requested = `Requested, with the id ${textOf(handle)}.`;
        const details = await gate.read(id, POSTING_MS).catch(whenAway);
        if (details === undefined) {
          return said(
            { id: textOf(handle), status, approved: false },
            `${requested} Call wait_for_approval with it.`,
          );
        }
        if (details.final) {
          const { content, ...result } = await ended(handle, details, signal);
          const text = content.map((each) => `${requested} ${each.text}`).join('');
          return { ...result, content: [{ type: 'text', text }] };
        }
        // The SDK would add the content, which task results do not have.
        if (isTask) return { content: [], resultType: 'task', ...openTask(handle, details) };
        const next = 'Nobody has decided yet: call wait_for_approval with it.';
        return said(factsOf(handle, details), `${requested} ${next} ${progressOf(details)}`);
      }),

    wait: ({ id: text, seconds = USUAL_WAIT_S }: WaitArguments, context: CallContext) =>
      told(context, async () => {
        const handle = readHandle(text);
        const details = await waitFor(handle.id, seconds, context).catch(whenAway);
        if (details === undefined) {
          const facts = { id: text, status: 'PENDING', approved: false };
          return said(facts, `${AWAY} Call wait_for_approval again.`);
        }
        if (details.final) return ended(handle, details, context.signal);
        return said(factsOf(handle, details), sentenceFor(details));
      }),

    withdraw: ({ id: text }: { readonly id: string }, context: CallContext) =>
      told(context, async () => {
        const status = await withdraw(text, context);
        return said({ id: text, status }, `The request is ${status} now.`);
      }),

    async readTask(taskId: string, { signal }: CallContext): Promise<Task> {
      const handle = readHandle(taskId);
      const details = await tried(signal, () => gate.read(handle.id));
      return taskOf(handle, details, signal);
    },

    /** Throws if there is no such task. */
    async findTask(taskId: string, { signal }: CallContext): Promise<void> {
      await tried(signal, () => gate.read(readHandle(taskId).id));
    },

    async cancelTask(taskId: string, context: CallContext): Promise<void> {
      await withdraw(taskId, context);
    },
  };
}

/** In words for the agent; undefined: it was not expected. */
export function wordsOf(error: unknown): string | undefined {
  if (error instanceof GateError) return error.message;
  return error instanceof StoreError ? 'Gatepost cannot answer now: its store failed.' : undefined;
}

/** Another request has this key, or this one cannot be asked for any more: the next key is another one. */
function whenOther(error: unknown): undefined {
  if (error instanceof GateError && error.status === 409) return undefined;
  throw error;
}

const INTERRUPTED = 'The call was interrupted.';
export const NOTHING = 'Nothing is approved.';

function usedText(why: string): string {
  return `It was approved, but not for this call: ${why}. To ask again, call request_approval. ${NOTHING}`;
}

const AWAY =
  'Gatepost cannot answer just now, so it is not known whether anybody decided. This is no denial and no approval.';

/** How long to wait for the message, so that its address is known. */
const POSTING_MS = 2_000;

const POLL_MS = 5_000;

/** According to the extension for tasks (revision 2026-07-28). */
interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'completed' | 'cancelled';
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Gatepost ends it. */
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
  readonly result?: ToolResult;
}

function openTask(handle: Handle, details: ApprovalDetails): Task {
  const { status, createdAt, withdrawnAt, ballots, outcome } = details;
  const isWithdrawn = status === 'WITHDRAWN';
  return {
    taskId: textOf(handle),
    status: isWithdrawn ? 'cancelled' : 'working',
    statusMessage: isWithdrawn ? sentenceFor(details) : progressOf(details),
    createdAt,
    lastUpdatedAt: outcome?.resolvedAt ?? withdrawnAt ?? ballots.at(-1)?.at ?? createdAt,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

/** A rejection is a result like an approval: after an error, clients would try again or another way. */
function endedTask(handle: Handle, details: ApprovalDetails, ended: ToolResult): Task {
  const statusMessage = ended.content.map(({ text }) => text).join(' ');
  const result = { resultType: 'complete', ...ended };
  return { ...openTask(handle, details), status: 'completed', statusMessage, result };
}

function progressOf(details: ApprovalDetails): string {
  const line = openText(details);
  return details.permalink === undefined ? line : `${line}: ${details.permalink}`;
}

/** The id alone, of a request with a key of the agent's own. */
function textOf(handle: Handle): string {
  return handle.call === '' ? handle.id : handleText(handle);
}

function factsOf(handle: Handle, details: ApprovalDetails): Record<string, unknown> {
  const { status, key, outcome, digest, permalink, reviewers, names } = details;
  return {
    id: textOf(handle),
    key: key ?? null,
    status,
    approved: status === 'APPROVED',
    by: outcome?.by ?? [],
    digest,
    permalink: permalink ?? null,
    reviewers: reviewers ?? null,
    names: names ?? {},
  };
}

function whenAway(error: unknown): undefined {
  if (error instanceof GateError && error.code === 'unreached') return undefined;
  throw error;
}

function sentenceFor(details: ApprovalDetails): string {
  const { status, ballots } = details;
  const by = decidedBy(details);
  const reasons = ballots.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const why = reasons.length === 0 ? '' : ` Their words: ${reasons.join(' / ')}`;
  switch (status) {
    case 'APPROVED':
      return `APPROVED${by}. Do exactly what was approved, and nothing else.${why}`;
    case 'REJECTED':
      return `REJECTED${by}. Do not do it, and do not try it in another way.${why}`;
    case 'TIMED_OUT':
      return 'TIMED_OUT: nobody decided in time. It is neither approved nor rejected.';
    case 'WITHDRAWN':
      return 'WITHDRAWN. It is not approved.';
    case 'BLOCKED':
      if (details.blocked === ONLY_REQUESTER) return `BLOCKED. ${NOBODY_ELSE} It is not approved.`;
      return 'BLOCKED: Slack refuses the message, so nobody can be asked now. It is not approved. A Gatepost administrator can fix it.';
    default: {
      const bar = barIn(details);
      if (bar === undefined)
        return 'PENDING: nobody has decided yet. This is no denial: call wait_for_approval again.';
      const { until, why } = bar;
      return `PENDING: closed until ${until}: ${why}. This is no denial: call wait_for_approval again.`;
    }
  }
}

interface ToolResult {
  [name: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

function said(facts: Record<string, unknown>, text: string): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent: facts };
}
