import { askServerTime } from '../../core/slack/slack-fetch.ts';
import { advice, type CheckNeeds, type Found, fine, wrong } from './found.ts';

/** Slack's requests are refused once they are five minutes old. */
const SKEW_MS = 60_000;
const ADVISED_SKEW_MS = 5_000;

export async function checkClock({
  config,
  system,
  signal,
  connect,
  ...needs
}: CheckNeeds): Promise<Found> {
  const { clock } = system;
  const others: { readonly name: string; readonly skewMs: number }[] = [];
  const sentAt = clock.now();
  const slackAt = await askServerTime(config.slack.apiUrl, signal, connect).catch(() => null);
  // Rounded to the second, at some time between request and answer.
  if (slackAt !== null)
    others.push({ name: 'Slack', skewMs: skewOf(slackAt, sentAt, clock.now(), 1_000) });
  if (config.store.kind === 'redis') {
    const store = await needs.store().catch(() => null);
    if (store !== null) {
      const now = clock.now();
      others.push({ name: 'Redis', skewMs: skewOf(store.now(), now, now, 0) });
    }
  }
  const [worst] = others.toSorted((a, b) => Math.abs(b.skewMs) - Math.abs(a.skewMs));
  if (worst === undefined)
    return advice(
      'neither Slack nor Redis returned the time',
      'Make sure that this machine synchronizes its clock (NTP).',
    );
  const { name, skewMs } = worst;
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const detail = `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} ${name}`;
  const fix = 'Set the clock of this machine or of Redis, and keep it synchronized (NTP).';
  if (Math.abs(skewMs) > SKEW_MS) return wrong(detail, fix);
  if (Math.abs(skewMs) > ADVISED_SKEW_MS) return advice(detail, fix);
  return fine(`in step with ${others.map((each) => each.name).join(' and ')}`);
}

/** How far our clock is ahead; 0 if the two may agree. */
function skewOf(theirs: number, from: number, until: number, roundedMs: number): number {
  if (from > theirs + roundedMs) return from - theirs - roundedMs;
  return until < theirs ? until - theirs : 0;
}
