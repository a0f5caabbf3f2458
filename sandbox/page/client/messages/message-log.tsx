import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** This close to its end, in pixels, a log scrolls to new messages. */
const nearEnd = 60;

interface Props {
  readonly label: string;
  /** Id of the conversation: another one starts at its end. */
  readonly of: string;
  /** The window's address names a message. */
  readonly isSeeking: boolean;
  readonly children: ComponentChildren;
}

/** Messages, announced by screen readers as they arrive. It stays scrolled to its end while the reader is there. */
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
