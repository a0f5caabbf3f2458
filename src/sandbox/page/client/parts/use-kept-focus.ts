import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** When what had the focus in a box is drawn away, the box gets it: nobody who uses a keyboard is thrown to the top of the page. */
export function useKeptFocus(box: RefObject<HTMLElement | null>): void {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const watched = box.current;
    const note = (event: FocusEvent): void => {
      // What was taken out of the page did not give the focus away.
      if (event.type === 'focusin') hadFocus.current = true;
      else hadFocus.current = !(event.target instanceof Node && event.target.isConnected);
    };
    watched?.addEventListener('focusin', note);
    watched?.addEventListener('focusout', note);
    return () => {
      watched?.removeEventListener('focusin', note);
      watched?.removeEventListener('focusout', note);
    };
  }, [box]);
  useLayoutEffect(() => {
    const isNowhere = document.activeElement === document.body;
    if (hadFocus.current && isNowhere) box.current?.focus({ preventScroll: true });
  });
}
