import { redact } from '../lib/redact.ts';

const NAMES = ['prompt', 'message', 'promptMessage', 'prompt_message', 'text', 'description'];
const STATUS_NAMES = ['status', 'state'];
/** Names whose last word, in snake or camel case, is one for an id, a time, an address or a secret. */
const TECHNICAL_NAMES = [
  /(^|_)(id|key|at|time|date|url|uri|link|token)$/i,
  /(Id|ID|Key|At|Time|Date|Url|URL|Uri|URI|Link|Token)$/,
];
const TECHNICAL_VALUE =
  /^(\d{4}-\d\d-\d\dT\S*|[a-z][a-z0-9+.-]*:\/\/\S*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * The prompt of a pending approval, whose name Interface 4.3 does not show: by the name given, else by
 * the usual names, else the only other text that is no id, time, address or token. The token is redacted.
 */
export function promptOf(
  layer: unknown,
  read: (name: string) => unknown,
  name: string | undefined,
  token: string,
): string | null {
  const texts = (name ? [name] : NAMES).map(read).filter(isText);
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
