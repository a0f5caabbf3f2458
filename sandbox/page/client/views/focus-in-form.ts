const inputs = 'input, textarea, select';

/** Puts the focus where a person begins to fill in, unless they have begun. */
export function focusFirst(form: HTMLElement | null): void {
  const isBegun = document.activeElement?.matches(inputs) && form?.contains(document.activeElement);
  if (!form || isBegun) return;
  const first =
    form.querySelector<HTMLElement>('[data-first] :is(input, textarea, select)') ??
    form.querySelector<HTMLElement>(inputs) ??
    form.querySelector<HTMLElement>('.dialog-body');
  first?.focus({ preventScroll: true });
}

/** Puts the focus on the first input with which something is wrong. */
export function focusWrong(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>(`.wrong :is(${inputs})`)?.focus();
}
