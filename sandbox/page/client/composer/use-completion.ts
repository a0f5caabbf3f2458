import { useState } from 'preact/hooks';
import type { PageCommand } from '../../page-state.ts';
import type { Offer } from '../elements/option-list.ts';
import { useActiveOffer } from '../elements/use-active-offer.ts';
import { useReader } from '../text/reader.ts';
import { suggestionsFor } from './suggestions.ts';

/** Completes what is typed: the arrows choose, Tab and Enter take, Escape puts the list away until more is typed. */
export function useCompletion(
  text: string,
  setText: (text: string) => void,
  commands: readonly PageCommand[],
) {
  const { offers, from } = suggestionsFor(text, { ...useReader(), commands });
  const { active, setActive, offer, move } = useActiveOffer(offers);
  const [isShut, setShut] = useState(false);
  const isOpen = offers.length > 0 && !isShut;

  const type = (words: string): void => {
    setText(words);
    setActive(0);
    setShut(false);
  };
  const pick = ({ value }: Offer): void => type(text.slice(0, from) + value);
  /** False when the key means nothing here. */
  const takeKey = (key: string): boolean => {
    if (!isOpen || !offer) return false;
    // What was typed whole is sent by Enter, not completed first.
    const isWhole = text === offer.value.trim();
    if (key === 'Tab' || (key === 'Enter' && !isWhole)) pick(offer);
    else if (key === 'Escape') setShut(true);
    else return move(key);
    return true;
  };
  return { offers, active, isOpen, type, pick, takeKey, shut: () => setShut(true) };
}
