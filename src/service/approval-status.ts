import { cleanLine } from '../lib/clean-line.ts';
import { clip } from '../lib/clip.ts';
import { redact } from '../lib/redact.ts';
import type { Dialect } from './dialect.ts';
import { layersOf } from './layers-of.ts';
import { promptOf } from './prompt-of.ts';
import { readMember } from './read-member.ts';

const KNOWN = ['PENDING', 'APPROVED', 'REJECTED', 'TIMED_OUT'] as const;
const ISO_TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.,]+(Z|[+-]\d\d:?\d\d)?$/i;
const MAX_RAW = 100;

/** What the service says of an approval (Interface 2.4). */
export interface ApprovalStatus {
  readonly status: (typeof KNOWN)[number] | 'UNKNOWN';
  /** The service's own word, at most 100 code points, when it is none of the four; else null. */
  readonly raw: string | null;
  /** Only while PENDING; not escaped, without the token. */
  readonly prompt: string | null;
  /** ISO 8601, to the letter. */
  readonly resolvedAt: string | null;
}

/**
 * Reads an answer of the approval endpoints (Interface 4.3, 4.4), wrapped in `data` or not, statuses in
 * any case. undefined when it has no readable status.
 */
export function approvalStatusOf(
  body: unknown,
  dialect: Dialect['approval'],
  token: string,
): ApprovalStatus | undefined {
  for (const layer of layersOf(body)) {
    const read = (name: string) => readMember(name.startsWith('/') ? body : layer, name);
    const word = textOf(read, dialect.status ? [dialect.status] : ['status', 'state']);
    if (word === undefined) continue;
    const status = KNOWN.find((known) => known === word.toUpperCase()) ?? 'UNKNOWN';
    const resolvedAt = textOf(read, [dialect.resolvedAt ?? 'resolvedAt']);
    return {
      status,
      raw: status === 'UNKNOWN' ? clip(cleanLine(redact(word, [token])), MAX_RAW)[0] : null,
      prompt: status === 'PENDING' ? promptOf(layer, read, dialect.prompt, token) : null,
      resolvedAt: resolvedAt !== undefined && isTimestamp(resolvedAt) ? resolvedAt : null,
    };
  }
  return undefined;
}

function isTimestamp(text: string): boolean {
  return ISO_TIMESTAMP.test(text) && !Number.isNaN(Date.parse(text));
}

function textOf(read: (name: string) => unknown, names: readonly string[]): string | undefined {
  const texts = names.map(read).filter((value) => typeof value === 'string');
  return texts.map((text) => text.trim()).find((text) => text !== '');
}
