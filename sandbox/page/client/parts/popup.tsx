import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  /** It is shown below this element, or above it if there is more room. */
  readonly anchor: RefObject<HTMLElement | null>;
  /** As wide as its anchor; otherwise as its content. */
  readonly isAsWide?: boolean;
  /** Called once it can take the focus. */
  readonly onShown?: (box: HTMLElement) => void;
  readonly children: ComponentChildren;
}

const gap = 4;
const mostHeight = 320;

/** A box above everything, including dialogs, that is not clipped. */
export function Popup({ anchor, isAsWide = false, onShown, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = box.current;
    const at = anchor.current;
    if (!shown || !at) return;
    const settle = (): void => placeBeside(shown, at, isAsWide);
    shown.showPopover();
    settle();
    onShown?.(shown);
    addEventListener('scroll', settle, true);
    addEventListener('resize', settle);
    return () => {
      removeEventListener('scroll', settle, true);
      removeEventListener('resize', settle);
    };
    // It is positioned once, when it is shown.
  }, [anchor, isAsWide]);
  return (
    <div ref={box} class="popup" popover="manual">
      {children}
    </div>
  );
}

function placeBeside(box: HTMLElement, anchor: HTMLElement, isAsWide: boolean): void {
  const { top, bottom, left, width } = anchor.getBoundingClientRect();
  const [above, below] = [top - 2 * gap, innerHeight - bottom - 2 * gap];
  const isBelow = below >= Math.min(box.scrollHeight, mostHeight) || below >= above;
  const { style } = box;
  style.maxHeight = `${Math.min(mostHeight, isBelow ? below : above)}px`;
  style.width = isAsWide ? `${width}px` : 'max-content';
  style.top = isBelow ? `${bottom + gap}px` : 'auto';
  style.bottom = isBelow ? 'auto' : `${innerHeight - top + gap}px`;
  const isRight = left > innerWidth / 2 && !isAsWide;
  const start = isRight ? left + width - box.offsetWidth : left;
  style.left = `${Math.max(gap, Math.min(start, innerWidth - box.offsetWidth - gap))}px`;
}
