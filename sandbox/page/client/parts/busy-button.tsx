import type { ComponentChildren } from 'preact';

interface Props {
  readonly children: ComponentChildren;
  /** Omitted for a button that submits its form. */
  readonly onPress?: () => void;
  readonly isBusy?: boolean;
  /** Classes: `primary`, `danger`, `small`. */
  readonly kind?: string;
  /** For screen readers, if it says more than the visible text. */
  readonly label?: string | undefined;
}

/**
 * A button with a busy state that runs one action at a time. It is not `disabled` while busy: that would remove the
 * focus.
 */
export function BusyButton({ children, onPress, isBusy = false, kind = '', label }: Props) {
  return (
    <button
      type={onPress ? 'button' : 'submit'}
      class={`button ${kind}`}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      aria-label={label}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onPress?.();
      }}
    >
      {children}
      {isBusy && <span class="spinner" aria-hidden="true" />}
    </button>
  );
}
