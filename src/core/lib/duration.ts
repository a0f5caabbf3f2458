const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const DURATION_PATTERN = /^(\d{1,9}) ?([smhd])$/;

/** `90s`, `30m`, `12h` or `7d`, in milliseconds; NaN: it is none. */
export function durationMs(text: string): number {
  const [, count, unit = ''] = DURATION_PATTERN.exec(text) ?? [];
  return Number(count) * (UNITS_MS[unit] ?? Number.NaN);
}
