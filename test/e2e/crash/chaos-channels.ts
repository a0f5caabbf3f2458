export const CHAOS_CHANNELS: readonly string[] = Array.from(
  { length: 15 },
  (_, at) => `C0CHAOS${at}`,
);
