import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { GateError } from '../../../../ask/contract/gate-error.ts';
import { requestInput, USUAL_WAIT_S, waitInput, withdrawInput } from './tool-inputs.ts';
import { type CallContext, NOTHING, type Tools, wordsOf } from './tools.ts';

export type Sdk = typeof import('@modelcontextprotocol/server');

/**
 * The server of one message. Clients of revisions up to 2025-11-25 get only the tools: their tasks were experimental.
 */
export function mcpServer(sdk: Sdk, version: string, tools: Tools, hasTasks: boolean): McpServer {
  const server = new sdk.McpServer({ name: 'gatepost', version }, { instructions: INSTRUCTIONS });
  server.registerTool('request_approval', REQUEST, (given, context) =>
    tools.request(given, hasTasks && takesTasks(context), callOf(context)),
  );
  server.registerTool('wait_for_approval', WAIT, (given, context) =>
    tools.wait(given, callOf(context)),
  );
  server.registerTool('withdraw', WITHDRAW, (given, context) =>
    tools.withdraw(given, callOf(context)),
  );
  if (hasTasks) offerTasks(sdk, server, tools);
  return server;
}

/** Progress is counted, because nobody knows how much is left. */
function callOf({ mcpReq }: ServerContext): CallContext {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    signal: mcpReq.signal,
    async progress(message) {
      if (progressToken === undefined || mcpReq.signal.aborted) return;
      progress += 1;
      const params = { progressToken, progress, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
  };
}

/** The extension of revision 2026-07-28. A request is a task with the same id, so that any replica can look it up. */
function offerTasks(sdk: Sdk, { server }: McpServer, tools: Tools): void {
  server.registerCapabilities({ extensions: TASKS });
  const calls = {
    'tasks/get': tools.readTask,
    'tasks/cancel': tools.cancelTask,
    // The client is never asked for anything.
    'tasks/update': tools.findTask,
  };
  for (const [method, call] of Object.entries(calls)) {
    server.setRequestHandler(method, { params: taskParameters }, async ({ taskId }, context) => {
      if (!takesTasks(context)) {
        throw new sdk.MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: TASKS },
        });
      }
      return { ...(await call(taskId, callOf(context)).catch(raise(sdk))) };
    });
  }
}

function takesTasks({ mcpReq }: ServerContext): boolean {
  return taskEnvelope.safeParse(mcpReq.envelope).success;
}

/** A failure says nothing about the task. */
function raise({ ProtocolError, ProtocolErrorCode }: Sdk): (error: unknown) => never {
  return (error) => {
    const words = wordsOf(error);
    if (words === undefined) throw error;
    const { InvalidParams, InternalError } = ProtocolErrorCode;
    const isUnknown = error instanceof GateError && error.code === 'unknown';
    throw new ProtocolError(isUnknown ? InvalidParams : InternalError, `${words} ${NOTHING}`);
  };
}

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
  description: `Waits up to ${USUAL_WAIT_S} seconds. PENDING means that nobody has decided yet, which is no denial: call it again, as often as it takes.`,
  inputSchema: waitInput,
  annotations: { readOnlyHint: true, idempotentHint: true },
};

const WITHDRAW = {
  title: 'Take the request back',
  description: 'Closes a request that is no longer needed. This does not approve or reject it.',
  inputSchema: withdrawInput,
  annotations: { idempotentHint: true },
};
