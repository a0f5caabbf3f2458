import { useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { Popup } from './popup.tsx';

export interface MenuItem {
  readonly label: string;
  /** Small text below it. */
  readonly note?: string;
  readonly onPick: () => void;
}

interface Props {
  readonly label: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[];
  readonly isBusy?: boolean;
}

/** A button that opens a menu: arrows move in it, Escape closes it and returns the focus to the button. */
export function MenuButton({ label, icon = 'more', items, isBusy = false }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span class="menu-button">
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        aria-busy={isBusy || undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {isBusy ? <span class="spinner" aria-hidden="true" /> : <Icon name={icon} />}
      </button>
      {isOpen && (
        <Popup anchor={button} onShown={focusFirstItem}>
          <Menu
            id={menuId}
            label={label}
            items={items}
            onClose={close}
            onLeave={() => setOpen(false)}
          />
        </Popup>
      )}
    </span>
  );
}

interface MenuProps extends Pick<Props, 'label' | 'items'> {
  readonly id: string;
  /** An item was chosen, or the menu was dismissed. */
  readonly onClose: () => void;
  /** The focus moved elsewhere. */
  readonly onLeave: () => void;
}

function Menu({ id, label, items, onClose, onLeave }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = entries();
    const at = all.findIndex((entry) => entry.matches(':focus'));
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: -1,
    };
    const next = steps[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else if (next !== undefined) all.at(next % all.length)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={menu}
      id={id}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && menu.current?.contains(relatedTarget))) onLeave();
      }}
    >
      {items.map(({ label: words, note, onPick }) => (
        <button
          key={words}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            onClose();
            onPick();
          }}
        >
          {words}
          {note && <small>{note}</small>}
        </button>
      ))}
    </div>
  );
}

function focusFirstItem(box: HTMLElement): void {
  box.querySelector<HTMLElement>('[role=menuitem]')?.focus();
}
