import { useEffect, useRef } from 'preact/hooks';
import type { Target } from './targets.ts';

/** Highlights the element that the hint names, and scrolls it into view once. The focus does not move. */
export function useRing(words: string, at: Target | undefined): void {
  const shown = useRef('');
  const show = (): void => {
    const named = at?.();
    const target = named && (isDrawn(named) ? named : tabTo(named));
    for (const old of document.querySelectorAll('[data-ringed]')) {
      if (old !== target) old.removeAttribute('data-ringed');
    }
    if (!target) return;
    target.setAttribute('data-ringed', '');
    const what = `${words} ${target === named}`;
    if (shown.current === what) return;
    shown.current = what;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    target.scrollIntoView({ block: 'nearest', behavior: isStill ? 'instant' : 'smooth' });
  };
  useEffect(() => {
    show();
    // In a narrower window the element may be behind a tab.
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  });
}

function isDrawn(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}

/** In a narrow window: the tab of the pane that contains it. */
function tabTo(element: HTMLElement): HTMLElement | undefined {
  const part = ['.sidebar', '.backstage'].find((each) => element.closest(each)) ?? '.conversation';
  const tabs = document.querySelectorAll<HTMLElement>('.pane-tabs button');
  return [...tabs].find(({ dataset }) => dataset.shows === part);
}
