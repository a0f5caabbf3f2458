import { useState } from 'preact/hooks';
import type { PageCommand } from '../../page-state.ts';
import { type Offer, useActiveOffer } from '../elements/option-list.ts';
import { useReader } from '../text/reader.ts';

/** Autocompletion: arrows select, Tab and Enter insert, Escape hides the list until more is typed. */
export function useCompletion(
  text: string,
  setText: (text: string) => void,
  commands: readonly PageCommand[],
) {
  const { mentionable, channels } = useReader();
  const known = { commands, people: mentionable, channels };
  const { offers, from } = suggestionsFor(text, known);
  const { active, setActive, offer, move } = useActiveOffer(offers);
  const [isShut, setShut] = useState(false);
  const isOpen = offers.length > 0 && !isShut;

  const type = (words: string): void => {
    setText(words);
    setActive(0);
    setShut(false);
  };
  const pick = ({ value }: Offer): void => type(text.slice(0, from) + value);
  /** False if the key does nothing here. */
  const takeKey = (key: string): boolean => {
    if (!isOpen || !offer) return false;
    // If the whole text was typed, Enter sends it.
    const isWhole = text === offer.value.trim();
    if (key === 'Tab' || (key === 'Enter' && !isWhole)) pick(offer);
    else if (key === 'Escape') setShut(true);
    else return move(key);
    return true;
  };
  return { offers, active, isOpen, type, pick, takeKey, shut: () => setShut(true) };
}

interface Suggestions {
  /** The possible replacements of the typed text. */
  readonly offers: readonly Offer[];
  /** Where the replaced text starts. */
  readonly from: number;
}

const none: Suggestions = { offers: [], from: 0 };
const mostShown = 8;

/** Suggestions for the text before the caret: a command at the start, a person or a channel anywhere. */
function suggestionsFor(
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
