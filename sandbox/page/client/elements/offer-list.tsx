import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import type { Chosen } from './held.ts';
import type { Offer, OfferGroup } from './option-list.ts';

interface Props {
  readonly id: string;
  readonly groups: readonly OfferGroup[];
  readonly note: string;
  /** Index of the option that Enter selects, counted over all groups. */
  readonly active: number;
  readonly chosen: readonly Chosen[];
  readonly onPick: (offer: Offer) => void;
}

/** The list of a combobox. The focus stays in the text field, which points to the active option. */
export function OfferList({ id, groups, note, active, chosen, onPick }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector(`[id="${id}-${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  let place = -1;
  const draw = (offer: Offer) => {
    place += 1;
    const isChosen = chosen.some(({ value }) => value === offer.value);
    return (
      <OneOffer
        key={offer.value}
        id={`${id}-${place}`}
        offer={offer}
        isActive={place === active}
        isChosen={isChosen}
        onPick={onPick}
      />
    );
  };
  return (
    <>
      <div ref={list} id={id} role="listbox" aria-label="Options">
        {groups.map(({ heading, offers }) =>
          heading === '' ? (
            offers.map(draw)
          ) : (
            // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
            <div key={heading} role="group" aria-label={heading}>
              <div class="offer-heading" aria-hidden="true">
                {heading}
              </div>
              {offers.map(draw)}
            </div>
          ),
        )}
      </div>
      <p class="offer-note" role="status">
        {note}
      </p>
    </>
  );
}

interface OneProps {
  readonly id: string;
  readonly offer: Offer;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly onPick: (offer: Offer) => void;
}

function OneOffer({ id, offer, isActive, isChosen, onPick }: OneProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the combobox has the focus and the keys
    <div
      id={id}
      role="option"
      class={isActive ? 'offer active' : 'offer'}
      aria-selected={isChosen}
      // Keeps the focus in the text field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onPick(offer)}
    >
      <span>
        {offer.label}
        {offer.description && <small>{offer.description}</small>}
      </span>
      {isChosen && <Icon name="check" />}
    </div>
  );
}
