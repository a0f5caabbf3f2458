import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** So near its end, in pixels, a log follows what is new. */
const nearEnd = 60;

interface Props {
  readonly label: string;
  /** Whose messages: another one begins at its end. */
  readonly of: string;
  /** The window was asked for a message in the middle. */
  readonly isSeeking: boolean;
  readonly children: ComponentChildren;
}

/** Messages that are read out as they come. It stays at its end while the reader is there. */
export function MessageLog({ label, of, isSeeking, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const shown = useRef('');
  useLayoutEffect(() => {
    const log = box.current;
    if (!log) return;
    if (shown.current !== of) isAtEnd.current = !isSeeking;
    shown.current = of;
    if (isAtEnd.current) log.scrollTop = log.scrollHeight;
  });
  const note = (): void => {
    const log = box.current;
    if (log) isAtEnd.current = log.scrollHeight - log.scrollTop - log.clientHeight < nearEnd;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a pointer it is scrolled by keys
    <div ref={box} class="log" role="log" aria-label={label} tabIndex={0} onScroll={note} key={of}>
      {children}
    </div>
  );
}
