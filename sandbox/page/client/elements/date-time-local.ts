/** Seconds since 1970 as a browser writes a moment: `2026-11-20T13:05`, in a zone. */
export function localOf(seconds: number, timeZone: string): string {
  const form = { dateStyle: 'short', timeStyle: 'short', timeZone } as const;
  return new Date(seconds * 1000).toLocaleString('sv-SE', form).replace(' ', 'T');
}

/** The moment at which clocks in the zone show that; of a time that comes twice, the first. */
export function secondsOf(local: string, timeZone: string): number {
  const asUtc = Date.parse(`${local}:00Z`) / 1000;
  // A zone is some hours off: what it shows then tells how many.
  const shown = Date.parse(`${localOf(asUtc, timeZone)}:00Z`) / 1000;
  const guess = asUtc - (shown - asUtc);
  const again = Date.parse(`${localOf(guess, timeZone)}:00Z`) / 1000;
  return guess - (again - asUtc);
}
