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
