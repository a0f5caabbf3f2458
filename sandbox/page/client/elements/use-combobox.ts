import { useState } from 'preact/hooks';
import type { Chosen } from './held.ts';
import type { Offer, OfferGroup } from './option-list.ts';
import { useActiveOffer } from './use-active-offer.ts';

export interface ComboboxProps {
  readonly groups: readonly OfferGroup[];
  readonly chosen: readonly Chosen[];
  readonly isMany: boolean;
  /** How many can be chosen at most. */
  readonly most?: number;
  readonly onTyped: (typed: string) => void;
  readonly onChoose: (chosen: readonly Chosen[]) => void;
}

/** What a combobox does: when its list is open, what was typed, and what keys mean. */
export function useCombobox({ groups, chosen, isMany, most, onTyped, onChoose }: ComboboxProps) {
  const offers = groups.flatMap((group) => group.offers);
  const { active, setActive, offer, move } = useActiveOffer(offers);
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const isFull = isMany && most !== undefined && chosen.length >= most;

  const type = (text: string): void => {
    setTyped(text);
    setActive(0);
    setOpen(!isFull);
    onTyped(text);
  };
  const open = (): void => {
    if (isOpen) return;
    type('');
    const at = offers.findIndex(({ value }) => !isMany && value === chosen[0]?.value);
    setActive(Math.max(0, at));
  };
  const close = (): void => {
    setOpen(false);
    setTyped('');
  };
  const remove = (value: string): void => onChoose(chosen.filter((each) => each.value !== value));
  const choose = ({ value, label }: Offer): void => {
    close();
    if (isMany && chosen.some((each) => each.value === value)) remove(value);
    else onChoose([...(isMany ? chosen : []), { value, label }]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen && ['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) open();
    else if (isOpen && event.key === 'Enter' && offer) choose(offer);
    else if (isOpen && event.key === 'Escape') close();
    else if (event.key === 'Backspace' && typed === '' && chosen.length > 0) {
      onChoose(chosen.slice(0, -1));
    } else if (!isOpen || !move(event.key)) return;
    // Neither the dialog around it closes nor the form is sent.
    event.preventDefault();
    event.stopPropagation();
  };
  return { typed, isOpen, active, offer, type, open, close, remove, choose, onKeyDown };
}
