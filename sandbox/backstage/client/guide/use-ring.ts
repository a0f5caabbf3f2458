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
    scrollTo(target, isStill ? 'instant' : 'smooth');
  };
  useEffect(() => {
    show();
    // In a narrower window the element may be behind a tab.
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  });
}

/** Unlike `scrollIntoView`, after which the next Tab would lead on from there, for example to Reject. */
function scrollTo(target: HTMLElement, behavior: ScrollBehavior): void {
  const { top, bottom } = target.getBoundingClientRect();
  for (let box = target.parentElement; box !== null; box = box.parentElement) {
    const { overflowY } = getComputedStyle(box);
    if (overflowY !== 'auto' && overflowY !== 'scroll') continue;
    const frame = box.getBoundingClientRect();
    const below = Math.max(0, bottom + MARGIN - frame.bottom);
    const above = Math.min(0, top - MARGIN - frame.top);
    box.scrollBy({ top: above || below, behavior });
    return;
  }
}

/** For the ring. */
const MARGIN = 8;

function isDrawn(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}

/** In a narrow window: the tab of the pane that contains it. */
function tabTo(element: HTMLElement): HTMLElement | undefined {
  const part = ['.sidebar', '.backstage'].find((each) => element.closest(each)) ?? '.conversation';
  const tabs = document.querySelectorAll<HTMLElement>('.pane-tabs button');
  return [...tabs].find(({ dataset }) => dataset.shows === part);
}
