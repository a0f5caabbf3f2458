import { ONLY_REQUESTER } from '../approvals/electorate/requester.ts';
import type { ApprovalRequest } from '../approvals/ways-in/approval-request.ts';
import { WAIT_MAX_S } from '../approvals/ways-in/approval-view.ts';
import type { System } from '../core/lib/system.ts';
import { type GateClient, type GateDetails, GateError } from './ask/gate-client.ts';
import type { People } from './ask/option-values.ts';
import { patiently } from './ask/patiently.ts';
import type { RequestedBy } from './ask/requested-by.ts';
import { decidedBy, NOBODY_ELSE, textOf } from './ask/screen.ts';

const DAY_S = 86_400;

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

interface ToolsNeeds {
  readonly client: GateClient;
  readonly system: System;
  readonly signal: AbortSignal;
  /** Who asks; undefined: nobody knows. */
  readonly requester: () => Promise<RequestedBy | undefined>;
}

/** The tools, also used to implement tasks. */
export function toolsFor({ client, system, signal, requester }: ToolsNeeds) {
  const { clock, timers, random } = system;
  /** As last read: the answer while Gatepost is unavailable. */
  const tasks = new Map<string, Task>();

  const tried = <T>(call: () => Promise<T>) => patiently(call, { timers, signal });

  function noteTask(details: GateDetails): Task {
    const task = taskOf(details);
    tasks.set(task.taskId, task);
    return task;
  }

  async function readTask(id: string): Promise<Task> {
    const known = tasks.get(id);
    const read = () => client.read(id, 0, signal);
    if (known?.status !== 'working') return noteTask(await tried(read));
    const details = await read().catch(whenAway);
    return details === undefined ? { ...known, statusMessage: AWAY } : noteTask(details);
  }

  return {
    request: (given: RequestArguments, isTask: boolean) =>
      told(async () => {
        const { title, change, message, reviewers, key, timeoutSeconds = DAY_S } = given;
        const requestedBy = await requester();
        const request: ApprovalRequest = {
          key: key ?? `agent-${random.uuid()}`,
          title,
          change,
          ...(message !== undefined && { message }),
          ...(reviewers !== undefined && { reviewers: reviewersOf(reviewers) }),
          ...(requestedBy !== undefined && { requestedBy }),
          expiresAt: new Date(clock.now() + timeoutSeconds * 1_000).toISOString(),
        };
        const { id, status } = await tried(() => client.ask(request, signal));
        // Slack may accept by now what it refused before.
        if (status === 'BLOCKED') await tried(() => client.check(id, signal));
        const details = await client.read(id, POSTING_S, signal).catch(whenAway);
        const requested = `Requested, with the id ${id}.`;
        if (details === undefined) {
          return said({ id, status }, `${requested} Call wait_for_approval with it.`);
        }
        if (details.final) return said(factsOf(details), `${requested} ${sentenceFor(details)}`);
        // The SDK would add the content, which task results do not have.
        if (isTask) return { content: [], resultType: 'task', ...noteTask(details) };
        const next = 'Nobody has decided yet: call wait_for_approval with it.';
        return said(factsOf(details), `${requested} ${next} ${progressOf(details)}`);
      }),

    wait: ({ id, seconds = WAIT_MAX_S }: WaitArguments) =>
      told(async () => {
        const details = await tried(() => client.read(id, seconds, signal)).catch(whenAway);
        return details === undefined
          ? said(
              { id, status: 'PENDING', approved: false },
              `${AWAY} Call wait_for_approval again.`,
            )
          : said(factsOf(details), sentenceFor(details));
      }),

    withdraw: ({ id }: { readonly id: string }) =>
      told(async () => {
        const { status } = await tried(() => client.withdraw(id, signal));
        return said({ id, status }, `The request is ${status} now.`);
      }),

    readTask,

    async cancelTask(id: string): Promise<void> {
      await tried(() => client.read(id, 0, signal));
      await tried(() => client.withdraw(id, signal));
    },
  };
}

const AWAY =
  'Gatepost cannot be reached just now, so it is not known whether anybody decided. This is no denial and no approval.';

/** How long to wait for the message, so that its address is known. */
const POSTING_S = 2;

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

/** A rejection is a result like an approval: after an error, clients would try again or another way. */
function taskOf(details: GateDetails): Task {
  const { id, status, final, createdAt, withdrawnAt, ballots, outcome } = details;
  const task = {
    taskId: id,
    createdAt,
    lastUpdatedAt: outcome?.resolvedAt ?? withdrawnAt ?? ballots.at(-1)?.at ?? createdAt,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  if (!final) return { ...task, status: 'working', statusMessage: progressOf(details) };
  const statusMessage = sentenceFor(details);
  if (status === 'WITHDRAWN') return { ...task, status: 'cancelled', statusMessage };
  const result = { resultType: 'complete', ...said(factsOf(details), statusMessage) };
  return { ...task, status: 'completed', statusMessage, result };
}

function progressOf(details: GateDetails): string {
  const line = textOf(details);
  return details.permalink === undefined ? line : `${line}: ${details.permalink}`;
}

function factsOf(details: GateDetails): Record<string, unknown> {
  const { id, status, outcome, digest, permalink, reviewers, names } = details;
  return {
    id,
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

function sentenceFor(details: GateDetails): string {
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
    default:
      if (details.closed !== undefined) {
        const { until, why } = details.closed;
        return `PENDING: closed until ${until}: ${why}. Nobody can approve before that. This is no denial.`;
      }
      return 'PENDING: nobody has decided yet. This is no denial: call wait_for_approval again.';
  }
}

function reviewersOf(ids: readonly string[]): People {
  const groups = ids.filter((id) => id.startsWith('S'));
  return { users: ids.filter((id) => !id.startsWith('S')), groups };
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

/** A refusal or failure is reported as text, and never as an approval. */
async function told(call: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const text = `${error.message} Nothing is approved.`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}
