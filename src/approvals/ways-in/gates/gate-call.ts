import { CHANGE_MAX, changeFault } from '../../../../ask/contract/approval-body.ts';
import { WAIT_MAX_S } from '../../../../ask/contract/approval-details.ts';
import { readRequestedBy } from '../../../../ask/contract/requested-by.ts';
import { duration } from '../../../core/config/values.ts';
import { problem } from '../../../core/http/problem.ts';
import type { Reply } from '../../../core/http/reply.ts';
import { instantOf } from '../../../core/lib/iso-time.ts';
import type { ApprovalRequest } from '../approval-request.ts';
import { GATE_MS } from '../ask-approval.ts';
import { indented } from './indented-json.ts';
import { parseWritten, scalarAt } from './json-pointer.ts';

/** A call of a gate: what its address and body say. */
export interface GateCall {
  /** Names the attempt within the gate. */
  readonly attempt: string;
  /** What is asked, but for the key. */
  readonly request: Omit<ApprovalRequest, 'key' | 'token'>;
  /** How long an approval answers 200. */
  readonly forMs: number;
  readonly waitMs: number;
}

type Read = { readonly call: GateCall } | { readonly refused: Reply };

/** The query's members, as docs/asking.md describes them. */
const MEMBERS = [
  ...['attempt', 'by', 'show', 'route', 'title'],
  ...['expires', 'requested-by', 'for', 'wait'],
] as const;

const HOUR_MS = 3_600_000;
const FOR_MS = { usual: HOUR_MS, most: 24 * HOUR_MS };
const POINTERS_MAX = 20;

/** Why a call is refused, to follow the name of the member. */
class Fault extends Error {
  override readonly name = 'Fault';
}

/**
 * Reads a call. `body`: its bytes; undefined: of a request that has none by its method. `now`: the store's time. The
 * reply is 422 and names what is wrong, and never a value.
 */
