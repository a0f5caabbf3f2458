import type { Terminal } from './terminal.ts';

const BAR = 24;
/** What takes shorter needs none. */
const LONG = 20;

export interface Progress {
  /** `total` null: nobody knows. */
  show(done: number, total: number | null): void;
  /** Takes the bar away. */
  clear(): void;
}

/** A bar on standard error, where that is a terminal and there is much to do. */
export function createProgress({ stderr }: Pick<Terminal, 'stderr'>, what: string): Progress {
  let isShown = false;
  return {
    show(done, total) {
      if (stderr.isTTY !== true || (total ?? done) < LONG) return;
      isShown = true;
      stderr.write(`\r${progressText(done, total, what)}`);
    },
    clear() {
      if (isShown) stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

export function progressText(done: number, total: number | null, what: string): string {
  if (total === null || total < done) return `${done} ${what}`;
  const filled = Math.round((BAR * done) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done} of ${total} ${what}`;
}
