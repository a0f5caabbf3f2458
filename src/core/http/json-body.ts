import type * as z from 'zod';
import { MASK, redactor } from '../lib/redact.ts';
import { type FieldError, problem } from './problem.ts';
import type { Reply } from './reply.ts';

export type JsonBody<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reply: Reply };

/**
 * Parses a JSON body by a schema, or returns the error response: 415 for another media type, 400 for invalid JSON or
 * UTF-8, 422 with a JSON Pointer for each fault. Responses contain no values, and no token from the body, even if it is
 * a member's name.
 */
export function parseJsonBody<Value>(
  contentType: string | undefined,
  body: Uint8Array,
  schema: z.ZodType<Value>,
): JsonBody<Value> {
  if (!isJson(contentType)) return failed(415, 'Content-Type must be application/json');
  const json = parse(body);
  if (json === undefined) return failed(400, 'The body must be JSON in UTF-8');
  const read = checked(schema, json.value);
  if ('value' in read) return { ok: true, value: read.value };
  const withoutTokens = nameWithout(tokensIn(json.value));
  const errors = read.faults.slice(0, MAX_ERRORS).map(({ path, detail }) => ({
    pointer: pointerTo(path, withoutTokens),
    detail,
  }));
  return {
    ok: false,
    reply: problem({ status: 422, title: 'Invalid request body', errors }),
  };
}

interface Fault extends Pick<FieldError, 'detail'> {
  readonly path: readonly PropertyKey[];
}

function checked<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
): { readonly value: Value } | { readonly faults: readonly Fault[] } {
  let read: z.ZodSafeParseResult<Value>;
  try {
    read = schema.safeParse(value);
  } catch (error) {
    const path = pathToOddLength(value);
    if (path === undefined) throw error;
    return { faults: [{ path, detail: OTHERWISE }] };
  }
  const { data, error } = read;
  return error === undefined ? { value: data } : { faults: error.issues.flatMap(faultsOf) };
}

/**
 * zod compares the `length` of any object that has one with a limit before it checks for a text or list. If that is not
 * comparable, no body is valid: returns the first such path.
 */
function pathToOddLength(body: unknown): readonly string[] | undefined {
  const open: Place[] = [{ value: body, name: '', parent: null }];
  // Iterative: a body can be nested deeper than the stack.
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, name, parent } = place;
    if (typeof value !== 'object' || value === null) continue;
    if (name === 'length' && !isComparable(value)) return pathTo(parent);
    for (const [each, member] of Object.entries(value).reverse())
      open.push({ value: member, name: each, parent: place });
  }
  return undefined;
}

interface Place {
  readonly value: unknown;
  readonly name: string;
  readonly parent: Place | null;
}

function isComparable(value: object): boolean {
  try {
    Number(value);
    return true;
  } catch {
    return false;
  }
}

/** Enough for any schema. */
function pathTo(place: Place | null): readonly string[] {
  const path: string[] = [];
  for (let each = place; each !== null && each.parent !== null; each = each.parent)
    path.push(each.name);
  return path.reverse().slice(0, MAX_DEPTH);
}

const MAX_DEPTH = 32;
const MAX_ERRORS = 20;
const OTHERWISE = 'does not match the documentation';
const TITLES = { 400: 'Not JSON', 415: 'Unsupported media type' } as const;

function failed(status: 400 | 415, detail: string): JsonBody<never> {
  return { ok: false, reply: problem({ status, title: TITLES[status], detail }) };
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const isType = /^application\/(?:[\w.!#$&^-]+\+)?json$/.test(type.trim());
  const charset = parameters.map((it) => it.trim()).find((it) => it.startsWith('charset='));
  return isType && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function parse(body: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(UTF_8.decode(body)) };
  } catch {
    return undefined;
  }
}

/** The library's messages may contain values: only the issue's facts are used. */
function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      detail: 'is not a known field',
    }));
  }
  return [{ path: issue.path, detail: ruleOf(issue) }];
}

function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${issue.expected}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      if (issue.minimum === 1 && unitOf(issue.origin) !== '') return 'must not be empty';
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'invalid_format':
      return OWN_WORDS.test(issue.message) ? issue.message : 'does not have the documented form';
    case 'invalid_value':
      return `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'custom':
      return issue.message;
    default:
      return OTHERWISE;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long';
  if (origin === 'array' || origin === 'set') return ' entries long';
  return '';
}

/** Messages of our own schemas start like this, the library's do not. */
const OWN_WORDS = /^must /;

const MAX_KEY = 64;

/** A shorter token would match inside field names: it is masked only as a whole name. */
const TOKEN_MIN = 6;
/** Each search is as long as the text. */
const MAX_TOKENS = 4;

/** The tokens in a body, also under unknown names; `token` comes first. */
function tokensIn(body: unknown): string[] {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const own = members.filter(([name]) => name === 'token');
  const others = members.filter(([name]) => name !== 'token' && /token/i.test(name));
  const values = [...own, ...others].map(([, value]) => value);
  return values.filter((value) => typeof value === 'string').slice(0, MAX_TOKENS);
}

function nameWithout(tokens: readonly string[]): (name: string) => string {
  const redacted = redactor(tokens.filter(({ length }) => length >= TOKEN_MIN));
  return (name) => (tokens.includes(name) ? MASK : redacted(name));
}

/** RFC 6901. A very long name is cut: it is probably a misplaced value. */
function pointerTo(path: readonly PropertyKey[], withoutTokens: (name: string) => string): string {
  return path
    .map((key) => withoutTokens(String(key)).slice(0, MAX_KEY))
    .map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
