import { useEffect } from 'preact/hooks';

/** Gives the focus back to what had it before, when the part of the page that took it goes. */
export function useFocusReturn(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
}
