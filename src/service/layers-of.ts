import { readMember } from './read-member.ts';

/** Where the members of an answer may stand: in its `data`, when that is an object, then in itself. */
export function layersOf(body: unknown): readonly unknown[] {
  const data = readMember(body, 'data');
  return typeof data === 'object' && data !== null ? [data, body] : [body];
}
