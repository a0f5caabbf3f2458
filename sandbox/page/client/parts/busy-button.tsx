import type { ComponentChildren } from 'preact';

interface Props {
  readonly children: ComponentChildren;
  /** Left out by a button that sends its form. */
  readonly onPress?: () => void;
  readonly isBusy?: boolean;
  /** Classes: `primary`, `danger`, `small`. */
  readonly kind?: string;
  /** For screen readers, when it says more than what is shown. */
  readonly label?: string | undefined;
}

/** A button that shows that it works and does one thing at a time. It is not `disabled` while it works: that would take the focus from it. */
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
