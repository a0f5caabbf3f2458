import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  StdioClientTransport,
  type StdioServerParameters,
} from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FormerHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect } from 'vitest';

/** What a tool answered. */
interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

interface Heard {
  readonly onprogress?: (news: { readonly message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
}

const SELF = { name: 'test', version: '1' };
const PATIENCE = { timeout: 300_000 };

/** The official clients: of revision 2026-07-28, and of those before it. */
const CLIENTS = {
  async current(server: Server) {
    const client = new Client(SELF, { versionNegotiation: { mode: 'auto' } });
    await client.connect(
      'url' in server
        ? new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), requestOf(server))
        : new StdioClientTransport(server),
    );
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    return {
      list: () => client.listTools(),
      call: (tool: Call, heard: Heard) => client.callTool(tool, { ...PATIENCE, ...heard }),
      close: () => client.close(),
    };
  },
  async former(server: Server) {
    const client = new FormerClient(SELF);
    const transport =
      'url' in server
        ? new FormerHttp(new URL(`${server.url}/mcp`), requestOf(server))
        : new FormerStdio(server);
    // as: its own types do not allow exactOptionalPropertyTypes
    await client.connect(transport as Transport);
    return {
      list: () => client.listTools(),
      call: (tool: Call, heard: Heard) =>
        client.callTool(tool, undefined, { ...PATIENCE, ...heard }),
      close: () => client.close(),
    };
  },
};

export type Generation = keyof typeof CLIENTS;
export const GENERATIONS: readonly Generation[] = ['current', 'former'];

interface HttpServer {
  readonly url: string;
  readonly headers: Record<string, string>;
}

type Server = HttpServer | StdioServerParameters;

function requestOf({ headers }: HttpServer) {
  return { requestInit: { headers } };
}

/** An agent with a server over stdio, or at an address. */
export async function connectAgent(of: Generation, server: Server) {
  const client = await CLIENTS[of](server);
  return {
    tools: async () => (await client.list()).tools.map(({ name }) => name),
    async call(name: string, args: Record<string, unknown>, heard: Heard = {}): Promise<Said> {
      const answer = await client.call({ name, arguments: args }, heard);
      // as: our tools answer with one text
      const [content] = answer.content as [{ text: string }];
      const facts = (answer.structuredContent ?? {}) as Record<string, unknown>;
      return { text: content.text, isError: answer.isError === true, facts };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
