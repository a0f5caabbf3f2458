/** An ISO 8601 time, in full precision. */
interface IsoTime {
  /** Whole seconds since the epoch; without a zone as if in UTC. */
  readonly seconds: number;
  /** The fraction's digits, without trailing zeros. */
  readonly fraction: string;
  readonly hasZone: boolean;
}

/** Date and time, extended or basic: `2030-01-01T10:00:00.120+01:00`, `20300101T1000+0100`, `2030-01-01T10:00`. */
const ISO_TIME =
  /^(\d{4})(-?)(\d\d)\2(\d\d)T(\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** For programs. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** null for anything else, and for a day or hour that does not exist. */
export function readIsoTime(text: string): IsoTime | null {
  const found = ISO_TIME.exec(text);
  if (found === null) return null;
  const [, year, , month, day, hour, , minute = '0', second = '0', fraction = '', zone] = found;
  const dayMs = dayOf(Number(year), Number(month), Number(day));
  const clock = secondsOf(Number(hour), Number(minute), Number(second));
  const offset = offsetOf(zone);
  if (dayMs === null || clock === null || offset === null) return null;
  return {
    seconds: dayMs / 1_000 + clock - offset,
    fraction: fraction.replace(/(?<!0)0+$/, ''),
    hasZone: zone !== undefined,
  };
}

/** In milliseconds since the epoch; null: not a time, or without a zone. */
export function instantOf(text: string): number | null {
  const time = readIsoTime(text);
  if (!time?.hasZone) return null;
  return time.seconds * 1_000 + Number(time.fraction.slice(0, 3).padEnd(3, '0'));
}

/** Below 0 when the first is earlier, 0 for the same instant. Anything that is not a time sorts first. */
export function compareIsoTimes(one: string, other: string): number {
  const [a, b] = [readIsoTime(one), readIsoTime(other)];
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  // Without trailing zeros, fractions sort like text.
  return Number(a.fraction > b.fraction) - Number(a.fraction < b.fraction);
}

function dayOf(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isThere ? date.getTime() : null;
}

/** ISO 8601 allows 24:00 at the end of a day, and 60 for a leap second. */
function secondsOf(hour: number, minute: number, second: number): number | null {
  const isMidnight = hour === 24 && minute === 0 && second === 0;
  if ((hour > 23 && !isMidnight) || minute > 59 || second > 60) return null;
  return (hour * 60 + minute) * 60 + second;
}

/** In seconds. */
function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60;
}
