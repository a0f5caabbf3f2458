import { escapeMrkdwn } from './text.ts';

/** A longer one is not worth the place that it takes in a message. */
const ADDRESS_MAX = 600;

/**
 * A link to what people call `label`, escaped: each `{name}` of the address has its value. The bare
 * label where there is no address, it is very long, or a value that it needs is not known.
 */
export function filledLink(
  address: string | null,
  values: Readonly<Record<string, string | null>>,
  label: string,
): string {
  const filled = address === null ? null : fill(address, new Map(Object.entries(values)));
  return filled === null ? escapeMrkdwn(label) : `<${filled}|${escapeMrkdwn(label)}>`;
}

function fill(address: string, values: ReadonlyMap<string, string | null>): string | null {
  const names = [...address.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
  if (names.some((name) => (values.get(name) ?? null) === null)) return null;
  const filled = address.replace(/\{(\w+)\}/gu, (_, name) => encoded(values.get(name) ?? ''));
  const escaped = escapeMrkdwn(filled).replaceAll('|', '%7C');
  return escaped.length > ADDRESS_MAX ? null : escaped;
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
