import { useState } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import type { Chosen } from './held.ts';

/** An option. */
export interface Offer extends Chosen {
  /** Small text below it; empty for none. */
  readonly description: string;
}

/** Options under a heading, which may be empty. */
export interface OfferGroup {
  readonly heading: string;
  readonly offers: readonly Offer[];
}

interface OptionParts {
  readonly text: { readonly text: string };
  readonly value?: string;
  readonly description?: { readonly text: string };
}

export function offerOf({ text, value = '', description }: OptionParts): Offer {
  return { value, label: withEmoji(text.text), description: withEmoji(description?.text ?? '') };
}

/** The options of a select, as groups. */
export function offersOf(element: {
  readonly options?: readonly OptionParts[];
  readonly option_groups?: readonly {
    readonly label: { readonly text: string };
    readonly options: readonly OptionParts[];
  }[];
}): OfferGroup[] {
  const { options, option_groups = [] } = element;
  if (options) return [{ heading: '', offers: options.map(offerOf) }];
  return option_groups.map((group) => ({
    heading: withEmoji(group.label.text),
    offers: group.options.map(offerOf),
  }));
}

/** Options whose label contains the typed text, ignoring case. */
export function filtered(groups: readonly OfferGroup[], typed: string): OfferGroup[] {
  const wanted = typed.trim().toLowerCase();
  const fits = ({ label, description }: Offer): boolean =>
    `${label}\n${description}`.toLowerCase().includes(wanted);
  return groups
    .map((group) => ({ ...group, offers: group.offers.filter(fits) }))
    .filter(({ offers }) => offers.length > 0);
}

interface ActiveOffer {
  readonly active: number;
  readonly setActive: (place: number) => void;
  /** The option that Enter selects; undefined: there is none. */
  readonly offer: Offer | undefined;
  /** Arrows wrap around; false for any other key. */
  readonly move: (key: string) => boolean;
}

/** The active option of a list, while the focus stays in the text field. */
export function useActiveOffer(offers: readonly Offer[]): ActiveOffer {
  const [active, setActive] = useState(0);
  const move = (key: string): boolean => {
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || offers.length === 0) return false;
    setActive((active + step + offers.length) % offers.length);
    return true;
  };
  return { active, setActive, offer: offers[active], move };
}
