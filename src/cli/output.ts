import type { Terminal } from './terminal.ts';

/** Control characters that JSON lets through, and marks that turn a text's direction: a terminal acts on them. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The value as JSON that is safe to show in a terminal. Ends with a line break. */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  return `${json.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

const BAR = 24;
/** What takes shorter needs none. */
const LONG = 20;

interface Progress {
  /** `total` null: nobody knows. */
  show(done: number, total: number | null): void;
  /** Takes the bar away. */
  clear(): void;
}

/** A bar on standard error, where that is a terminal and there is much to do. */
export function createProgress({ stderr }: Terminal, what: string): Progress {
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

function progressText(done: number, total: number | null, what: string): string {
  if (total === null || total < done) return `${done} ${what}`;
  const filled = Math.round((BAR * done) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done} of ${total} ${what}`;
}
