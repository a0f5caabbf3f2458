import { useId, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Popup } from '../parts/popup.tsx';
import { ChosenTokens } from './chosen-tokens.tsx';
import { useField } from './field.ts';
import { OfferList } from './offer-list.tsx';
import { type ComboboxProps, useCombobox } from './use-combobox.ts';

interface Props extends ComboboxProps {
  /** Instead of the list: that it is loading, or that there is nothing. */
  readonly note: string;
  readonly placeholder: string;
  readonly isWorking: boolean;
}

/** A select with a search: what is typed narrows the list. */
export function Combobox(props: Props) {
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
