import { nearDay } from '../text/date-text.ts';

/** Messages of one day, oldest first. */
export interface Day<M> {
  /** “Today”, “Monday, 3 August”, … */
  readonly name: string;
  readonly messages: readonly M[];
}

/** Messages, oldest first, by the reader's days. */
export function byDay<M extends { readonly ts: string }>(
  messages: readonly M[],
  timeZone: string,
  now: number,
): Day<M>[] {
  const days: { name: string; messages: M[] }[] = [];
  for (const message of messages) {
    const name = dayName(Number(message.ts) * 1000, timeZone, now);
    const last = days.at(-1);
    if (last?.name === name) last.messages.push(message);
    else days.push({ name, messages: [message] });
  }
  return days;
}

function dayName(at: number, timeZone: string, now: number): string {
  const near = nearDay(at, timeZone, now);
  if (near !== undefined) return near.charAt(0).toUpperCase() + near.slice(1);
  const form = { weekday: 'long', day: 'numeric', month: 'long', timeZone } as const;
  return new Date(at).toLocaleDateString('en-GB', form);
}
