import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { z } from 'zod';
import { type ApprovalRequest, change, WAIT_MAX_S } from '../approvals/intake-contract.ts';
import type { System } from '../core/lib/system.ts';
import { gateAddress } from './ask/gate-address.ts';
import {
  createGateClient,
  type GateClient,
  type GateDetails,
  GateError,
} from './ask/gate-client.ts';
import { decidedBy } from './ask/screen.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

/**
 * `mcp`: tools for agents, over stdio (Model Context Protocol): people approve the exact call. It ends with its
 * client; what was asked stays open.
 */
export function addMcp(
  program: Command,
  terminal: Terminal,
  system: System,
  version: string,
  onEnd: (code: ExitCode) => void,
): void {
  program
    .command('mcp')
    .description(
      'offer approvals to agents over stdio (Model Context Protocol); needs what ask needs',
    )
    .action(async (_options: object, command: Command) =>
      onEnd(await serveTools(terminal, system, version, command)),
    );
}

async function serveTools(
  { env, stdin, stdout, signal }: Terminal,
  system: System,
  version: string,
  command: Command,
): Promise<ExitCode> {
  const address = gateAddress(env);
  if (address.problem !== undefined) command.error(`error: ${address.problem}`);
  // Other commands do without it, and are there at once.
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const client = createGateClient({ ...address, ...system });
  const server = new McpServer({ name: 'gatepost', version }, { instructions: INSTRUCTIONS });
  // Nobody reads any more what is waited for, and a call would keep the process alive.
  const gone = new AbortController();
  const tools = toolsFor(client, system, AbortSignal.any([signal, gone.signal]));
  server.registerTool('request_approval', REQUEST, tools.request);
  server.registerTool('wait_for_approval', WAIT, tools.wait);
  server.registerTool('withdraw', WITHDRAW, tools.withdraw);
  // as: a process has these; tests have streams that are both
  const transport = new StdioServerTransport(stdin as Readable, stdout as Writable);
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    for (const end of ['end', 'close', 'error']) stdin.once(end, () => resolve());
    for (const end of ['close', 'error']) stdout.once(end, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(transport);
  await ended;
  await server.close();
  gone.abort();
  await client.close();
  return EXIT.done;
}

const INSTRUCTIONS =
  'Before you do something that needs a human approval: call request_approval with the exact call or diff, then wait_for_approval until it says APPROVED. Do exactly what was approved, and nothing else.';

const REQUEST = {
  title: 'Ask people for an approval',
  description:
    'Asks the reviewers in Slack, and returns an id at once, before anybody has decided. Then call wait_for_approval with it.',
  inputSchema: {
    title: z.string().min(1).describe('What you want to do, in a line'),
    change: change.describe(
      'Exactly what is approved: the whole call with its arguments, or the diff. Shown as it is',
    ),
    message: z.string().optional().describe('Why, and what the reviewers should know'),
    reviewers: z
      .array(z.string().regex(/^[UWS][A-Z0-9]{2,}$/))
      .optional()
      .describe(
        'Slack ids of people (U…) or groups (S…), if only some of the reviewers are to be asked',
      ),
    key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A name of your own: the same name with the same content is the same request'),
    timeoutSeconds: z.int().min(10).max(2_592_000).optional().describe('86400 without it'),
  },
};

const WAIT = {
  title: 'Wait for the decision',
  description:
    'Waits up to 50 seconds. PENDING means that nobody has decided yet, which is no denial: call it again, as often as it takes.',
  inputSchema: {
    id: z.string().min(1).describe('As request_approval returned it'),
    seconds: z.int().min(1).max(WAIT_MAX_S).optional().describe('How long at most; 50 without it'),
  },
  annotations: { readOnlyHint: true, idempotentHint: true },
};

const WITHDRAW = {
  title: 'Take the request back',
  description: 'Closes a request that is no longer needed. This does not approve or reject it.',
  inputSchema: { id: z.string().min(1) },
  annotations: { idempotentHint: true },
};

const DAY_S = 86_400;
/** How often a call that does not reach Gatepost is made, and the waits between. */
const TRIES = 5;
const RETRY_MS = 1_000;

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

function toolsFor(client: GateClient, system: System, signal: AbortSignal) {
  const { clock, timers, random } = system;

  /** Every call can be made again. */
  async function patiently<T>(call: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const isLater = error instanceof GateError && error.code === 'unreached';
        if (!isLater || tries === TRIES) throw error;
        await timers.sleep(Math.max(RETRY_MS * tries, error.retryAfterMs), signal);
      }
    }
  }

  return {
    request: (given: RequestArguments) =>
      told(async () => {
        const { title, change, message, reviewers, key, timeoutSeconds = DAY_S } = given;
        const request: ApprovalRequest = {
          key: key ?? `agent-${random.uuid()}`,
          title,
          change,
          ...(message !== undefined && { message }),
          ...(reviewers !== undefined && { reviewers: reviewersOf(reviewers) }),
          expiresAt: new Date(clock.now() + timeoutSeconds * 1_000).toISOString(),
        };
        const { id, status } = await patiently(() => client.ask(request, signal));
        // Slack may take by now what it refused before.
        if (status === 'BLOCKED') await patiently(() => client.check(id, signal));
        const text =
          status === 'PENDING'
            ? `Asked, with the id ${id}. Nobody has decided yet: call wait_for_approval with it.`
            : `Already requested, with the id ${id}. Status: ${status}. Call wait_for_approval with this id for the details.`;
        return said({ id, status }, text);
      }),

    wait: ({ id, seconds = WAIT_MAX_S }: WaitArguments) =>
      told(async () => {
        const details = await patiently(() => client.read(id, seconds, signal)).catch(whenAway);
        if (details === undefined) {
          const text =
            'Gatepost cannot be reached just now, so it is not known whether anybody decided. This is no denial and no approval: call wait_for_approval again.';
          return said({ id, status: 'PENDING' }, text);
        }
        const { status, outcome, digest, permalink } = details;
        const facts = { id, status, by: outcome?.by ?? [], digest, permalink: permalink ?? null };
        return said(facts, sentenceFor(details));
      }),

    withdraw: ({ id }: { readonly id: string }) =>
      told(async () => {
        const { status } = await patiently(() => client.withdraw(id, signal));
        return said({ id, status }, `The request is ${status} now.`);
      }),
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
      return 'TIMED_OUT: nobody decided in time. It is not approved.';
    case 'WITHDRAWN':
      return 'WITHDRAWN. It is not approved.';
    case 'BLOCKED':
      return 'BLOCKED: Slack refuses the message, so nobody can be asked now. It is not approved. A Gatepost administrator can fix it.';
    default:
      return 'PENDING: nobody has decided yet. This is no denial: call wait_for_approval again.';
  }
}

function reviewersOf(ids: readonly string[]): NonNullable<ApprovalRequest['reviewers']> {
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

/** What is refused, or not reached, is an answer that says so: never an approval. */
async function told(call: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const text = `${error.message} Nothing is approved.`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}
