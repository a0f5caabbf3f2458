import type { Sandbox } from '../../sandbox.ts';

export interface Given {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** null: not JSON. */
  readonly json: unknown;
}

export interface Question {
  readonly method?: string;
  readonly body?: unknown;
  /** Default: the one the operation accepts; null: none. */
  readonly credential?: string | null;
  readonly contentType?: string;
}

/** Calls the sandbox's service like a client that knows only the interface. */
export async function askService(
  sandbox: Sandbox,
  path: string,
  { method, body, credential, contentType = 'application/json' }: Question = {},
): Promise<Given> {
  const { apiKey, scimToken } = sandbox.credentials;
  const usual = path.startsWith('/api/scim/') ? scimToken : apiKey;
  const shown = credential === undefined ? usual : credential;
  const answer = await fetch(sandbox.serviceUrl + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(shown !== null && { authorization: `Bearer ${shown}` }),
      ...(body !== undefined && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const type = answer.headers.get('content-type') ?? '';
  return {
    status: answer.status,
    type,
    text,
    json: type.includes('json') ? JSON.parse(text) : null,
  };
}
