import type { System } from '../core/lib/system.ts';
import type { Terminal } from './terminal.ts';

/** A line on standard error while somebody waits, with how long it has taken so far; nothing where that is no terminal. */
export interface MovingLine extends Disposable {
  show(text: string): void;
  /** Takes it away, so that a line that stays can be written; it comes back by itself. */
  clear(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const FIRST_MS = 500;

/** `firstMs`: what is done sooner needs no line. */
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
    // A line that wraps could not be taken away.
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
      // Once: what is written from then on stays.
      frame = 0;
    },
  };
}

function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Shows the text while something is worked on. */
export async function whileShown<Result>(
  text: string,
  { terminal, system }: { readonly terminal: Terminal; readonly system: System },
  work: () => Promise<Result>,
): Promise<Result> {
  using line = createMovingLine(terminal, system);
  line.show(text);
  return await work();
}
