import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** When what had the focus in a box is drawn away, the box gets it: nobody who uses a keyboard is thrown to the top of the page. */
export function useKeptFocus(box: RefObject<HTMLElement | null>): void {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const watched = box.current;
    const take = (): void => {
      hadFocus.current = true;
    };
    // Whether it was given away or drawn away shows when the drawing is done.
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

/** Gives the focus back to what had it before, when the part of the page that took it is gone. */
export function useFocusReturn(): void {
  useLayoutEffect(() => {
    const before = focusPath();
    return () => queueMicrotask(() => focusAgain(before));
  }, []);
}

/** What has the focus, then the boxes around it that can take it in its place. */
function focusPath(): readonly HTMLElement[] {
  const path: HTMLElement[] = [];
  let at: Element | null = document.activeElement;
  while (at instanceof HTMLElement && at !== document.body) {
    path.push(at);
    at = at.parentElement?.closest('[tabindex]') ?? null;
  }
  return path;
}

/** Gives the focus back to the first of them that is still there, unless something else has it. */
function focusAgain(path: readonly HTMLElement[]): void {
  const isNowhere = document.activeElement === null || document.activeElement === document.body;
  if (isNowhere) path.find((each) => each.isConnected)?.focus({ preventScroll: true });
}
