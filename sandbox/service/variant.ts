import type { Answer } from '../exchange.ts';

/** What the interface leaves open; defaults first. */
export interface Variant {
  /** Name of the prompt in the status response (4.3): `prompt`, `message`, … */
  readonly promptField: string;
  readonly statusField: 'status' | 'state';
  /** Approval responses are inside `data`. */
  readonly wrapped: boolean;
  readonly errorShape: 'string' | 'object' | 'detail' | 'html';
  /** The response to a POST after the token was used or timed out. 200 carries the final status. */
  readonly usedTokenPost: 409 | 200 | 404 | 410;
  readonly usedTokenGet: 200 | 404 | 410;
  readonly resolvedAtInGet: boolean;
  /** What the approval endpoints require in addition to the token. */
  readonly approvalCredential: 'none' | 'apiKey';
  /** Which check of a move comes first: whether the item changed (409), or the mapping (422). */
  readonly moveChecksFirst: 'changes' | 'mapping';
  /** `address`: only `userName eq` is supported. */
  readonly scimFilter: 'honoured' | 'address' | 'ignored' | 'refused';
  readonly scimPaging: 'honoured' | 'ignored';
  /** Rows per page at most. */
  readonly scimPageSize: number;
  readonly scimList: 'envelope' | 'array';
  readonly scimActive: 'boolean' | 'string' | 'missing';
  /** Whether accounts not created by SCIM are in the list of “synchronized users”. */
  readonly scimLists: 'everybody' | 'synchronized';
  /** `by-effect`: 201 for a new account, 200 for a match. */
  readonly scimCreateStatus: 'by-effect' | 200 | 201;
  readonly scimPatchStatus: 200 | 204;
  readonly scimDeleteStatus: 204 | 200;
  /** The response to DELETE for a deactivated account: the same again, or 404. */
  readonly scimDeleteAgain: 'same' | 404;
  /** The response to a create that collides with an account. */
  readonly scimCollision: 409 | 400 | 'plain-409';
  /** A create with an unknown externalId and the address of an account that SCIM created. */
  readonly scimTwins: 'refused' | 'made';
  /** `status` in the body of an error. */
  readonly scimErrorStatus: 'string' | 'number';
  readonly scimMedia: 'both' | 'json';
  readonly scimAccess: 'open' | 'forbidden' | 'absent';
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
  scimLists: 'everybody',
  scimCreateStatus: 'by-effect',
  scimPatchStatus: 200,
  scimDeleteStatus: 204,
  scimDeleteAgain: 'same',
  scimCollision: 409,
  scimTwins: 'refused',
  scimErrorStatus: 'string',
  scimMedia: 'both',
  scimAccess: 'open',
};

/** An error in the variant's format (Interface 7.3 shows none). */
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
