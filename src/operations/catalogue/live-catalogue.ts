import type { Config, Source } from '../../core/config/config.ts';
import type { Timers } from '../../core/lib/timers.ts';
import type { Store } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { idsOf, readReports, withReports } from './reported.ts';

type Catalogue = Config['catalogue'];

export interface LiveCatalogue {
  /** Reads what was reported, now. While the store is away the last reading stays in use. */
  refresh(): Promise<void>;
  /** Reads it, and again whenever the time has passed: another replica may take a report. */
  start(): Promise<void>;
  stop(): void;
}

/** Keeps this process's catalogue up to date. `extend`: adds reports to that of gatepost.yaml. */
export function createLiveCatalogue({
  store,
  sources,
  timers,
  everyMs,
  extend,
}: {
  readonly store: Store;
  readonly sources: readonly Source[];
  readonly timers: Timers;
  readonly everyMs: number;
  readonly extend: (more: (own: Catalogue) => Catalogue) => void;
}): LiveCatalogue {
  let [isStopped, cancel] = [idsOf(sources).length === 0, () => {}];
  let last: Promise<void> = Promise.resolve();
  const read = async () => {
    const reports = await unlessAway(readReports(store, sources), undefined);
    if (reports !== undefined) extend((own) => withReports(own, reports));
  };
  // In turn: a slow reading must not replace a later one.
  const refresh = () => {
    last = last.then(read, read);
    return last;
  };
  const later = () => {
    if (isStopped) return;
    cancel = timers.after(everyMs, () => void refresh().finally(later));
  };
  return {
    refresh,
    async start() {
      if (!isStopped) await refresh();
      later();
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
