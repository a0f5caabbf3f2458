const forms: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { year: 'numeric', month: 'long', day: 'numeric', weekday: 'long' },
  time: { hour: '2-digit', minute: '2-digit' },
  time_secs: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
};
const dayMs = 86_400_000;

/** Slack's date format with its `{tokens}` filled in, in the reader's zone. Times in milliseconds since 1970. */
export function dateText(form: string, at: number, timeZone: string, now: number): string {
  return form.replace(/\{(\w+)\}/g, (whole, token) => filled(token, at, timeZone, now) ?? whole);
}

/** “today”, “yesterday”, “tomorrow”, or undefined. */
export function nearDay(at: number, timeZone: string, now: number): string | undefined {
  const dayOf = (time: number): string => new Date(time).toLocaleDateString('en-CA', { timeZone });
  const near = { today: now, yesterday: now - dayMs, tomorrow: now + dayMs };
  return Object.entries(near).find(([, day]) => dayOf(day) === dayOf(at))?.[0];
}

function filled(token: string, at: number, timeZone: string, now: number): string | undefined {
  if (token === 'ago') return ago(at, now);
  const form = forms[token.replace(/_pretty$/, '')];
  if (!form) return undefined;
  const near = token.endsWith('_pretty') ? nearDay(at, timeZone, now) : undefined;
  return near ?? new Date(at).toLocaleString('en-GB', { ...form, timeZone });
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function ago(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) < 60) return relative.format(seconds, 'second');
  if (Math.abs(seconds) < 3_600) return relative.format(Math.round(seconds / 60), 'minute');
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3_600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}
