import type { News } from '../../notices/raise-notice.ts';
import { conflictAlert, isConflict } from '../../people/link-conflict.ts';
import { code } from '../../slack/text.ts';
import type { Mine } from './look-up-me.ts';
import { ASKS } from './my-sentences.ts';

/** What administrators read when the person asks them; null: there is nothing for them to do. */
export function askOf({ user, state, search }: Mine): News | null {
  // The same as at a decision, so that nobody reads it twice.
  if (search !== null && isConflict(search.identity)) return conflictAlert(search.identity);
  if (state === 'changed' || state === 'lost' || state === 'taken') return null;
  const ask = ASKS[state];
  if (ask === null) return null;
  const text = `<@${user}> asks for help with their account. ${ask(code(search?.account ?? ''))}`;
  return { about: `people.asks.${user}.${state}`, text };
}
