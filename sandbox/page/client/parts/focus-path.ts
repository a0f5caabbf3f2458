/** What has the focus, then the boxes around it that can take it in its place. */
export function focusPath(): readonly HTMLElement[] {
  const path: HTMLElement[] = [];
  let at: Element | null = document.activeElement;
  while (at instanceof HTMLElement && at !== document.body) {
    path.push(at);
    at = at.parentElement?.closest('[tabindex]') ?? null;
  }
  return path;
}

/** Gives the focus back to the first of them that is still there, unless something else has it. */
export function focusAgain(path: readonly HTMLElement[]): void {
  const isNowhere = document.activeElement === null || document.activeElement === document.body;
  if (isNowhere) path.find((each) => each.isConnected)?.focus({ preventScroll: true });
}
