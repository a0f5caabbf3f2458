import { useReader } from '../text/reader.ts';

/** When a message was written, as the reader's clock showed it. */
export function ClockTime({ ts }: { ts: string }) {
  const { timeZone } = useReader();
  const at = new Date(Number(ts) * 1000);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString('en-GB', { timeZone })}>
      {at.toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' })}
    </time>
  );
}
