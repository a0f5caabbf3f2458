import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * When the focused element in a box is removed, the box gets the focus: otherwise keyboard users would land at the top
 * of the page.
 */
export function useKeptFocus(box: RefObject<HTMLElement | null>): void {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const watched = box.current;
    const take = (): void => {
      hadFocus.current = true;
    };
    // Whether the focus moved or its element was removed is known after drawing.
    const lose = (): void =>
      queueMicrotask(() => {
        hadFocus.current = watched?.contains(document.activeElement) === true;
      });
    watched?.addEventListener('focusin', take);
    watched?.addEventListener('focusout', lose);
    return () => {
      watched?.removeEventListener('focusin', take);
      watched?.removeEventListener('focusout', lose);
    };
  }, [box]);
  useLayoutEffect(() => {
    const isNowhere = document.activeElement === document.body;
    if (hadFocus.current && isNowhere) box.current?.focus({ preventScroll: true });
  });
}

/** Returns the focus to the element that had it before, when the part of the page that took it is gone. */
export function useFocusReturn(): void {
  useLayoutEffect(() => {
    const before = focusPath();
    return () => queueMicrotask(() => focusAgain(before));
  }, []);
}

/** The focused element, then its ancestors that can be focused instead. */
function focusPath(): readonly HTMLElement[] {
  const path: HTMLElement[] = [];
  let at: Element | null = document.activeElement;
  while (at instanceof HTMLElement && at !== document.body) {
    path.push(at);
    at = at.parentElement?.closest('[tabindex]') ?? null;
  }
  return path;
}

/** Focuses the first of them that is still there, unless something else has the focus. */
function focusAgain(path: readonly HTMLElement[]): void {
  const isNowhere = document.activeElement === null || document.activeElement === document.body;
  if (isNowhere) path.find((each) => each.isConnected)?.focus({ preventScroll: true });
}
