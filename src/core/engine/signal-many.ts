import { type ListPiece, type StoredRecord, StoreError } from '../store/store.ts';
import { type NewSignal, type RecordDependencies, signalRecord } from './put-record.ts';

/**
 * A signal to each of many records. Who has to tell them keeps in its own record whom, or how far down the list it is,
 * so that after a crash the next process continues; a record that gets the same signal twice recognizes its id.
 */

/** missed: part of the store is unavailable, so it may not have got it. */
export type Signalled = 'stored' | 'missing' | 'missed';

/** Signals these records at the same time, by id. `once`: a Slack action, which may be delivered again. */
export function signalEach(
  core: RecordDependencies,
  signals: readonly (readonly [record: string, signal: NewSignal])[],
  options: { readonly once?: boolean } = {},
): Promise<readonly Signalled[]> {
  return Promise.all(
    signals.map(([record, signal]) =>
      signalRecord(core, record, signal, options).catch((error: unknown) => {
        if (error instanceof StoreError) return 'missed' as const;
        throw error;
      }),
    ),
  );
}

/** `next`: where the next page starts; null: there is none. */
export interface SignalledPage {
  readonly next: string | null;
  readonly stored: number;
  readonly hasMissed: boolean;
}

/**
 * Signals a page of the records on any of these lists, but those for which `signalTo` gives none. Throws StoreError if
 * the page cannot be read.
 */
export async function signalPage(
  core: RecordDependencies,
  lists: readonly string[],
  piece: ListPiece,
  signalTo: (record: StoredRecord) => NewSignal | undefined | Promise<NewSignal | undefined>,
): Promise<SignalledPage> {
  const { entries, next } = await core.store.list(lists, piece);
  const signals = entries.map(async ({ record }) => {
    const signal = await signalTo(record);
    return signal === undefined ? [] : [[record.id, signal] as const];
  });
  const ends = await signalEach(core, (await Promise.all(signals)).flat());
  const stored = ends.filter((end) => end === 'stored').length;
  return { next, stored, hasMissed: ends.includes('missed') };
}
