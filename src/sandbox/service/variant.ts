import type { Answer } from '../exchange.ts';

/** What the interface leaves open; the defaults come first. */
export interface Variant {
  /** Name of the prompt in the status query (4.3): `prompt`, `message`, … */
  readonly promptField: string;
  readonly statusField: 'status' | 'state';
  /** Approval answers inside `data`. */
  readonly wrapped: boolean;
  readonly errorShape: 'string' | 'object' | 'detail' | 'html';
  /** What POST answers when the token was used or timed out. 200 carries the final status. */
  readonly usedTokenPost: 409 | 200 | 404 | 410;
  readonly usedTokenGet: 200 | 404 | 410;
  readonly resolvedAtInGet: boolean;
  /** What the approval endpoints ask for besides the token. */
  readonly approvalCredential: 'none' | 'apiKey';
  /** What a move looks at first: whether the item changed (409), or the mapping (422). */
  readonly moveChecksFirst: 'changes' | 'mapping';
  readonly scimFilter: 'honoured' | 'ignored' | 'refused';
  readonly scimPaging: 'honoured' | 'ignored';
  /** Rows per page at most. */
  readonly scimPageSize: number;
  readonly scimList: 'envelope' | 'array';
  readonly scimActive: 'boolean' | 'string' | 'missing';
}

export const usualVariant: Variant = {
  promptField: 'prompt',
  statusField: 'status',
  wrapped: false,
  errorShape: 'string',
  usedTokenPost: 409,
  usedTokenGet: 200,
  resolvedAtInGet: true,
  approvalCredential: 'none',
  moveChecksFirst: 'changes',
  scimFilter: 'honoured',
  scimPaging: 'honoured',
  scimPageSize: 100,
  scimList: 'envelope',
  scimActive: 'boolean',
};

/** An error in the shape of the variant (Interface 7.3 shows none). */
export function errorAnswer(status: number, words: string, { errorShape }: Variant): Answer {
  if (errorShape !== 'html') return { status, body: errorBody(words, errorShape) };
  const body = `<!doctype html><title>${status}</title><h1>${words}</h1>`;
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

function errorBody(words: string, shape: Exclude<Variant['errorShape'], 'html'>): unknown {
  switch (shape) {
    case 'string':
      return { error: words };
    case 'object':
      return { error: { code: 'refused', message: words } };
    case 'detail':
      return { type: 'about:blank', title: 'Refused', detail: words };
  }
}