export function readCall(
  name: string,
  query: URLSearchParams,
  body: Uint8Array | undefined,
  now: number,
): Read {
  try {
    return { call: callIn(name, query, body, now) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {
      refused: problem({ status: 422, title: 'Invalid request', detail: error.message }),
    };
  }
}

function callIn(
  name: string,
  query: URLSearchParams,
  bytes: Uint8Array | undefined,
  now: number,
): GateCall {
  if (!NAME.test(name))
    throw new Fault('The name of a gate has 1 to 100 letters, digits, ".", "_", ":" or "-"');
  const given = membersIn(query);
  const text = bytes === undefined ? '' : textIn(bytes);
  const body = text === '' ? undefined : { text, value: parsed(text) };
  const { route, title = name } = given;
  const change = changeIn(given.show, body);
  const requestedBy = requesterIn(given['requested-by'], body);
  const expiresAt = expiryIn(given.expires, now);
  return {
    attempt: attemptIn(given, body),
    request: {
      title,
      ...(route !== undefined && { route }),
      ...(change !== undefined && { change }),
      ...(requestedBy !== undefined && { requestedBy }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
    forMs: forIn(given.for),
    waitMs: waitIn(given.wait),
  };
}

const NAME = /^[\w.:-]{1,100}$/;

type Given = Readonly<Partial<Record<(typeof MEMBERS)[number], string>>>;

function membersIn(query: URLSearchParams): Given {
  const given: Record<string, string> = {};
  for (const [name, value] of query) {
    if (!MEMBERS.some((each) => each === name)) {
      const shown = /^[\w-]{1,32}$/.test(name) ? name : 'One member of the query';
      throw new Fault(`${shown} is not known: there are ${MEMBERS.join(', ')}`);
    }
    if (name in given) throw new Fault(`${name} stands twice in the query`);
    if (value.trim() === '') throw new Fault(`${name} is empty`);
    given[name] = value;
  }
  return given;
}

interface Body {
  readonly text: string;
  /** From `parseWritten`. */
  readonly value: unknown;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const NO_JSON = 'The body must be JSON in UTF-8, or empty';

function textIn(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes).trim();
  } catch {
    throw new Fault(NO_JSON);
  }
}

function parsed(text: string): unknown {
  try {
    return parseWritten(text);
  } catch {
    throw new Fault(NO_JSON);
  }
}

/** Last month's approval must not open today's rollout: the call says which attempt it is. */
function attemptIn({ attempt, by }: Given, body: Body | undefined): string {
  if (attempt !== undefined && by !== undefined) {
    throw new Fault('attempt must not stand beside by: one of them names the attempt');
  }
  if (attempt !== undefined) return JSON.stringify([attempt]);
  if (by === undefined) {
    throw new Fault(
      'attempt or by is missing, which names the attempt: ?attempt=4711, or ?by=/name,/checksum with pointers into the body',
    );
  }
  const values = pointersIn('by', by).map((pointer) => {
    const { json, text } = valueAt('by', pointer, body);
    if (text === '') throw new Fault('by points to an empty text');
    return `[${JSON.stringify(pointer)},${json}]`;
  });
  return `[${values.join()}]`;
}

/** The whole body as it came, or a line for each pointer. */
function changeIn(show: string | undefined, body: Body | undefined): string | undefined {
  if (show === undefined) {
    if (body === undefined) return undefined;
    const text = indented(body.text, CHANGE_MAX);
    if (text === undefined) throw new Fault(`The body is longer than ${CHANGE_MAX} characters`);
    return text;
  }
  const lines = pointersIn('show', show).map(
    (pointer) => `${pointer}: ${valueAt('show', pointer, body).json}`,
  );
  const text = lines.join('\n');
  const fault = changeFault(text);
  if (fault !== undefined) throw new Fault(`What show points to ${fault}`);
  return text;
}

function pointersIn(name: string, list: string): readonly string[] {
  const pointers = list.split(',').map((each) => each.trim());
  if (pointers.some((each) => !each.startsWith('/'))) {
    throw new Fault(`${name} must have JSON Pointers separated by commas, such as /name,/checksum`);
  }
  if (pointers.length > POINTERS_MAX)
    throw new Fault(`${name} has more than ${POINTERS_MAX} pointers`);
  return pointers;
}

function valueAt(name: string, pointer: string, body: Body | undefined) {
  if (body === undefined) throw new Fault(`${name} points into the body, and the body is empty`);
  const found = scalarAt(body.value, pointer);
  if ('value' in found) return found.value;
  throw new Fault(`${name}: a pointer ${found.fault}`);
}

/** A text, or a pointer to it. */
function requesterIn(given: string | undefined, body: Body | undefined) {
  if (given === undefined) return undefined;
  const text = given.startsWith('/') ? valueAt('requested-by', given, body).text : given;
  const who = text.trim();
  if (who === '') throw new Fault('requested-by points to an empty text');
  const read = readRequestedBy('requested-by', who);
  if ('problem' in read) throw new Fault(read.problem);
  return read.requestedBy;
}

/** A time, or how long from now. */
function expiryIn(given: string | undefined, now: number): string | undefined {
  if (given === undefined) return undefined;
  const at = instantOf(given) ?? now + (duration.safeParse(given).data ?? Number.NaN);
  if (!Number.isFinite(at)) {
    throw new Fault(
      'expires must be a time such as 2030-01-01T10:00:00Z, or a duration such as 4h',
    );
  }
  if (at - now > GATE_MS.most) throw new Fault('expires is more than 30 days away');
  return new Date(at).toISOString();
}

function forIn(given: string | undefined): number {
  if (given === undefined) return FOR_MS.usual;
  const { data = Number.NaN } = duration.safeParse(given);
  if (data <= FOR_MS.most) return data;
  throw new Fault('for must be a duration such as 30m, at most 24h');
}

function waitIn(given: string | undefined): number {
  if (given === undefined) return 0;
  if (!/^\d{1,9}$/.test(given)) throw new Fault('wait must be a whole number of seconds');
  return Math.min(Number(given), WAIT_MAX_S) * 1_000;
}
