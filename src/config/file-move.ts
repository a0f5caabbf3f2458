import type { Config, IdentityRule } from './config.ts';
import {
  list,
  optional,
  type Path,
  type Place,
  type Reader,
  required,
  section,
} from './file-reader.ts';
import { isAnybody, peopleReader } from './file-routes.ts';
import { oneOf, text } from './file-values.ts';

/** `identity`: what holds where the file does not say. */
export function moveReader({ identity }: { identity: IdentityRule }): Reader<Config['move']> {
  return section({
    source: optional(oneOf('push', 'http', 'manual', 'none'), 'none'),
    who: peopleReader,
    rules: list(
      section({ from: list(required(text)), to: list(required(text)), who: peopleReader }),
    ),
    projects: list(required(text)),
    identity: optional(oneOf('require', 'omit'), identity),
  });
}

/** What the settings of moves ask of each other. */
export function checkMove(
  { move, catalogue, dialect }: Pick<Config, 'move' | 'catalogue' | 'dialect'>,
  { path, note }: Place,
  { hasApiKey }: { readonly hasApiKey: boolean },
): void {
  if (!hasApiKey) {
    for (const people of namersOf(move)) note([...path, 'move', ...people], NO_KEY);
  }
  if (move.source === 'http' && dialect.task === undefined) {
    note([...path, 'move', 'source'], 'is http, which needs dialect.task.path');
  }
  const checkProjects = (ids: readonly string[], ...place: Path) => {
    for (const [index, id] of ids.entries()) {
      const isKnown = catalogue.projects.some((project) => project.id === id);
      if (!isKnown) note([...path, 'move', ...place, index], 'is no id of catalogue.projects');
    }
  };
  checkProjects(move.projects, 'projects');
  for (const [index, { from, to }] of move.rules.entries()) {
    checkProjects(from, 'rules', index, 'from');
    checkProjects(to, 'rules', index, 'to');
  }
}

const NO_KEY = 'needs SERVICE_API_KEY to be set';

/** The places at which somebody is let move items. */
function namersOf({ who, rules }: Pick<Config['move'], 'who' | 'rules'>): readonly Path[] {
  const ruled = rules.map((rule, index) => ({ people: rule.who, at: ['rules', index, 'who'] }));
  return [{ people: who, at: ['who'] }, ...ruled]
    .filter(({ people }) => isAnybody(people))
    .map(({ at }) => at);
}
