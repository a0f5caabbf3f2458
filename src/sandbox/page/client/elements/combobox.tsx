import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Popup } from '../parts/popup.tsx';
import { ChosenTokens } from './chosen-tokens.tsx';
import { useField } from './field.ts';
import type { Chosen } from './held.ts';
import { OfferList } from './offer-list.tsx';
import type { Offer, OfferGroup } from './option-list.ts';

interface Props {
  readonly groups: readonly OfferGroup[];
  /** Instead of the list: that it is loading, or that there is nothing. */
  readonly note: string;
  readonly chosen: readonly Chosen[];
  readonly isMany: boolean;
  /** How many can be chosen at most. */
  readonly most?: number;
  readonly placeholder: string;
  readonly isWorking: boolean;
  readonly onTyped: (typed: string) => void;
  readonly onChoose: (chosen: readonly Chosen[]) => void;
}

/** A select with a search: what is typed narrows the list. */
export function Combobox(props: Props) {
  const { groups, note, chosen, isMany, most = Number.POSITIVE_INFINITY, onTyped } = props;
  const field = useField(props.placeholder);
  const listId = useId();
  const box = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const offers = groups.flatMap((group) => group.offers);
  const isFull = isMany && chosen.length >= most;

  const type = (text: string): void => {
    setTyped(text);
    setActive(0);
    onTyped(text);
  };
  const open = (): void => {
    if (isOpen || isFull) return;
    type('');
    setOpen(true);
    const at = offers.findIndex(({ value }) => !isMany && value === chosen[0]?.value);
    setActive(Math.max(0, at));
  };
  const close = (): void => {
    setOpen(false);
    setTyped('');
  };
  const choose = ({ value, label }: Offer): void => {
    const isChosen = chosen.some((each) => each.value === value);
    const others = isMany ? chosen.filter((each) => each.value !== value) : [];
    props.onChoose(isMany && isChosen ? others : [...others, { value, label }]);
    close();
  };
  const onKey = (event: KeyboardEvent): void => {
    const { key } = event;
    const offer = offers[active];
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const step = key === 'ArrowDown' ? 1 : -1;
      if (!isOpen) open();
      else if (offers.length > 0) setActive((active + step + offers.length) % offers.length);
    } else if (key === 'Enter' && isOpen && offer) choose(offer);
    else if (key === 'Enter' && !isOpen) open();
    else if (key === 'Escape' && isOpen) close();
    else if (key === 'Backspace' && typed === '' && chosen.length > 0) {
      props.onChoose(chosen.slice(0, -1));
    } else return;
    // Neither the dialog around it closes nor the form is sent.
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={box} class={isOpen ? 'combobox open' : 'combobox'}>
      {isMany && (
        <ChosenTokens
          chosen={chosen}
          onRemove={(value) => props.onChoose(chosen.filter((each) => each.value !== value))}
        />
      )}
      <input
        {...field}
        role="combobox"
        autocomplete="off"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && offers[active] ? `${listId}-${active}` : undefined}
        aria-busy={props.isWorking || undefined}
        placeholder={isMany && chosen.length > 0 ? '' : props.placeholder}
        value={isOpen || isMany ? typed : (chosen[0]?.label ?? '')}
        onClick={open}
        onInput={({ currentTarget }) => {
          setOpen(true);
          type(currentTarget.value);
        }}
        onKeyDown={onKey}
        onBlur={close}
      />
      {props.isWorking ? <span class="spinner" aria-hidden="true" /> : <Icon name="down" />}
      {isOpen && (
        <Popup anchor={box} isAsWide>
          <OfferList
            id={listId}
            groups={groups}
            note={note}
            active={active}
            chosen={chosen}
            onPick={choose}
          />
        </Popup>
      )}
    </div>
  );
}
