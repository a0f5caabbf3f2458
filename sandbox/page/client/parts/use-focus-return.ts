import { useLayoutEffect } from 'preact/hooks';
import { focusAgain, focusPath } from './focus-path.ts';

/** Gives the focus back to what had it before, when the part of the page that took it is gone. */
export function useFocusReturn(): void {
  useLayoutEffect(() => {
    const before = focusPath();
    return () => queueMicrotask(() => focusAgain(before));
  }, []);
}
