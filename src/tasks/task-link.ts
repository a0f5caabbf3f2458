import { cleanLine } from '../lib/clean-line.ts';
import { cutPlain, filledLink } from '../slack/text.ts';
import { type Places, projectWith } from './destinations.ts';
import type { Draft } from './draft.ts';
import { LABEL_MAX, labelOf } from './tree.ts';

interface Where {
  readonly key: string | null;
  readonly spaceSlug: string | null;
  readonly projectSlug: string | null;
}

/** A key as a link by `links.task`, escaped; the bare key where the link needs what is not known. */
export function linkedKey({ links }: Places, where: Where, key: string): string {
  return filledLink(links.task, { ...where, key }, cutPlain(cleanLine(key), LABEL_MAX)[0]);
}

/** Where the item was: old keys go on leading to it (Interface 4.1). */
export function linkedItem(places: Places, { item }: Draft): string {
  if (item.key === null) return labelOf(item);
  const project = projectWith(places, item.projectId);
  const where = { spaceSlug: project?.space ?? null, projectSlug: project?.slug ?? null };
  return linkedKey(places, { ...where, key: item.key }, item.key);
}
