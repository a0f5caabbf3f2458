import { dateText } from './date-text.ts';
import { Link } from './link.tsx';
import type { DateInline } from './parse-mrkdwn.ts';
import { useReader } from './reader.ts';

/** A time in the reader's own zone. */
export function DateWords({ date }: { date: DateInline }) {
  const { timeZone } = useReader();
  const at = date.seconds * 1000;
  if (Number.isNaN(new Date(at).getTime())) return date.fallback;
  const words = (
    <time dateTime={new Date(at).toISOString()}>
      {dateText(date.form, at, timeZone, Date.now())}
    </time>
  );
  return date.href ? <Link href={date.href}>{words}</Link> : words;
}
