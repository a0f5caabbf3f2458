import { hash } from 'node:crypto';
import { cleanLine, linesOf, spellLine, spellWords } from '../core/lib/clean-line.ts';
import type { Approval } from './approval.ts';

/**
 * SHA-256, in hexadecimal, of what the request shows: a JSON object in RFC 8785 form with `change`, `cutFrom`, `fields`
 * (pairs in order), `link`, `message` and `title`, as far as present. Texts are as sent, except that line ends lose
 * their CR: a different invisible character or colour is a different digest. Single-line texts (the title and field
 * names) are as displayed.
 */
export function digestOf(approval: Approval): string {
  const { change, cutFrom, fields = [], link, message, prompt } = approval;
  const words = message ?? prompt;
  const shown = {
    ...(change !== undefined && { change: linesOf(change) }),
    ...(cutFrom !== undefined && { cutFrom: { lines: cutFrom.lines, sha256: cutFrom.sha256 } }),
    ...(fields.length > 0 && {
      fields: fields.map(([name, value]) => [spellLine(name).text, linesOf(value)]),
    }),
    ...(link !== undefined && { link }),
    ...(words !== undefined && { message: linesOf(words) }),
    title: titleOf(approval),
  };
  return hash('sha256', JSON.stringify(shown), 'hex');
}

/** How many digits people compare. */
export const DIGEST_SHOWN = 8;

/** One line: it appears within our own text and must not change its direction or end it. */
export function titleOf({ title = '', message, prompt }: Approval): string {
  return spellLine(title).text || titleIn(spellWords(message ?? prompt ?? '').text);
}

/** The first line of the description. */
export function titleIn(words: string): string {
  const firstLine = words.trim().split('\n', 1)[0] ?? '';
  return cleanLine(firstLine) || 'Approval needed';
}
