import type { Config } from './config.ts';
import { Unfit } from './environment.ts';
import { list, optional, type Place, type Reader, required, section } from './file-reader.ts';
import { peopleReader } from './file-routes.ts';
import { oneOf, text } from './file-values.ts';

export const moveReader: Reader<Config['move']> = section({
  source: optional(oneOf('push', 'http', 'manual', 'none'), 'none'),
  who: peopleReader,
  projects: list(required(text)),
});

export const linksReader: Reader<Config['links']> = section({ task: optional(taskLink, null) }, [
  'testCase',
]);

const PLACEHOLDERS = ['spaceSlug', 'projectSlug', 'key'];

function taskLink(value: unknown): string {
  const link = text(value);
  const names = [...link.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
  const isRight = names.includes('key') && names.every((name) => PLACEHOLDERS.includes(name));
  if (/^https?:\/\/[^\s<>|]+$/.test(link) && isRight) return link;
  throw new Unfit(
    'must be an http or https address with {key} in it, and {spaceSlug} and {projectSlug} if need be',
  );
}

/** What the settings of moves ask of each other. */
export function checkMove(
  { move, catalogue, dialect }: Pick<Config, 'move' | 'catalogue' | 'dialect'>,
  { path, note }: Place,
  { hasApiKey }: { readonly hasApiKey: boolean },
): void {
  const { users, groups, channel } = move.who;
  const isWanted = users.length + groups.length > 0 || channel;
  if (isWanted && !hasApiKey) note([...path, 'move', 'who'], 'needs SERVICE_API_KEY to be set');
  if (move.source === 'http' && dialect.task === undefined) {
    note([...path, 'move', 'source'], 'is http, which needs dialect.task.path');
  }
  for (const [index, id] of move.projects.entries()) {
    const isKnown = catalogue.projects.some((project) => project.id === id);
    if (!isKnown) note([...path, 'move', 'projects', index], 'is no id of catalogue.projects');
  }
}
