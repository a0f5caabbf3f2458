import { useState } from 'preact/hooks';
import type { Offer } from './option-list.ts';

export interface ActiveOffer {
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
