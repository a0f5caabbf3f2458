import { DAY_END, DAY_MS } from '../../core/lib/wall-clock.ts';

/**
 * The grammar of `/approvals away`: every phrase of a time, and what it says. A phrase that can mean several things
 * says each of them (`next Friday`) or has several rows (`5/6`, `18`). The reader (`read-away.ts`) tries all rows.
 */

/** What phrases say; those of one text must not contradict each other. */
export interface Said {
  /** In days since 1970, in the person's calendar. */
  readonly date?: number;
  /** From 0 for Sunday. Beside a date: of that day. */
  readonly weekday?: number;
  /** Of the day. */
  readonly minute?: number;
  readonly part?: PartOfDay | undefined;
  /** The last day of a period. Nothing else goes with it. */
  readonly last?: number;
  /** Days from now on. Their date is said too. */
  readonly days?: number;
  /** From now on, or from the same time of that day on. */
  readonly hours?: number;
  readonly minutes?: number;
}

/** When it ends, and the times that belong to it, in minutes of the day. */
interface PartOfDay {
  readonly ends: number;
  readonly from: number;
  readonly to: number;
}

interface Phrase {
  readonly pattern: RegExp;
  /** Empty: there is no such day or time. */
  readonly says: (found: Found, today: number) => readonly Said[];
}

type Found = Readonly<Record<string, string | undefined>>;

export const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
export const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const NOON = 12 * 60;
const [SUNDAY, MONDAY, FRIDAY] = [0, 1, 5];

const PARTS: Readonly<Record<string, PartOfDay | undefined>> = {
  morning: { ends: 9 * 60, from: 0, to: NOON - 1 },
  afternoon: { ends: 18 * 60, from: NOON, to: 18 * 60 },
  evening: { ends: 22 * 60, from: 17 * 60, to: DAY_END },
  night: { ends: DAY_END, from: 18 * 60, to: DAY_END },
};

/** `9 in the morning` is a time, not the 9th of a month. */
const WHOLE_DAY: PartOfDay = { ends: DAY_END, from: 0, to: DAY_END };

const COUNTS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

// What patterns are made of.
const WEEKDAY = `(?<weekday>${beginnings(WEEKDAYS)}|weds)`;
const MONTH = `(?<month>${beginnings(MONTHS)})`;
const DAY = String.raw`(?<day>\d{1,2})`;
const TH = '(?:st|nd|rd|th)';
const NTH = `(?:the )?${DAY}(?: ${TH})?`;
const NUMBER = String.raw`(?<number>\d{1,2})`;
const YEAR = String.raw`(?<year>\d{4})`;
const YY = String.raw`(?<year>\d{2})`;
const SIGN = '(?<sign>[-/.])';
const SAME = String.raw`\k<sign>`;
const HOUR = String.raw`(?<hour>\d{1,2})`;
const MINUTE = String.raw`(?<minute>[0-5]\d)`;
const PART = `(?<part>${Object.keys(PARTS).join('|')})`;
const COUNT = String.raw`(?<count>\d{1,6}|an?|${COUNTS.join('|')})`;
const AT = '(?:at |@ )?';
const END_OF = '(?:the )?end of(?: this| the)?';
const AND_A_HALF = String.raw`(?<count>\d{1,3}\.5)`;
const UNTIL = '(?:until|till|til|to|through|thru|by)';

/** What may precede the time. */
export const PREPOSITION = new RegExp(`^(?:${UNTIL}|up to|for|within)(?: |$)`, 'iu');

