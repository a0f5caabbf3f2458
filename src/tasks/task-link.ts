import { escapeMrkdwn } from '../slack/text.ts';
import { type Places, projectWith } from './destinations.ts';
import type { Draft } from './draft.ts';
import { labelOf } from './tree.ts';

interface Where {
  readonly key: string | null;
  readonly spaceSlug: string | null;
  readonly projectSlug: string | null;
}

/** A key as a link by `links.task`, escaped; the bare key where the link needs what is not known. */
export function linkedKey({ links }: Places, where: Where, key: string): string {
  const address = addressOf(links.task, { ...where, key });
  const label = escapeMrkdwn(key);
  return address === null ? label : `<${address}|${label}>`;
}

/** Where the item was: old keys go on leading to it (Interface 4.1). */
export function linkedItem(places: Places, { item }: Draft): string {
  if (item.key === null) return labelOf(item);
  const project = projectWith(places, item.projectId);
  const where = { spaceSlug: project?.space ?? null, projectSlug: project?.slug ?? null };
  return linkedKey(places, { ...where, key: item.key }, item.key);
}

function addressOf(link: string | null, where: Where): string | null {
  if (link === null) return null;
  const values = new Map(Object.entries(where));
  const names = [...link.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
  if (names.some((name) => (values.get(name) ?? null) === null)) return null;
  const address = link.replace(/\{(\w+)\}/gu, (_, name) => encoded(values.get(name) ?? ''));
  return escapeMrkdwn(address).replaceAll('|', '%7C');
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
