import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Popup } from '../parts/popup.tsx';
import { useField } from './field.ts';
import type { Chosen } from './held.ts';
import { OfferList } from './offer-list.tsx';
import { type Offer, type OfferGroup, useActiveOffer } from './option-list.ts';

interface ComboboxProps extends ChoosingProps {
  /** Shown instead of the list: it is loading, or there is nothing. */
  readonly note: string;
  readonly placeholder: string;
  readonly isWorking: boolean;
}

/** A select with a search field. */
export function Combobox(props: ComboboxProps) {
  const { groups, note, chosen, isMany, placeholder, isWorking } = props;
  const { isOpen, active, ...box } = useCombobox(props);
  const field = useField(placeholder);
  const listId = useId();
  const frame = useRef<HTMLDivElement>(null);
  return (
    <div ref={frame} class={isOpen ? 'combobox open' : 'combobox'}>
      {isMany && <ChosenTokens chosen={chosen} onRemove={box.remove} />}
      <input
        {...field}
        role="combobox"
        autocomplete="off"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && box.offer ? `${listId}-${active}` : undefined}
        aria-busy={isWorking || undefined}
        placeholder={isMany && chosen.length > 0 ? '' : placeholder}
        value={isOpen || isMany ? box.typed : (chosen[0]?.label ?? '')}
        onClick={box.open}
        onInput={({ currentTarget }) => box.type(currentTarget.value)}
        onKeyDown={box.onKeyDown}
        onBlur={box.close}
      />
      {isWorking ? <span class="spinner" aria-hidden="true" /> : <Icon name="down" />}
      {isOpen && (
        <Popup anchor={frame} isAsWide>
          <OfferList
            id={listId}
            groups={groups}
            note={note}
            active={active}
            chosen={chosen}
            onPick={box.choose}
          />
        </Popup>
      )}
    </div>
  );
}

interface ChosenTokensProps {
  readonly chosen: readonly Chosen[];
  readonly onRemove: (value: string) => void;
}

/** The chosen items of a multi-select. */
function ChosenTokens({ chosen, onRemove }: ChosenTokensProps) {
  if (chosen.length === 0) return null;
  return (
    <ul class="tokens" aria-label="Chosen">
      {chosen.map(({ value, label }) => (
        <li key={value}>
          {label}
          <button type="button" aria-label={`Remove ${label}`} onClick={() => onRemove(value)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ChoosingProps {
  readonly groups: readonly OfferGroup[];
  readonly chosen: readonly Chosen[];
  readonly isMany: boolean;
  /** The most that can be chosen. */
  readonly most?: number;
  readonly onTyped: (typed: string) => void;
  readonly onChoose: (chosen: readonly Chosen[]) => void;
}

/** The state of a combobox: whether its list is open, the typed text, and the keys. */
function useCombobox({ groups, chosen, isMany, most, onTyped, onChoose }: ChoosingProps) {
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
    // Neither closes the dialog nor submits the form.
    event.preventDefault();
    event.stopPropagation();
  };
  return { typed, isOpen, active, offer, type, open, close, remove, choose, onKeyDown };
}