export const PHRASES: readonly Phrase[] = [
  phrase('on|of|in|and|from now', () => [{}]),

  // Days.
  phrase('today', (_, today) => [{ date: today }]),
  phrase('tonight', (_, today) => [{ date: today, part: PARTS.night }]),
  phrase('tomorrow|tmrw', (_, today) => [{ date: today + 1 }]),
  phrase('(?:the )?day after tomorrow', (_, today) => [{ date: today + 2 }]),
  phrase('yesterday', (_, today) => [{ date: today - 1 }]),
  phrase('last (?:week|month|year)', (_, today) => [{ date: today - 7 }]),
  phrase(WEEKDAY, (found) => [{ weekday: weekdayIn(found) }]),
  phrase(`this ${WEEKDAY}`, (found, today) => [{ date: onOrAfter(today, weekdayIn(found)) }]),
  phrase(`(?:this )?coming ${WEEKDAY}`, (found, today) => [
    { date: onOrAfter(today + 1, weekdayIn(found)) },
  ]),
  phrase(`last ${WEEKDAY}`, (found, today) => [{ date: onOrAfter(today - 7, weekdayIn(found)) }]),
  phrase(`next ${WEEKDAY}`, (found, today) => [
    { date: onOrAfter(today + 1, weekdayIn(found)) },
    ...ofNextWeek(found, today),
  ]),
  phrase(`${WEEKDAY}(?: of)? next week`, ofNextWeek),
  phrase(`next week(?: on)? ${WEEKDAY}`, ofNextWeek),

  // Dates.
  phrase(`${NTH}(?: of)? ${MONTH}(?: ${YEAR})?`, datesOf),
  phrase(`${MONTH} ${NTH}(?: ${YEAR})?`, datesOf),
  phrase(`${YEAR}${SIGN}${NUMBER}${SAME}${DAY}`, datesOf),
  phrase(`${DAY}${SIGN}${NUMBER}(?:${SAME}${YEAR})?`, datesOf),
  phrase(`${NUMBER}${SIGN}${DAY}(?:${SAME}${YEAR})?`, datesOf),
  phrase(`${DAY}${SIGN}${NUMBER}${SAME}${YY}`, datesOf),
  phrase(`${NUMBER}${SIGN}${DAY}${SAME}${YY}`, datesOf),
  phrase(`${YY}${SIGN}${NUMBER}${SAME}${DAY}`, datesOf),
  phrase(`(?:the )?${DAY} ${TH}`, nextOfMonth),
  phrase(`the ${DAY}`, nextOfMonth),
  phrase(DAY, (found, today) =>
    nextOfMonth(found, today).map((said) => ({ ...said, part: WHOLE_DAY })),
  ),

  // Weeks and months: until they begin, or to their end. A week ends with its work, or with Sunday.
  phrase('next week', (_, today) => [
    { last: onOrAfter(today, SUNDAY) },
    { last: onOrAfter(today, SUNDAY) + 7 },
  ]),
  phrase(`(?:this|the|${END_OF}) week|eow|(?:this |the )?weekend`, (_, today) => [
    { last: onOrAfter(today, FRIDAY) },
    { last: onOrAfter(today, SUNDAY) },
  ]),
  phrase(`${END_OF} next week`, (_, today) => [
    { last: onOrAfter(today + 1, MONDAY) + 4 },
    { last: onOrAfter(today + 1, MONDAY) + 6 },
  ]),
  phrase('next month', (_, today) => [{ last: monthEnd(today, 0) }, { last: monthEnd(today, 1) }]),
  phrase(`(?:this|${END_OF}) month|eom`, (_, today) => [{ last: monthEnd(today, 0) }]),
  phrase(`${END_OF} next month`, (_, today) => [{ last: monthEnd(today, 1) }]),
  phrase(`${END_OF} ${MONTH}`, (found, today) => [{ last: endOfNamed(found, today) }]),
  phrase(MONTH, (found, today) => {
    const last = endOfNamed(found, today);
    const before = monthEnd(last, -1);
    return [...(before < today ? [] : [{ last: before }]), { last }];
  }),

  // Times of day.
  phrase(`${AT}${HOUR}(?:[:.]${MINUTE})? (?<half>[ap])m?`, timesOf),
  phrase(`${AT}${HOUR}[:.]${MINUTE}`, timesOf),
  phrase(`${AT}${HOUR}(?: oclock)?`, timesOf),
  phrase(`${UNTIL} ${HOUR} h(?: ${MINUTE})?`, timesOf),
  phrase(`${AT}(?:the )?${PART}`, ({ part = '' }) => [{ part: PARTS[part] }]),
  phrase(`this ${PART}`, ({ part = '' }, today) => [{ date: today, part: PARTS[part] }]),
  phrase(`${AT}(?:(?:12 )?noon|midday)`, () => [{ minute: NOON }]),
  phrase(`${AT}(?:12 )?midnight`, () => [{ minute: DAY_END }]),
  phrase(`${AT}${END_OF}(?: day)?|eod`, () => [{ minute: DAY_END }]),

  // From now on.
  phrase(`${COUNT} months?`, monthsLater),
  phrase(`${COUNT} (?:w|wks?|weeks?)`, ({ count }, today) => daysLater(today, 7 * numberIn(count))),
  phrase(`${COUNT} (?:d|days?)`, ({ count }, today) => daysLater(today, numberIn(count))),
  phrase(`${COUNT} (?:h|hrs?|hours?)`, ({ count }) => [{ hours: numberIn(count) }]),
  phrase(`${COUNT} (?:m|mins?|minutes?)`, ({ count }) => [{ minutes: numberIn(count) }]),
  phrase(`${COUNT} h ${MINUTE}`, ({ count, minute }) => [
    { hours: numberIn(count), minutes: Number(minute) },
  ]),
  phrase(`${AND_A_HALF} (?:h|hrs?|hours?)`, ({ count }) => [{ hours: Number(count) }]),
  phrase('half an hour', () => [{ minutes: 30 }]),
];

function phrase(pattern: string, says: Phrase['says']): Phrase {
  return { pattern: new RegExp(`^(?:${pattern})(?: |$)`, 'u'), says };
}

