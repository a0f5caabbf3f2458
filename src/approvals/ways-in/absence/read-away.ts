import { foldTyped, isHelp } from '../../../core/lib/fold-typed.ts';
import {
  DAY_END,
  DAY_MS,
  MINUTE_MS,
  momentOf,
  timeOfClock,
  wallClock,
} from '../../../core/lib/wall-clock.ts';
import { onOrAfter, PHRASES, PREPOSITION, type Said } from './away-grammar.ts';

/** Parses what people type about an absence: until when, and who is the substitute. */

/** A command after `/approvals`. undefined: it is about something else. */
export type AwayTyped =
  | { readonly kind: 'show' }
  | { readonly kind: 'back' }
  /** `until`: the typed time; empty: none. */
  | { readonly kind: 'set'; readonly until: string; readonly substitute?: string }
  /** A name that Slack did not turn into a mention; a group or channel; two people. */
  | { readonly kind: 'unknown-name' | 'no-person' | 'several' };

/** A mention, with the word or sign that introduces it. */
const SUBSTITUTE =
  /(?:\b(?:with|and|by|substitute)\b[:,]?|[:+&]|&amp;)? ?<@([UW][A-Z0-9]+)(?:\|[^<>]*)?> ?,?/giu;
const AWAY = /^away\b/iu;

/** `text`: with Slack's escapes. */
export function readAwayTyped(text: string): AwayTyped | undefined {
  const typed = foldTyped(text);
  const users = [...new Set([...typed.matchAll(SUBSTITUTE)].map(([, user = '']) => user))];
  const words = foldTyped(typed.replaceAll(SUBSTITUTE, ' '));
  if (/^back$/iu.test(words)) return { kind: 'back' };
  if (!AWAY.test(words)) return undefined;
  const rest = foldTyped(words.replace(AWAY, ''));
  if (isHelp(rest)) return undefined;
  if (/<[!#]/u.test(rest)) return { kind: 'no-person' };
  if (/(?:^|\s)@\S/u.test(rest)) return { kind: 'unknown-name' };
  const [substitute, ...others] = users;
  if (others.length > 0) return { kind: 'several' };
  if (rest === '' && substitute === undefined) return { kind: 'show' };
  const until = rest.replace(PREPOSITION, '') === '' ? '' : rest;
  return { kind: 'set', until, ...(substitute !== undefined && { substitute }) };
}

export const AWAY_DAYS_MAX = 90;

export type AwayEnd =
  /** Exclusive, in milliseconds. */
  | { readonly kind: 'end'; readonly until: number }
  /** What it can mean, in order. */
  | { readonly kind: 'ambiguous'; readonly readings: readonly number[] }
  /** other-weekday: not the one of the date. */
  | { readonly kind: 'past' | 'too-far' | 'other-weekday' | 'unknown' };

const WORDS_MAX = 100;

/**
 * The end of an absence: the named time, or the end of the named day, in the person's time zone. `timeZone`: a tz
 * database name.
 */
export function readAwayEnd(words: string, now: number, timeZone: string): AwayEnd {
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
  const last = momentOf(today + AWAY_DAYS_MAX, DAY_END, timeZone);
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
