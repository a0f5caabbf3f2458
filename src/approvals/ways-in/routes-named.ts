import type { Config } from '../../core/config/config.ts';
import { closest } from '../../core/lib/closest.ts';
import { code, oneLine } from '../../core/slack/text.ts';

/** The routes that somebody names, in Slack or on the command line. */

export const ALL = 'all';

/** Why it is none; `all`: every route. */
export function routesNamed({ routes }: Config, of: string): Config['routes'] | string {
  if (of === '') return 'Which route?';
  if (of.toLowerCase() === ALL) return routes;
  const found = routes.filter(({ name }) => name === of);
  if (found.length > 0) return found;
  const names = routes.map(({ name }) => name);
  const near = closest(of, names);
  const next = near === undefined ? '' : ` Did you mean ${code(near)}?`;
  return `There is no route ${code(oneLine(of, 60))}.${next}`;
}
