import type { Answer } from './exchange.ts';

/** Requests in the order of arrival. */
export interface Journal<Arrival, Entry> {
  /** Keeps an arrival; the returned function records how it was answered. */
  readonly arrive: (arrival: Arrival) => (answer: Answer) => void;
  readonly entries: () => readonly Entry[];
  readonly clear: () => void;
}

/** @param entryOf its answer is null until there is one. */
export function createJournal<Arrival, Entry>(
  entryOf: (arrival: Arrival, answer: Answer | null) => Entry,
  changed: () => void,
): Journal<Arrival, Entry> {
  let entries: Entry[] = [];
  return {
    arrive: (arrival) => {
      const list = entries;
      const place = list.push(entryOf(arrival, null)) - 1;
      changed();
      return (answer) => {
        list[place] = entryOf(arrival, answer);
        changed();
      };
    },
    entries: () => entries,
    clear: () => {
      entries = [];
    },
  };
}
