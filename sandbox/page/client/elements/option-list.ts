import { useState } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import type { Chosen } from './held.ts';

/** Something that can be chosen. */
export interface Offer extends Chosen {
  /** Small print below it; empty for none. */
  readonly description: string;
}

/** Things that can be chosen, under a heading; the heading is empty where there is none. */
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

/** What a select offers, from its options or its groups of them. */
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

/** Those whose words contain what was typed, without regard to case. */
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
  /** The one that Enter takes; undefined when nothing is offered. */
  readonly offer: Offer | undefined;
  /** Arrows go round through the list; false for any other key. */
  readonly move: (key: string) => boolean;
}

/** Which one of a list the keys are at, while the focus stays in the box above it. */
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
