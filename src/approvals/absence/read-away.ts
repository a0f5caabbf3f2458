import { casual, type ParsedResult } from 'chrono-node/en';
import { foldTyped } from '../../core/lib/fold-typed.ts';

/** Parses what people type about an absence: until when, and who is the substitute. */

/** A command after `/approvals`. undefined: it is about something else. */
export type AwayTyped =
  | { readonly kind: 'show' }
  | { readonly kind: 'back' }
  /** `until`: the typed time; empty: none. */
  | { readonly kind: 'set'; readonly until: string; readonly substitute?: string }
  /** A name that Slack did not turn into a mention; a group or channel; two people. */
  | { readonly kind: 'unknown-name' | 'no-person' | 'several' };

const MENTION = /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/gu;
const AWAY = /^away\b/iu;
const UNTIL = /^(?:until|till|til|to|through|thru|by)\b/iu;
const JOINS = /(?:\b(?:with|and|substitute)|[,:;+&])$/iu;

/** `text`: with Slack's escapes. */
export function readAwayTyped(text: string): AwayTyped | undefined {
  const users = [...new Set([...text.matchAll(MENTION)].map(([, user = '']) => user))];
  const words = foldTyped(text.replaceAll(MENTION, ' '));
  if (/^back$/iu.test(words)) return { kind: 'back' };
  if (!AWAY.test(words)) return undefined;
  const rest = words.replace(AWAY, '').trim();
  if (/<[!#]/u.test(rest)) return { kind: 'no-person' };
  if (/(?:^|\s)@\S/u.test(rest)) return { kind: 'unknown-name' };
  const [substitute, ...others] = users;
  if (others.length > 0) return { kind: 'several' };
  const until = foldTyped(foldTyped(rest.replace(UNTIL, '')).replace(JOINS, ''));
  if (until === '' && substitute === undefined) {
    return rest === '' ? { kind: 'show' } : { kind: 'set', until };
  }
  return { kind: 'set', until, ...(substitute !== undefined && { substitute }) };
}

export const AWAY_DAYS_MAX = 90;

export type AwayEnd =
  /** Exclusive, in milliseconds. */
  | { readonly kind: 'end'; readonly until: number }
  | { readonly kind: 'past' | 'too-far' | 'unknown' };

const WORDS_MAX = 100;
/** Month and day are in a different order in different countries. */
const AMBIGUOUS = /^\d{1,2}[/.-]\d{1,2}(?:[/.-]\d+)?\.?$/u;
const DAY_MS = 86_400_000;
/** The end of a day is shown as 23:59, not as 00:00 of the next. */
const LAST_SECOND_MS = 1_000;

/**
 * The end of an absence: the end of the named day in the person's time zone, or the named time. A weekday is the next
 * one after today. `timeZone`: a tz database name.
 */
export function readAwayEnd(words: string, now: number, timeZone: string): AwayEnd {
  if (words.length > WORDS_MAX || AMBIGUOUS.test(words)) return { kind: 'unknown' };
  // Parsed as if the person's clock were UTC, to be independent of this machine's zone.
  const today = wallClock(now, timeZone);
  const reference = { instant: new Date(today), timezone: 0 };
  const found = casual.parse(words, reference, { forwardDate: true });
  const [only] = found;
  if (only === undefined || found.length > 1 || !isWhole(only, words)) return { kind: 'unknown' };
  const { start } = only;
  const hasTime = start.isCertain('hour');
  const wall = dayOf(only, today);
  if (wall === undefined) return { kind: 'unknown' };
  const until = hasTime ? instantOf(wall, timeZone) : endOfDay(wall, timeZone);
  if (until <= now) return { kind: 'past' };
  const last = endOfDay(today + AWAY_DAYS_MAX * DAY_MS, timeZone);
  return until > last ? { kind: 'too-far' } : { kind: 'end', until };
}

/** Everything typed was understood, and can be an end. */
function isWhole({ text, end, start }: ParsedResult, words: string): boolean {
  const isSpan = end !== null && end !== undefined;
  const hasDay = (['day', 'weekday', 'hour'] as const).some((part) => start.isCertain(part));
  // "In 5 hours" gets the zone of the reference; any other zone was typed.
  const hasZone =
    start.isCertain('timezoneOffset') && !/\b(?:h|hours?|hrs?|m|min(?:ute)?s?)\b/iu.test(words);
  return text.length === words.length && !isSpan && hasDay && !hasZone;
}

/** The person's wall clock at that time; undefined: weekday and date do not match. */
function dayOf({ start }: ParsedResult, today: number): number | undefined {
  const wall = start.date().getTime();
  if (!start.isCertain('weekday')) return wall;
  if (start.isCertain('day')) {
    return new Date(wall).getUTCDay() === start.get('weekday') ? wall : undefined;
  }
  const isToday = Math.floor(wall / DAY_MS) === Math.floor(today / DAY_MS);
  return isToday ? wall + 7 * DAY_MS : wall;
}

function endOfDay(wall: number, timeZone: string): number {
  const midnight = (Math.floor(wall / DAY_MS) + 1) * DAY_MS;
  return instantOf(midnight, timeZone) - LAST_SECOND_MS;
}

/**
 * When a clock in the zone shows this time. If it does twice, the second time; if never (clocks go forward), the moment
 * after the gap.
 */
function instantOf(wall: number, timeZone: string): number {
  const around = [wall - DAY_MS, wall + DAY_MS];
  const instants = around.map((at) => wall - (wallClock(at, timeZone) - at));
  const real = instants.filter((at) => wallClock(at, timeZone) === wall);
  return Math.max(...(real.length > 0 ? real : instants));
}

/** A zone's wall clock, as if it were UTC. */
function wallClock(at: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value);
  const day = Date.UTC(part('year'), part('month') - 1, part('day'));
  const time = Date.UTC(1970, 0, 1, part('hour'), part('minute'), part('second'));
  return day + time + (((at % 1_000) + 1_000) % 1_000);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
}

/** The person's zone, if this machine knows it; null: unknown. */
export function knownZone(timeZone: string | null): string | null {
  if (timeZone === null) return null;
  try {
    formatOf(timeZone);
    return timeZone;
  } catch {
    return null;
  }
}
