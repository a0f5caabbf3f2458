import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';
import { isObject } from '../approvals/ways-in/contract-values.ts';

interface LineNeeds {
  /** Takes a message. */
  readonly pass: (message: string) => void;
  /** Sends a line to the client. */
  readonly answer: (line: string) => void;
}

/** Gatepost takes no longer ones by far. */
const CHARACTERS_MAX = 10 * 1024 * 1024;

/**
 * The messages in the lines from a client. A line that is none is made readable (a byte order mark, null for what is not
 * given, a batch), or refused: the client would wait for an answer.
 */
export function messageLines({ pass, answer }: LineNeeds): Writable {
  const decoder = new StringDecoder('utf8');
  let rest = '';

  function refuse(id: unknown, error: { readonly code: number; readonly message: string }): void {
    const isId = typeof id === 'string' || Number.isSafeInteger(id);
    answer(`${JSON.stringify({ jsonrpc: '2.0', id: isId ? id : null, error })}\n`);
  }

  function* messagesIn(line: string): Generator<string> {
    // A byte order mark is white space here.
    const text = line.trim();
    if (text === '') return;
    const value = parse(text);
    const batch = Array.isArray(value) && value.length > 0 ? value : undefined;
    for (const each of batch ?? [value]) {
      const message = withoutNulls(each);
      // Written again only if it has to be: it can be nested deeper than the stack.
      const isSame = batch === undefined && message === each;
      const written = isMessage(message) ? (isSame ? text : write(message)) : undefined;
      if (written !== undefined) yield written;
      else if (each === undefined) refuse(null, NOT_JSON);
      else refuse(isObject(each) && 'method' in each && 'id' in each ? each.id : null, NO_MESSAGE);
    }
  }

  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const [first = '', ...others] = decoder.write(chunk).split('\n');
      const lines = [rest + first, ...others];
      rest = lines.pop() ?? '';
      for (const line of lines) {
        for (const message of messagesIn(line)) pass(message);
      }
      done(rest.length > CHARACTERS_MAX ? new Error('a message is too long') : null);
    },
  });
}

function isMessage(value: unknown): boolean {
  return message.safeParse(value).success;
}

const id = z.union([z.string(), z.int()]);
const one = { jsonrpc: z.literal('2.0') };
const asked = { method: z.string(), params: z.looseObject({}).optional() };
/** Of JSON-RPC 2.0. */
const message = z.union([
  z.looseObject({ ...one, ...asked, id }),
  z.looseObject({ ...one, ...asked, id: z.undefined().optional() }),
  z.looseObject({ ...one, id, result: z.looseObject({}) }),
  z.looseObject({
    ...one,
    id: id.optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
]);

/** Codes of JSON-RPC 2.0. */
const NOT_JSON = { code: -32_700, message: 'Not read: a line must be JSON in UTF-8' };
const NO_MESSAGE = { code: -32_600, message: 'Not read: a line must be a message of JSON-RPC 2.0' };

/** `params`, or a member of them, that is null is not given. */
function withoutNulls(message: unknown): unknown {
  if (!isObject(message) || !('params' in message)) return message;
  const { params, ...others } = message;
  if (params === null) return others;
  if (!isObject(params) || !Object.values(params).includes(null)) return message;
  const given = Object.entries(params).filter(([, value]) => value !== null);
  return { ...others, params: Object.fromEntries(given) };
}

/** undefined: it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** undefined: it is nested deeper than the stack. */
function write(message: unknown): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}
