import { NOW } from '../approvals.ts';

/** Something due at a time that only its owner knows. */
export interface Alarm {
  readonly at: number | null;
  ring(): void;
}

/** Simulated time: events happen in order, and nothing waits in real time. */
export class Timeline {
  now = NOW;
  readonly #coming: { readonly at: number; readonly happen: () => void }[] = [];

  after(ms: number, happen: () => void): void {
    const at = this.now + ms;
    const later = this.#coming.findIndex((each) => each.at > at);
    this.#coming.splice(later === -1 ? this.#coming.length : later, 0, { at, happen });
  }

  /** Advances time until `isDone`, or by at most `limitMs`. True: done. */
  async runUntil(isDone: () => boolean, limitMs: number, alarm: Alarm): Promise<boolean> {
    const end = this.now + limitMs;
    while (!isDone()) {
      const nextAt = this.#coming[0]?.at ?? Number.POSITIVE_INFINITY;
      const alarmAt = alarm.at ?? Number.POSITIVE_INFINITY;
      if (Math.min(nextAt, alarmAt) > end) {
        this.now = end;
        return false;
      }
      this.now = Math.max(this.now, Math.min(nextAt, alarmAt));
      if (nextAt <= alarmAt) this.#coming.shift()?.happen();
      else alarm.ring();
      // Lets all pending promises settle.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  }
}

/** One process of Gatepost; a dead one receives nothing. */
export interface Process {
  readonly name: string;
  isAlive: boolean;
}

/** The course of one call over a network. All times are from its start. */
export interface Course {
  /** When it takes effect on the other side; absent: never. */
  readonly landsMs?: number;
  readonly endsMs: number;
  /** What the caller gets instead of an answer. */
  readonly failure?: Error;
  readonly crashMs?: number;
}

/** Makes a call: `land` is its effect on the other side. */
export function call<Value>(
  timeline: Timeline,
  process: Process,
  { landsMs, endsMs, failure, crashMs }: Course,
  land: () => Value,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let answer: () => void = () => reject(failure);
    if (landsMs !== undefined) {
      timeline.after(landsMs, () => {
        try {
          const value = land();
          if (failure === undefined) answer = () => resolve(value);
        } catch (error) {
          if (failure === undefined) answer = () => reject(error);
        }
      });
    }
    timeline.after(endsMs, () => process.isAlive && answer());
    if (crashMs !== undefined) {
      timeline.after(crashMs, () => {
        process.isAlive = false;
      });
    }
  });
}
