import type { Config } from './config.ts';
import { list, optional, type Place, type Reader, required, section } from './file-reader.ts';
import { isAnybody, peopleReader } from './file-routes.ts';
import { oneOf, text } from './file-values.ts';

export const moveReader: Reader<Config['move']> = section({
  source: optional(oneOf('push', 'http', 'manual', 'none'), 'none'),
  who: peopleReader,
  projects: list(required(text)),
});

/** What the settings of moves ask of each other. */
export function checkMove(
  { move, catalogue, dialect }: Pick<Config, 'move' | 'catalogue' | 'dialect'>,
  { path, note }: Place,
  { hasApiKey }: { readonly hasApiKey: boolean },
): void {
  if (isAnybody(move.who) && !hasApiKey) {
    note([...path, 'move', 'who'], 'needs SERVICE_API_KEY to be set');
  }
  if (move.source === 'http' && dialect.task === undefined) {
    note([...path, 'move', 'source'], 'is http, which needs dialect.task.path');
  }
  for (const [index, id] of move.projects.entries()) {
    const isKnown = catalogue.projects.some((project) => project.id === id);
    if (!isKnown) note([...path, 'move', 'projects', index], 'is no id of catalogue.projects');
  }
}
