import { isObject, parseJson } from '../exchange.ts';
import { Refusal, refusalWith } from './refusal.ts';

/** Arguments of a Web API call: strings from a form, or the members of a JSON body. */
export type Args = Readonly<Record<string, unknown>>;

/** Reads a body by its content type. */
export function readArgs(body: Buffer, contentType: string, query: URLSearchParams): Args {
  const args: Record<string, unknown> = Object.fromEntries(query);
  if (body.length === 0) return args;
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase();
  if (mediaType === 'application/x-www-form-urlencoded') {
    return Object.assign(args, Object.fromEntries(new URLSearchParams(body.toString())));
  }
  if (mediaType !== 'application/json') {
    throw new Refusal(mediaType ? 'invalid_post_type' : 'missing_post_type');
  }
  const value = parseJson(body.toString());
  if (value === undefined) throw new Refusal('invalid_json');
  if (!isObject(value)) throw new Refusal('json_not_object');
  return Object.assign(args, value);
}

/** Throws `invalid_arguments`, naming those that are missing. */
export function requireArgs(
  args: Args,
  names: readonly string[],
  mayBeEmpty: readonly string[] = [],
): void {
  const isGiven = (name: string) =>
    args[name] !== undefined && (args[name] !== '' || mayBeEmpty.includes(name));
  const missing = names.filter((name) => !isGiven(name));
  if (missing.length === 0) return;
  throw refusalWith(
    'invalid_arguments',
    missing.map((name) => `missing required field: ${name}`),
  );
}

export function textArg(args: Args, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** A flag is set by `true`, `"true"`, `1` and `"1"`. */
export function flagArg(args: Args, name: string): boolean {
  const value = args[name];
  return value === true || value === 1 || value === 'true' || value === '1';
}

/** The value, or the parsed value of JSON text; undefined: not given. Throws `otherwise` if it is not JSON. */
export function jsonArg(args: Args, name: string, otherwise: string): unknown {
  const value = args[name];
  if (typeof value !== 'string' || value === '') return value === '' ? undefined : value;
  const parsed = parseJson(value);
  if (parsed === undefined) throw new Refusal(otherwise);
  return parsed;
}

export interface Limit {
  readonly usual: number;
  readonly most: number;
  /** The error for an invalid limit; without it the nearest valid one is used. */
  readonly otherwise?: string;
}

/** From 1 to `most`; `usual` if it was not given. */
export function limitArg(args: Args, { usual, most, otherwise }: Limit): number {
  const text = textArg(args, 'limit');
  if (text === '') return usual;
  const limit = Number(text);
  const isGood = Number.isInteger(limit) && limit >= 1;
  if (!isGood && otherwise !== undefined) throw new Refusal(otherwise);
  return isGood ? Math.min(limit, most) : usual;
}

const cursorMark = 'next:';

export function cursorOf(position: string): string {
  return Buffer.from(cursorMark + position).toString('base64');
}

/** The position that a cursor encodes; empty without one. Throws `invalid_cursor`. */
export function cursorArg(args: Args): string {
  const cursor = textArg(args, 'cursor');
  if (cursor === '') return '';
  const text = Buffer.from(cursor, 'base64').toString();
  if (!text.startsWith(cursorMark)) throw new Refusal('invalid_cursor');
  return text.slice(cursorMark.length);
}

/** One page of a list; `position` comes from the cursor. The last page has an empty next cursor. */
export function pageOf<Item>(
  all: readonly Item[],
  position: string,
  limit: number,
): { readonly items: readonly Item[]; readonly nextCursor: string } {
  const start = Number(position || 0);
  const end = start + limit;
  return {
    items: all.slice(start, end),
    nextCursor: end < all.length ? cursorOf(String(end)) : '',
  };
}
