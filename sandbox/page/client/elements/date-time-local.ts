/** Seconds since 1970 in the format of `datetime-local`: `2026-11-20T13:05`, in a zone. */
export function localOf(seconds: number, timeZone: string): string {
  const form = { dateStyle: 'short', timeStyle: 'short', timeZone } as const;
  return new Date(seconds * 1000).toLocaleString('sv-SE', form).replace(' ', 'T');
}

/** The moment at which clocks in the zone show that; the first one, if clocks were set back. */
export function secondsOf(local: string, timeZone: string): number {
  const asUtc = Date.parse(`${local}:00Z`) / 1000;
  // The difference between the shown and the real time is the zone's offset.
  const shown = Date.parse(`${localOf(asUtc, timeZone)}:00Z`) / 1000;
  const guess = asUtc - (shown - asUtc);
  const again = Date.parse(`${localOf(guess, timeZone)}:00Z`) / 1000;
  return guess - (again - asUtc);
}
