import { closest } from '../lib/closest.ts';
import { Unfit } from './environment.ts';

/** Keys and indexes from the top of the file. */
export type Path = readonly (string | number)[];

/** Where a value stands, and where to note what is wrong with it. */
export interface Place {
  readonly path: Path;
  /** `message`: what follows the path in a sentence, without the value. */
  readonly note: (path: Path, message: string) => void;
}

export interface Reader<Value> {
  /** Never throws: what is wrong is noted, and a value of the right form given. null is left out, too. */
  read(value: unknown, place: Place): Value;
  /** What can stand below, as `.channel`, `[].id`, `.<name>.quorum`. */
  readonly keys: readonly string[];
}

type Take<Value> = (value: unknown) => Value;

/** One value; `fallback` where it is left out, or wrong. `take` throws Unfit. */
export function optional<Value, const Fallback>(
  take: Take<Value>,
  fallback: Fallback,
): Reader<Value | Fallback> {
  return {
    keys: [],
    read: (value, place) => (isLeftOut(value) ? fallback : taken(take, value, place, fallback)),
  };
}

/** One value that has to be there; null where it is not, or wrong. */
export function required<Value>(take: Take<Value>): Reader<Value | null> {
  const present = (value: unknown) => {
    if (isLeftOut(value)) throw new Unfit('is required');
    return take(value);
  };
  return { keys: [], read: (value, place) => taken(present, value, place, null) };
}

function taken<Value, Fallback>(
  take: Take<Value>,
  value: unknown,
  { path, note }: Place,
  fallback: Fallback,
): Value | Fallback {
  try {
    return take(value);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    note(path, error.message);
    return fallback;
  }
}

/** What is right of a list, once each. */
export function list<Item>(
  item: Reader<Item | null>,
  { least = 0 }: { readonly least?: number } = {},
): Reader<Item[]> {
  return {
    keys: item.keys.map((key) => `[]${key}`),
    read(value, { path, note }) {
      const items: unknown = isLeftOut(value) ? [] : value;
      if (!Array.isArray(items)) {
        note(path, 'must be a list, such as [one, two]');
        return [];
      }
      if (items.length < least) note(path, 'is required: at least one');
      const read = items.map((each, index) => item.read(each, { path: [...path, index], note }));
      return [...new Set(read.filter((each) => each !== null))];
    },
  };
}

/** What is right of items by names that people choose. `checkName` throws Unfit. */
export function named<Item>(
  checkName: Take<string>,
  item: Reader<Item | null>,
): Reader<Map<string, Item>> {
  return {
    keys: item.keys.map((key) => `.<name>${key}`),
    read(value, { path, note }) {
      const entries = Object.entries(membersOf(value, { path, note }) ?? {});
      const items = new Map<string, Item>();
      for (const [name, each] of entries) {
        const place = { path: [...path, name], note };
        taken(checkName, name, place, null);
        const read = item.read(each, place);
        if (read !== null) items.set(name, read);
      }
      return items;
    },
  };
}

type Shape = Readonly<Record<string, Reader<unknown>>>;
type Values<Of extends Shape> = {
  readonly [Key in keyof Of]: Of[Key] extends Reader<infer Value> ? Value : never;
};

/** Keys that are known. */
export function section<Of extends Shape>(shape: Of): Reader<Values<Of>> {
  const known = Object.keys(shape);
  return {
    keys: Object.entries(shape).flatMap(([key, { keys }]) =>
      ['', ...keys].map((below) => `.${key}${below}`),
    ),
    read(value, { path, note }) {
      const members = membersOf(value, { path, note });
      for (const key of Object.keys(members ?? {})) {
        if (!known.includes(key)) note([...path, key], strangeness(key, known));
      }
      // One problem is enough for what is no section at all.
      const noteBelow = members === undefined ? () => {} : note;
      const read = Object.entries(shape).map(([key, reader]) => [
        key,
        reader.read(members?.[key], { path: [...path, key], note: noteBelow }),
      ]);
      return Object.fromEntries(read) as Values<Of>; // as: each key has what its own reader gave
    },
  };
}

function strangeness(key: string, known: readonly string[]): string {
  const near = closest(key, known);
  return near === undefined
    ? `is not known: here may stand ${known.join(', ')}`
    : `is not known: did you mean ${near}?`;
}

/** undefined, and noted, when it holds something else. */
function membersOf(value: unknown, { path, note }: Place): Record<string, unknown> | undefined {
  if (isLeftOut(value)) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return { ...value };
  note(path, 'must hold keys with values');
  return undefined;
}

function isLeftOut(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
