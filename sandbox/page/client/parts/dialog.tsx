import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { useFocusReturn } from './use-focus-return.ts';

interface Props {
  readonly title: string;
  /** Before the title. */
  readonly icon?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Escape, or the cross. */
  readonly onClose: () => void;
  /** Back to what it lies upon, where it does. */
  readonly onBack?: () => void;
}

/** A box above everything else. The browser keeps the focus inside. */
export function Dialog({ title, icon, children, onClose, onBack }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useFocusReturn();
  useLayoutEffect(() => {
    const shown = box.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={box}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="dialog-head">
        {onBack && (
          <button type="button" class="icon-button" aria-label="Back" onClick={onBack}>
            <Icon name="back" />
          </button>
        )}
        {icon}
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
