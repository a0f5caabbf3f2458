import {
  DAY_END,
  DAY_MS,
  MINUTE_MS,
  momentOf,
  timeOfClock,
  wallClock,
} from '../../core/lib/wall-clock.ts';
import { MONTHS, onOrAfter, PHRASES, PREPOSITION, type Said, WEEKDAYS } from './end-grammar.ts';

/** Parses until when something lasts that people type: an absence, a closed route. */

export const END_DAYS_MAX = 90;

export type TypedEnd =
  /** Exclusive, in milliseconds. */
  | { readonly kind: 'end'; readonly until: number }
  /** What it can mean, in order. */
  | { readonly kind: 'ambiguous'; readonly readings: readonly number[] }
  /** other-weekday: not the one of the date. */
  | { readonly kind: 'past' | 'too-far' | 'other-weekday' | 'unknown' };

const WORDS_MAX = 100;

/**
 * The end of something that begins now: the named time, or the end of the named day, in the person's time zone. `timeZone`: a tz
 * database name.
 */
export function readEnd(words: string, now: number, timeZone: string): TypedEnd {
  if (words.length > WORDS_MAX) return { kind: 'unknown' };
  const today = Math.floor(wallClock(now, timeZone) / DAY_MS);
  const text = plainWords(words);
  const texts = new Set([text, text.replace(PREPOSITION, '')]);
  const said = [...texts].flatMap((each) => everyReading(each, today));
  const found = said.flatMap((each) => momentsOf(each, { now, today, timeZone }));
  // What is over today is not meant, if something else can be.
  const midnight = momentOf(today, 0, timeZone);
  const open = found.filter((moment) => moment > now || moment < midnight);
  const readings = [...new Set(open.length > 0 ? open : found)].toSorted((a, b) => a - b);
  const [until] = readings;
  if (until === undefined) {
    const isOther = said.some(
      ({ date, weekday }) => date !== undefined && !isOfWeekday(date, weekday),
    );
    return { kind: isOther ? 'other-weekday' : 'unknown' };
  }
  if (readings.length > 1) return { kind: 'ambiguous', readings };
  if (until <= now) return { kind: 'past' };
  const last = momentOf(today + END_DAYS_MAX, DAY_END, timeZone);
  return until > last ? { kind: 'too-far' } : { kind: 'end', until };
}

/** Lower-case words and numbers with one blank between them: `18. Dec., 5 p.m.` is `18 dec 5 pm`. */
function plainWords(words: string): string {
  return words
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll("'", '')
    .replace(/\b([ap])\. ?m\b/gu, '$1m')
    .replace(/(\d)\. (\d{1,2})\. (?=\d{4})/gu, '$1.$2.')
    .replace(/(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)/gu, ' ')
    .replace(/,|\.(?=\s|[a-z]|$)|(?<=[a-z])\./gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** What the whole text can say, by each way to divide it into phrases. None is `tried` twice. */
function everyReading(
  text: string,
  today: number,
  before: Said = {},
  tried = new Set<string>(),
): readonly Said[] {
  const attempt = `${text}\n${JSON.stringify(before)}`;
  if (tried.has(attempt)) return [];
  tried.add(attempt);
  if (text === '') return [before];
  return PHRASES.flatMap(({ pattern, says }) => {
    const match = pattern.exec(text);
    if (match === null) return [];
    const rest = text.slice(match[0].length);
    return says(match.groups ?? {}, today).flatMap((more) => {
      const said = together(before, more);
      return said === undefined ? [] : everyReading(rest, today, said, tried);
    });
  });
}

/** undefined: they contradict each other. */
function together(before: Said, more: Said): Said | undefined {
  const members: Readonly<Record<string, unknown>> = { ...before };
  const isSame = Object.entries(more).every(
    ([name, value]) => members[name] === undefined || members[name] === value,
  );
  return isSame ? { ...before, ...more } : undefined;
}

interface Clock {
  readonly now: number;
  readonly today: number;
  readonly timeZone: string;
}

/** Empty: it is no time. */
function momentsOf(said: Said, { now, today, timeZone }: Clock): readonly number[] {
  const { last, date, weekday, part, minute = part?.ends, days, hours, minutes } = said;
  const at = (day: number) => momentOf(day, minute ?? DAY_END, timeZone);
  if (last !== undefined) return Object.keys(said).length === 1 ? [at(last)] : [];
  if (hours !== undefined || minutes !== undefined) {
    const isDated = date !== undefined && days === undefined;
    if (isDated || weekday !== undefined || minute !== undefined) return [];
    const later = wallClock(now, timeZone) + (days ?? 0) * DAY_MS;
    const from = days === undefined ? now : timeOfClock(later, timeZone);
    return [from + ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS];
  }
  if (part !== undefined && minute !== undefined) {
    if (minute < part.from || minute > part.to) return [];
  }
  if (date !== undefined) return isOfWeekday(date, weekday) ? [at(date)] : [];
  if (weekday !== undefined) {
    const next = onOrAfter(today, weekday);
    return next === today ? [at(today), at(today + 7)] : [at(next)];
  }
  if (minute === undefined) return [];
  return [at(today) > now ? at(today) : at(today + 1)];
}

function isOfWeekday(date: number, weekday: number | undefined): boolean {
  return weekday === undefined || onOrAfter(date, weekday) === date;
}

/** `Friday 4 December, 18:00`, as clocks in the zone show it; with the year if it is another one than now. */
export function fullText(at: number, timeZone: string, now: number): string {
  const wall = new Date(wallClock(at, timeZone));
  const year = wall.getUTCFullYear();
  const isThisYear = year === new Date(wallClock(now, timeZone)).getUTCFullYear();
  const day = `${WEEKDAYS[wall.getUTCDay()]} ${wall.getUTCDate()} ${MONTHS[wall.getUTCMonth()]}${isThisYear ? '' : ` ${year}`}`;
  return `${day}, ${wall.toISOString().slice(11, 16)}`;
}
