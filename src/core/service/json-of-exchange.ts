import {
  BAD_ENCODING,
  classOfStatus,
  type Exchanged,
  headerOf,
  unanswered,
  type WireRequest,
} from '../http/exchange.ts';
import { cleanLine } from '../lib/clean-line.ts';
import { clip } from '../lib/clip.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { present } from '../lib/present.ts';
import { NEEDS_TLS } from '../lib/proxies.ts';
import { redact } from '../lib/redact.ts';
import { retryAfterMs } from '../lib/retry-after.ts';
import { readMember } from './read-member.ts';

interface CallFacts {
  /** Its name in failures: `get approval`. */
  readonly operation: string;
  readonly method: WireRequest['method'];
  /** What must not appear in failures. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch, for a `Retry-After` date. */
  readonly now: number;
}

/** The JSON value of a 2xx; otherwise throws RemoteFailure with what is known. */
export function jsonOfExchange(exchanged: Exchanged, call: CallFacts): unknown {
  if (exchanged.kind === 'failed') throw unanswered(exchanged, call.operation, call.secrets);
  const { status, body, code } = exchanged;
  if (status < 200 || status > 299) throw answerFailure(exchanged, call);
  const json = parseJson(body);
  if (json !== undefined) return json;
  throw unreadable(call.operation, status, code === BAD_ENCODING ? code : undefined);
}

/** A success whose body is not what the interface promises. */
export function unreadable(
  operation: string,
  status = 200,
  code = 'unreadable_body',
): RemoteFailure {
  return new RemoteFailure(operation, { class: 'unreadable', code, status });
}

/** The service's answer to a write; undefined if it succeeded and the body cannot be read. */
export async function answerOfWrite(sent: Promise<unknown>): Promise<unknown> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof RemoteFailure && error.class === 'unreadable') return undefined;
    throw error;
  }
}

function answerFailure(
  { status, headers, body, code }: Exchanged & { kind: 'answered' },
  { operation, method, secrets, now }: CallFacts,
): RemoteFailure {
  const waitMs = retryAfterMs(headerOf(headers, 'retry-after'), now);
  const detail = errorDetail(body, secrets);
  const reason = reasonOf(body);
  return new RemoteFailure(operation, {
    class: classOfStatus(status, method),
    code: code === NEEDS_TLS ? code : `http_${status}`,
    status,
    ...present({ retryAfterMs: waitMs, reason, detail }),
  });
}

/** RFC 7644 3.12: one word. */
function reasonOf(body: Buffer | null): string | undefined {
  const word = readMember(parseJson(body), 'scimType');
  return typeof word === 'string' && /^[a-z]{1,30}$/i.test(word) ? word : undefined;
}

const LENGTH_MAX = 300;
const REASONS_MAX = 10;
/** Where bodies have several reasons, and where one. */
const LISTS = ['errors', '/error/issues', '/error/errors', 'issues'];
const PLACES = ['error', '/error/message', 'detail', 'message', 'title'];

/**
 * The service's own words from an error body (Interface 7.2; 7.3 specifies no more): one line per reason, at most ten
 * of at most 300 code points, without secrets, not escaped. undefined when the body is not JSON or has none.
 */
export function errorDetail(body: Buffer | null, secrets: readonly string[]): string | undefined {
  const json = parseJson(body);
  const fit = (words: unknown) =>
    typeof words === 'string' ? clip(cleanLine(redact(words, secrets)), LENGTH_MAX)[0] : '';
  for (const place of LISTS) {
    const list = readMember(json, place);
    const reasons = Array.isArray(list) ? list.map((each) => fit(reasonIn(each))) : [];
    const said = [...new Set(reasons)].filter((reason) => reason !== '');
    if (said.length > 0) return said.slice(0, REASONS_MAX).join('\n');
  }
  return PLACES.map((place) => fit(readMember(json, place))).find((line) => line !== '');
}

/** One of several reasons: a text, or an object with a text and perhaps a place. */
function reasonIn(entry: unknown): unknown {
  if (typeof entry === 'string') return entry;
  const words = readMember(entry, 'message') ?? readMember(entry, 'detail');
  const path = readMember(entry, 'path');
  const about = Array.isArray(path) ? path.join('.') : '';
  return typeof words === 'string' && about !== '' ? `${about}: ${words}` : words;
}

/** The JSON value of a UTF-8 body; undefined when absent or not JSON. Ignores `Content-Type`. */
function parseJson(body: Buffer | null): unknown {
  if (body === null) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
