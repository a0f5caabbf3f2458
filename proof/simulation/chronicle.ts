import { createHash } from 'node:crypto';
import type { Scheduler } from './scheduler.ts';

interface Line {
  readonly at: number;
  readonly text: string;
  /** Names of its subjects; null: it concerns everybody, as a fault does. */
  readonly about: readonly string[] | null;
}

/**
 * Everything that happens in a world, in order. The trace is a hash of all of it: two worlds with any difference have
 * different traces. The lines themselves are kept only if somebody reads them.
 */
export class Chronicle {
  readonly #scheduler: Pick<Scheduler, 'now'>;
  readonly #keeps: boolean;
  readonly #hash = createHash('sha256');
  readonly #lines: Line[] = [];
  /** Other names of a subject: the ids of its records. */
  readonly #names = new Map<string, string[]>();
  #unread = '';

  constructor(scheduler: Pick<Scheduler, 'now'>, keeps: boolean) {
    this.#scheduler = scheduler;
    this.#keeps = keeps;
  }

  note(who: string, what: string, ...about: readonly string[]): void {
    this.#add(who, what, about);
  }

  noteForAll(who: string, what: string): void {
    this.#add(who, what, null);
  }

  alsoCalled(subject: string, name: string): void {
    const names = this.#names.get(subject);
    if (names === undefined) this.#names.set(subject, [name]);
    else if (!names.includes(name)) names.push(name);
  }

  /** SHA-256 in hex digits. */
  trace(): string {
    this.#read();
    return this.#hash.copy().digest('hex');
  }

  /** Lines about one subject, and about everybody during that time. */
  of(subject: string): string[] {
    const names = [subject, ...(this.#names.get(subject) ?? [])];
    const isOwn = ({ about }: Line) => about?.some((name) => names.includes(name)) === true;
    const own = this.#lines.filter(isOwn);
    const [from, to] = [own[0]?.at ?? 0, own.at(-1)?.at ?? Number.POSITIVE_INFINITY];
    return this.#lines
      .filter((line) => isOwn(line) || (line.about === null && line.at >= from && line.at <= to))
      .map((line) => `  ${worded(line)}`);
  }

  /** Everything, in order. */
  all(): string[] {
    return this.#lines.map(worded);
  }

  #add(who: string, what: string, about: Line['about']): void {
    const at = this.#scheduler.now;
    const text = `${who}: ${what}`;
    this.#unread += `${at} ${text}\n`;
    if (this.#unread.length > 65_536) this.#read();
    if (this.#keeps) this.#lines.push({ at, text, about });
  }

  #read(): void {
    this.#hash.update(this.#unread);
    this.#unread = '';
  }
}

function worded({ at, text }: Line): string {
  return `${(at / 1_000).toFixed(3).padStart(9)} s  ${text}`;
}
