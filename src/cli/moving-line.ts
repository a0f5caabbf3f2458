import type { System } from '../core/lib/system.ts';
import type { Terminal } from './terminal.ts';

/** A line on standard error with the elapsed time while somebody waits; nothing if that is not a terminal. */
export interface MovingLine extends Disposable {
  show(text: string): void;
  /** Removes it so that a permanent line can be written; it comes back by itself. */
  clear(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const FIRST_MS = 500;

/** `firstMs`: the delay before the line appears. */
export function createMovingLine(
  { stderr }: Terminal,
  { clock, timers }: System,
  firstMs = FIRST_MS,
): MovingLine {
  const startedAt = clock.monotonic();
  const isMoving = stderr.isTTY === true;
  let text: string | undefined;
  let frame = 0;
  let cancel = () => {};
  const clear = () => void (frame > 0 && stderr.write('\r\u001b[K'));
  const draw = () => {
    const full = `${FRAMES[frame % FRAMES.length]} ${text} · ${durationText(clock.monotonic() - startedAt)}`;
    clear();
    // A line that wraps could not be removed.
    stderr.write(full.slice(0, Math.max(20, (stderr.columns ?? 80) - 1)));
    frame += 1;
    cancel = timers.after(FRAME_MS, draw);
  };
  return {
    show(next) {
      const isFirst = text === undefined;
      text = next;
      if (!isMoving || !isFirst) return;
      if (firstMs === 0) draw();
      else cancel = timers.after(firstMs, draw);
    },
    clear,
    [Symbol.dispose]() {
      cancel();
      clear();
      // Only once: later output stays.
      frame = 0;
    },
  };
}

/** “3 min”. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** Shows the text during some work. */
export async function whileShown<Result>(
  text: string,
  { terminal, system }: { readonly terminal: Terminal; readonly system: System },
  work: () => Promise<Result>,
): Promise<Result> {
  using line = createMovingLine(terminal, system);
  line.show(text);
  return await work();
}
