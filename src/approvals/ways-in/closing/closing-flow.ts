import { isDeepStrictEqual } from 'node:util';
import type { Core } from '../../../core/core.ts';
import type { Due } from '../../../core/engine/first-due.ts';
import type { Applied } from '../../../core/engine/flow.ts';
import { signalRecord } from '../../../core/engine/put-record.ts';
import { omit } from '../../../core/lib/omit.ts';
import { present } from '../../../core/lib/present.ts';
import { encodeSignal } from '../../decision/signal.ts';
import type { Barred } from '../../electorate/bar.ts';
import { lastOf, nextWindowAt, windowsAt } from '../../electorate/closed.ts';
import {
  CLOSING_KIND,
  type Closing,
  type ClosingSignal,
  closedBy,
  closingKey,
  decodeClosing,
  encodeClosing,
  isOver,
  overClosing,
  receiveClosing,
  windowRecord,
  withWindow,
} from '../../electorate/closing.ts';
import { routeNamed } from '../../electorate/route-for.ts';
import { createTellingFlow, type ToldSoFar } from '../../tell/tell-many.ts';
import { noticeText } from './closing-words.ts';
import { channelsOf } from './store-closing.ts';

/**
 * What follows from a closing: the open requests of the route read it again, and its channels get an announcement. The
 * record lasts until the route is open again, all were told of that too, and no command can be delivered again.
 */
export function createClosingFlow(core: Core) {
  return createTellingFlow(core, {
    kind: CLOSING_KIND,
    decode: decodeClosing,
    encode: encodeClosing,
    // as: only `storeClosing` writes it
    receive: (closing, signal) =>
      receiveClosing(closing, signal, JSON.parse(signal.body) as ClosingSignal),
    dues: (closing, now) => dueChanges(core, closing, now),
    change: (closing, step, now) => changed(core, closing, step, now),
    toldOf: ({ route, after, hasMissed }) => ({
      routes: [route],
      ...present({ after, hasMissed }),
    }),
    withTold: (closing, told: ToldSoFar | undefined) => ({
      ...omit<Closing, Closing>(closing, 'after', 'hasMissed'),
      ...present({ after: told?.after, hasMissed: told?.hasMissed }),
    }),
    signal: (id, changedAt) => ({
      id: `closing.${id}.${changedAt}`,
      body: encodeSignal({ kind: 'closing', changedAt }),
    }),
    wantedOf: (closing, notice) => ({
      content: () =>
        noticeText(notice, routeNamed(core, closing.route), stillClosed(core, closing)),
    }),
  });
}

interface ClosingChange {
  /** The time is over; a time of the file begins or ends. */
  readonly kind: 'end-closing' | 'note-window';
}

/**
 * Looks whether the file closes routes, or does not any more: at the start, and when its rules were read again. Throws
 * StoreError.
 */
export async function lookAtWindows(core: Core): Promise<void> {
  const { store, config, random } = core;
  const signal = { id: `look.${random.uuid()}`, body: JSON.stringify({ kind: 'look' }) };
  for (const { name, closed } of config.routes) {
    const known = await store.find(closingKey(name));
    if (known !== undefined) await signalRecord(core, known.id, signal);
    else if (closed.some(({ until }) => until > store.now())) {
      const record = windowRecord(name, store.now());
      await store.create({ ...record, lane: 'people', dueInMs: 0, place: null }, { hold: false });
    }
  }
}

function dueChanges(core: Core, closing: Closing, now: number): readonly Due<ClosingChange>[] {
  const { openedAt, until, window, route } = closing;
  const isNoted = isDeepStrictEqual(windowOf(core, closing, now), window);
  const end = now >= until ? ({ kind: 'end-closing' } as const) : until;
  return [
    openedAt === undefined ? end : null,
    isNoted ? (window?.until ?? null) : { kind: 'note-window' },
    nextWindowAt(routeNamed(core, route), now) ?? null,
  ];
}

function changed(
  core: Core,
  closing: Closing,
  { kind }: ClosingChange,
  now: number,
): Applied<Closing> {
  const channels = channelsOf(routeNamed(core, closing.route));
  if (kind === 'end-closing') {
    const isDue = closing.openedAt === undefined && isOver(closing, now);
    return isDue ? overClosing(closing, channels, now) : { data: closing };
  }
  const window = windowOf(core, closing, now);
  if (isDeepStrictEqual(window, closing.window)) return { data: closing };
  return withWindow(closing, window, channels, now);
}

/** The time of the file that is on now. */
function windowOf(core: Core, { route }: Closing, now: number): Barred | undefined {
  return lastOf(windowsAt(routeNamed(core, route), now));
}

/** What keeps the route closed now: people, or the file. */
function stillClosed(core: Core, closing: Closing): Barred | undefined {
  const now = core.store.now();
  return lastOf([closedBy(closing, now), windowOf(core, closing, now)].flatMap((it) => it ?? []));
}
