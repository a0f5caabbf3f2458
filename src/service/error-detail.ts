import { cleanLine } from '../lib/clean-line.ts';
import { clip } from '../lib/clip.ts';
import { redact } from '../lib/redact.ts';
import { parseJson } from './parse-json.ts';
import { readMember } from './read-member.ts';

const MAX_LENGTH = 300;
const PLACES = ['error', '/error/message', 'detail', 'message', 'title', '/errors/0/message'];

/**
 * The service's own words out of an error body (Interface 7.2; 7.3 leaves the rest open): one line, at
 * most 300 code points, without secrets, not escaped. undefined when the body is no JSON or says nothing.
 */
export function errorDetail(body: Buffer | null, secrets: readonly string[]): string | undefined {
  const json = parseJson(body);
  for (const place of PLACES) {
    const words = readMember(json, place);
    if (typeof words !== 'string') continue;
    const line = cleanLine(redact(words, secrets));
    if (line !== '') return clip(line, MAX_LENGTH)[0];
  }
  return undefined;
}
