import { execFile } from 'node:child_process';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { z } from 'zod';
import { emailProblem } from '../core/lib/read-email.ts';
import type { System } from '../core/lib/system.ts';
import { gateAddress } from './ask/gate-address.ts';
import { createGateClient, GateError } from './ask/gate-client.ts';
import { type Asker, askerOf, givenAsker } from './ask/requested-by.ts';
import { starterIn } from './ask/starters.ts';
import { requestInput, waitInput, withdrawInput } from './mcp-inputs.ts';
import { messageLines } from './mcp-lines.ts';
import { type Tools, toolsFor } from './mcp-tools.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

/**
 * `mcp`: tools for agents, over stdio (Model Context Protocol): people approve the exact call. Ends with its client;
 * requests stay open.
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
  { env, stdin, stdout, stderr, signal }: Terminal,
  system: System,
  version: string,
  command: Command,
): Promise<ExitCode> {
  const address = gateAddress(env);
  const given = givenAsker(env);
  const problem = address.problem ?? given?.problem;
  if (problem !== undefined) command.error(`error: ${problem}`);
  // Read now: the agent itself could change git's settings before it asks.
  const asker = given === undefined ? askerHere(env) : Promise.resolve(given);
  // Loaded here, so that other commands start fast.
  const sdk = await import('@modelcontextprotocol/server');
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const client = createGateClient({ ...address, ...system });
  // Cancels waits that nobody will read, which would keep the process alive.
  const gone = new AbortController();
  let isSaid = false;
  const requester = async () => {
    const { requestedBy, said } = await asker;
    if (said !== undefined && !isSaid) stderr.write(`${said}\n`);
    isSaid = true;
    return requestedBy;
  };
  const over = AbortSignal.any([signal, gone.signal]);
  const tools = toolsFor({ client, system, signal: over, requester });
  const lines = messageLines({
    isMessage: sdk.isSpecType.JSONRPCMessage,
    answer: (line) => stdout.write(line),
  });
  stdin.pipe(lines);
  // as: the process has this; the tests' stream is one
  const transport = new StdioServerTransport(lines, stdout as Writable);
  const serving = serveStdio(({ era }) => createServer(sdk, version, tools, era === 'modern'), {
    transport,
  });
  const { onclose } = transport;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    for (const end of ['end', 'close', 'error']) stdin.once(end, () => resolve());
    for (const end of ['close', 'error']) stdout.once(end, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await ended;
  await serving.close();
  stdin.unpipe(lines);
  stdin.pause();
  gone.abort();
  await client.close();
  return EXIT.done;
}

/** The address that git has in this folder; otherwise whoever started the run. */
async function askerHere(env: Terminal['env']): Promise<Asker> {
  const git = promisify(execFile)('git', ['config', 'user.email'], { env, timeout: GIT_MS });
  const { stdout } = await git.catch(() => ({ stdout: '' }));
  const email = stdout.trim();
  return askerOf(emailProblem(email) === null ? { email } : starterIn(env));
}

const GIT_MS = 5_000;

/** Clients of revisions up to 2025-11-25 get only the tools: their tasks were experimental. */
function createServer(sdk: Sdk, version: string, tools: Tools, hasTasks: boolean): McpServer {
  const server = new sdk.McpServer({ name: 'gatepost', version }, { instructions: INSTRUCTIONS });
  server.registerTool('request_approval', REQUEST, (given, context) =>
    tools.request(given, hasTasks && takesTasks(context)),
  );
  server.registerTool('wait_for_approval', WAIT, tools.wait);
  server.registerTool('withdraw', WITHDRAW, tools.withdraw);
  if (hasTasks) offerTasks(sdk, server, tools);
  return server;
}

/** The extension of revision 2026-07-28. A request is a task with the same id, so that any process can look it up. */
function offerTasks(sdk: Sdk, { server }: McpServer, tools: Tools): void {
  server.registerCapabilities({ extensions: TASKS });
  const calls = {
    'tasks/get': tools.readTask,
    'tasks/cancel': tools.cancelTask,
    // The client is never asked for anything.
    'tasks/update': async (id: string) => void (await tools.readTask(id)),
  };
  for (const [method, call] of Object.entries(calls)) {
    server.setRequestHandler(method, { params: taskParameters }, async ({ taskId }, context) => {
      if (!takesTasks(context)) {
        throw new sdk.MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: TASKS },
        });
      }
      return { ...(await call(taskId).catch(raise(sdk))) };
    });
  }
}

function takesTasks({ mcpReq }: ServerContext): boolean {
  return taskEnvelope.safeParse(mcpReq.envelope).success;
}

/** A failure to reach Gatepost, or a timeout, says nothing about the task. */
function raise({ ProtocolError, ProtocolErrorCode }: Sdk): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GateError)) throw error;
    const { InvalidParams, InternalError } = ProtocolErrorCode;
    const code = error.code === 'unknown' ? InvalidParams : InternalError;
    throw new ProtocolError(code, `${error.message} Nothing is approved.`);
  };
}

type Sdk = typeof import('@modelcontextprotocol/server');

const TASKS = { 'io.modelcontextprotocol/tasks': {} };

/** Sent with each request by clients that support tasks. */
const taskEnvelope = z.looseObject({
  'io.modelcontextprotocol/clientCapabilities': z.looseObject({
    extensions: z.looseObject({ 'io.modelcontextprotocol/tasks': z.looseObject({}) }),
  }),
});

const taskParameters = z.looseObject({ taskId: z.string() });

const INSTRUCTIONS =
  'Before you do something that needs a human approval: call request_approval with the exact call or diff. If its answer is no decision yet, call wait_for_approval until it says APPROVED. Do exactly what was approved, and nothing else.';

const REQUEST = {
  title: 'Ask people for an approval',
  description:
    'Asks the reviewers in Slack, and returns an id, who is asked and the link to the message before anybody has decided. Then call wait_for_approval with the id. A client with tasks gets a task, whose result is the decision.',
  inputSchema: requestInput,
};

const WAIT = {
  title: 'Wait for the decision',
  description:
    'Waits up to 50 seconds. PENDING means that nobody has decided yet, which is no denial: call it again, as often as it takes.',
  inputSchema: waitInput,
  annotations: { readOnlyHint: true, idempotentHint: true },
};

const WITHDRAW = {
  title: 'Take the request back',
  description: 'Closes a request that is no longer needed. This does not approve or reject it.',
  inputSchema: withdrawInput,
  annotations: { idempotentHint: true },
};
