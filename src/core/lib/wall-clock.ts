/** The clocks of time zones, from the tz database that Node brings along. Wall times are as if they were UTC. */

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;
/** As minutes of the day. */
export const DAY_END = 24 * 60;
/** The end of a day is shown as 23:59, not as 00:00 of the next. */
const LAST_SECOND_MS = 1_000;

/** What a clock in the zone shows at that time. */
export function wallClock(at: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value);
  const day = Date.UTC(part('year'), part('month') - 1, part('day'));
  const time = Date.UTC(1970, 0, 1, part('hour'), part('minute'), part('second'));
  return day + time + (((at % 1_000) + 1_000) % 1_000);
}

/**
 * When a clock in the zone shows this time. If it does twice, the second time; if never (clocks go forward), the moment
 * after the gap.
 */
export function timeOfClock(wall: number, timeZone: string): number {
  const around = [wall - DAY_MS, wall + DAY_MS];
  const instants = around.map((at) => wall - (wallClock(at, timeZone) - at));
  const real = instants.filter((at) => wallClock(at, timeZone) === wall);
  return Math.max(...(real.length > 0 ? real : instants));
}

/** `day`: in days since 1970, in the zone's calendar. `minute`: of the day; 0 is the end of the day before. */
export function momentOf(day: number, minute: number, timeZone: string): number {
  const moment = timeOfClock(day * DAY_MS + minute * MINUTE_MS, timeZone);
  return minute % DAY_END === 0 ? moment - LAST_SECOND_MS : moment;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
}

/** The zone, if this machine knows it; null: unknown. */
export function knownZone(timeZone: string | null): string | null {
  if (timeZone === null) return null;
  try {
    formatOf(timeZone);
    return timeZone;
  } catch {
    return null;
  }
}
