import { cleanLine } from '../lib/clean-line.ts';
import { clip } from '../lib/clip.ts';
import { redact } from '../lib/redact.ts';
import type { Dialect } from './dialect.ts';
import { layersOf, readMember } from './read-member.ts';

/** The final statuses of an approval (Interface 2.4). */
export const FINAL_STATUSES = ['APPROVED', 'REJECTED', 'TIMED_OUT'] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];
const KNOWN = ['PENDING', ...FINAL_STATUSES] as const;
const STATUS_NAMES = ['status', 'state'];
const ISO_TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.,]+(Z|[+-]\d\d:?\d\d)?$/i;
const MAX_RAW = 100;

/** An approval as the service reports it (Interface 2.4). */
export interface ApprovalStatus {
  readonly status: (typeof KNOWN)[number] | 'UNKNOWN';
  /** The service's own status, at most 100 code points, if it is none of the four; otherwise null. */
  readonly raw: string | null;
  /** Only while PENDING, and only if it was asked for; not escaped, without the token. */
  readonly prompt: string | null;
  /** ISO 8601, verbatim. */
  readonly resolvedAt: string | null;
}

/**
 * Parses an answer of the approval endpoints (Interface 4.3, 4.4), with or without `data`, statuses in any case.
 * undefined when it has no readable status.
 */
export function approvalStatusOf(
  body: unknown,
  dialect: Dialect['approval'],
  token: string,
  { withPrompt }: { readonly withPrompt: boolean },
): ApprovalStatus | undefined {
  for (const layer of layersOf(body)) {
    const read = (name: string) => readMember(name.startsWith('/') ? body : layer, name);
    const word = textOf(read, dialect.status ? [dialect.status] : STATUS_NAMES);
    if (word === undefined) continue;
    const status = KNOWN.find((known) => known === word.toUpperCase()) ?? 'UNKNOWN';
    const resolvedAt = textOf(read, [dialect.resolvedAt ?? 'resolvedAt']);
    return {
      status,
      raw: status === 'UNKNOWN' ? clip(cleanLine(redact(word, [token])), MAX_RAW)[0] : null,
      prompt:
        withPrompt && status === 'PENDING' ? promptOf(layer, read, dialect.prompt, token) : null,
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

const PROMPT_NAMES = [
  'prompt',
  'message',
  'promptMessage',
  'prompt_message',
  'text',
  'description',
];
/** Names that end in a word for an id, a time, an address or a secret, in snake or camel case. */
const TECHNICAL_NAMES = [
  /(^|_)(id|key|at|time|date|url|uri|link|token)$/i,
  /(Id|ID|Key|At|Time|Date|Url|URL|Uri|URI|Link|Token)$/,
];
const TECHNICAL_VALUE =
  /^(\d{4}-\d\d-\d\dT\S*|[a-z][a-z0-9+.-]*:\/\/\S*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * The prompt of a pending approval, whose name Interface 4.3 does not specify: under the configured name, else the
 * usual names, else the only other text that is not an id, time, address or token. The token is redacted.
 */
function promptOf(
  layer: unknown,
  read: (name: string) => unknown,
  name: string | undefined,
  token: string,
): string | null {
  const texts = (name ? [name] : PROMPT_NAMES).map(read).filter(isText);
  const prompt = texts[0] ?? (name ? undefined : onlyOtherText(layer, token));
  return prompt === undefined ? null : redact(prompt, [token]);
}

function onlyOtherText(layer: unknown, token: string): string | undefined {
  if (typeof layer !== 'object' || layer === null) return undefined;
  const others = Object.entries(layer)
    .filter(([name]) => !STATUS_NAMES.includes(name) && !isTechnical(name))
    .map(([, value]) => value)
    .filter(isText)
    .filter((text) => text !== token && !TECHNICAL_VALUE.test(text));
  return others.length === 1 ? others[0] : undefined;
}

function isTechnical(name: string): boolean {
  return TECHNICAL_NAMES.some((pattern) => pattern.test(name));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
