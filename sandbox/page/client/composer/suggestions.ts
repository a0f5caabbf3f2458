import type { PageCommand } from '../../page-state.ts';
import type { Offer } from '../elements/option-list.ts';

export interface Suggestions {
  /** What each would put in place of the typed words. */
  readonly offers: readonly Offer[];
  /** Where the words begin that are replaced. */
  readonly from: number;
}

const none: Suggestions = { offers: [], from: 0 };
const mostShown = 8;

/** What may be meant by the words before the caret: a command at the beginning, a person or a channel anywhere. */
export function suggestionsFor(
  text: string,
  known: {
    readonly commands: readonly PageCommand[];
    readonly people: readonly { readonly name: string }[];
    readonly channels: readonly { readonly name: string }[];
  },
): Suggestions {
  if (/^\/\S*$/.test(text)) return { offers: commandOffers(text, known.commands), from: 0 };
  const [, mark, typed = ''] = /(?:^|\s)([@#])([\w-]*)$/.exec(text) ?? [];
  if (mark === undefined) return none;
  const from = text.length - typed.length - 1;
  const named = mark === '@' ? known.people : known.channels;
  const offers = named
    .filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()))
    .map(({ name }) => ({ value: `${mark}${name} `, label: mark + name, description: '' }));
  return { offers: offers.slice(0, mostShown), from };
}

function commandOffers(typed: string, commands: readonly PageCommand[]): Offer[] {
  return commands
    .filter(({ command }) => command.startsWith(typed.toLowerCase()))
    .map(({ command, usageHint, description }) => ({
      value: `${command} `,
      label: usageHint ? `${command} ${usageHint}` : command,
      description,
    }))
    .slice(0, mostShown);
}
