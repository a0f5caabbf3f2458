import type { Route } from '../../../core/config/config.ts';
import { cleanLine } from '../../../core/lib/clean-line.ts';
import { iso } from '../../../core/lib/iso-time.ts';
import { TRUE_TIME } from '../../../core/lib/timing.ts';
import { lastOf, windowsAt } from '../../electorate/closed.ts';
import { closedFrom } from '../../electorate/closed-from.ts';
import type { Operator } from '../part.ts';
import { readEnd } from '../read-end.ts';
import { channelsOf, storeClosing, WHY_MAX } from './store-closing.ts';

/** `gatepost close` and `gatepost open`. */

export const closeOperator: Operator = {
  options: [
    ['--until <time>', 'such as "Mon 08:00", in the time zone of this machine'],
    ['--why <text>', 'what people read'],
  ],

  read({ until = '', why = '' }, now) {
    const end = readEnd(until, now, Intl.DateTimeFormat().resolvedOptions().timeZone);
    if (end.kind !== 'end') return END_PROBLEMS[end.kind];
    const said = cleanLine(why);
    if (said === '' || said.length > WHY_MAX) return `--why needs one to ${WHY_MAX} characters.`;
    const closed = { until: end.until, why: said };
    return async (needs, route, { id, by }) => {
      const acted = { ms: needs.store.now() };
      const change = { kind: 'close', ...closed, by, channels: channelsOf(route), acted } as const;
      await storeClosing(needs, route.name, id, change);
      const now = needs.store.now();
      const last = lastOf([closed, ...windowsAt(route, now)]) ?? closed;
      const [from, until] = [iso(closedFrom(now, TRUE_TIME)), iso(last.until)];
      return {
        json: { isChanged: true, closed: { from, until, why: last.why } },
        line: `closed from ${from} until ${until}: ${last.why}`,
      };
    };
  },
};

const END_PROBLEMS = {
  past: '--until is in the past.',
  'too-far': '--until is too far ahead.',
  'other-weekday': 'The date of --until is on another weekday.',
  ambiguous: '--until can mean several times. Write a date, such as "30 Nov 08:00".',
  unknown: '--until is not understood. Write it like "Mon 08:00" or "24 Dec".',
} as const;

export const openOperator: Operator = {
  options: [],

  read:
    () =>
    async (needs, route, { id, by }) => {
      const change = { kind: 'open', by, channels: channelsOf(route) } as const;
      const isChanged = (await storeClosing(needs, route.name, id, change)) !== undefined;
      const closed = windowOf(route, needs.store.now());
      if (closed === undefined) {
        return { json: { isChanged }, line: isChanged ? 'open' : 'was not closed' };
      }
      return {
        json: { isChanged, closed },
        line: `stays closed until ${closed.until}, because gatepost.yaml says so: ${closed.why}`,
      };
    },
};

function windowOf(route: Route, now: number) {
  const window = lastOf(windowsAt(route, now));
  return window && { until: iso(window.until), why: window.why };
}