/** Each name, and its beginnings of at least three letters. */
function beginnings(names: readonly string[]): string {
  const all = names.flatMap((name) => Array.from(name.slice(2), (_, at) => name.slice(0, at + 3)));
  return all.join('|').toLowerCase();
}

function placeIn(names: readonly string[], typed = ''): number {
  return names.findIndex((name) => name.toLowerCase().startsWith(typed.slice(0, 3)));
}

function weekdayIn({ weekday }: Found): number {
  return placeIn(WEEKDAYS, weekday);
}

function numberIn(count = ''): number {
  if (/\d/u.test(count)) return Number(count);
  return count.startsWith('a') ? 1 : COUNTS.indexOf(count);
}

function daysLater(today: number, days: number): readonly Said[] {
  return [{ days, date: today + days }];
}

/** The first day with this weekday, from `day` on; 1970 began on a Thursday. */
export function onOrAfter(day: number, weekday: number): number {
  return day + ((((weekday - day - 4) % 7) + 7) % 7);
}

/** For weeks that start on Monday, and on Sunday. */
function ofNextWeek(found: Found, today: number): readonly Said[] {
  return [MONDAY, SUNDAY].map((start) => ({
    date: onOrAfter(onOrAfter(today + 1, start), weekdayIn(found)),
  }));
}

function datesOf({ day, month, number, year }: Found, today: number): readonly Said[] {
  const index = month === undefined ? Number(number) - 1 : placeIn(MONTHS, month);
  if (index < 0 || index > 11) return [];
  const dates = yearsOf(year, today).flatMap((each) => dateOf(each, index, Number(day)));
  const date = unlessLongAgo(dates, today);
  return date === undefined ? [] : [{ date }];
}

function yearsOf(typed: string | undefined, today: number): readonly number[] {
  if (typed?.length === 4) return [Number(typed)];
  const { year } = calendarOf(today);
  const around = [year - 1, year, year + 1];
  return typed === undefined ? around : around.filter((each) => each % 100 === Number(typed));
}

/** What passed longer ago is not meant if it comes again. */
const JUST_PASSED_DAYS = 90;

function unlessLongAgo(dates: readonly number[], today: number): number | undefined {
  return dates.find((date) => date >= today - JUST_PASSED_DAYS) ?? dates.at(-1);
}

/** Also the one after it, if it is today. */
function nextOfMonth({ day }: Found, today: number): readonly Said[] {
  const { year, month } = calendarOf(today);
  const dates = [0, 1, 2, 3].flatMap((later) => dateOf(year, month + later, Number(day)));
  const next = dates.filter((date) => date >= today);
  return next.slice(0, next[0] === today ? 2 : 1).map((date) => ({ date }));
}

function monthsLater({ count }: Found, today: number): readonly Said[] {
  const { day } = calendarOf(today);
  const end = monthEnd(today, numberIn(count));
  // A shorter month ends before that day.
  return [{ date: Math.min(monthEnd(today, numberIn(count) - 1) + day, end) }];
}

/** The last day of the month that comes so many months after the one of `date`. */
function monthEnd(date: number, months: number): number {
  const { year, month } = calendarOf(date);
  return Date.UTC(year, month + months + 1, 0) / DAY_MS;
}

/** The last day of a month with a name. */
function endOfNamed({ month }: Found, today: number): number {
  const months = placeIn(MONTHS, month) - calendarOf(today).month;
  const ends = [months - 12, months, months + 12].map((each) => monthEnd(today, each));
  return unlessLongAgo(ends, today) ?? today;
}

/** `month`: from 0; more than 11 are in later years. Empty if the month has no such day. */
function dateOf(year: number, month: number, day: number): readonly number[] {
  const date = Date.UTC(year, month, day) / DAY_MS;
  return calendarOf(date).day === day ? [date] : [];
}

function calendarOf(date: number) {
  const at = new Date(date * DAY_MS);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth(), day: at.getUTCDate() };
}

/**
 * `5`, `5:30` and `5 o'clock` are in both halves of the day; `05:30`, `10:30` and `17` are times of a 24-hour clock. A
 * midnight begins the day, or ends it.
 */
function timesOf({ hour = '', minute, half }: Found): readonly Said[] {
  const [hours, past] = [Number(hour), Number(minute ?? 0)];
  const isOf24 = hour.startsWith('0') || hours > 12 || (minute !== undefined && hour.length === 2);
  if (half !== undefined && (hours === 0 || hours > 12)) return [];
  const halves = { a: [0], p: [12] }[half ?? ''] ?? [0, 12];
  const times =
    half === undefined && isOf24
      ? [hours * 60 + past]
      : halves.map((first) => ((hours % 12) + first) * 60 + past);
  return times
    .filter((time) => time <= DAY_END)
    .flatMap((time) => (time === 0 ? [{ minute: 0 }, { minute: DAY_END }] : { minute: time }));
}
