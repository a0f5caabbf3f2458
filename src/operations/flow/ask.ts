import type { ModalView } from '@slack/types';
import { type RecordDependencies, recordOnce, signalRecord } from '../../core/engine/put-record.ts';
import type { Store } from '../../core/store/store.ts';
import {
  decodeOperation,
  encodeOperation,
  type OperationRecord,
  type OperationState,
  stateOf,
} from './operation.ts';
import { encodeSignal } from './operation-flow.ts';
import { auditEntry, isRepeatable } from './progress.ts';
import { type Report, stateText } from './report.ts';
import type { OperationTypes, Rules } from './rules.ts';
import { allowed, firstPhase } from './sending.ts';

/** What somebody asks for. */
export interface Ask<T extends OperationTypes> {
  readonly by: string;
  readonly channel: string;
  readonly wish: T['wish'];
  /** Whether a channel is told. */
  readonly announce: boolean;
  /** Which; absent: `channel`. */
  readonly announceIn?: NonNullable<Report['announceIn']>;
  /** The modal in which it is shown; absent: there is none. */
  readonly modal?: string;
  /** Whether what acknowledges it shows it; absent: it does. */
  readonly isShown?: boolean;
  /** Nobody is told: whoever asks reads the record. */
  readonly silent?: true;
  /** Whoever asks may, and has just read how it stands. */
  readonly isReady?: boolean;
  /** Unique, among its kind, to what was pressed, typed or sent. */
  readonly key: string;
  /** Unique to this delivery. */
  readonly delivery: string;
}

export interface Asked<T extends OperationTypes> {
  readonly id: string;
  /** As it is recorded: a second delivery finds the first, however far that has come. */
  readonly record: OperationRecord<T>;
  /** To be called after the acknowledgement. */
  carryOn(): Promise<void>;
}

/** Records what somebody asks for, durably and once. Throws StoreError. */
export async function askOnce<T extends OperationTypes>(
  dependencies: RecordDependencies,
  rules: Rules<T>,
  { key, delivery, isShown = true, isReady = false, ...ask }: Ask<T>,
): Promise<Asked<T>> {
  const now = dependencies.store.now();
  const first = firstPhase(0);
  const begun: OperationRecord<T> = {
    v: 1,
    ...ask,
    createdAt: now,
    phase: isReady ? { ...allowed(first, now), readAt: now } : first,
    run: 0,
    posts: [],
  };
  const record = isShown ? { ...begun, shown: stateText(stateOf(begun)) } : begun;
  const { created, carryOn } = await recordOnce(dependencies, {
    kind: rules.kind,
    data: encodeOperation(record),
    key,
    audit: auditEntry(rules, record, 'asked'),
  });
  if (created.kind === 'created') {
    return { id: created.id, record, carryOn: async () => carryOn() };
  }
  const { id, data } = created.record;
  const known = decodeOperation(rules, data);
  return { id, record: known, carryOn: () => showBehind(dependencies, id, known, delivery) };
}

/** It may go on meanwhile, and show its end before an answer to another press, which would cover it, arrives. */
async function showBehind<T extends OperationTypes>(
  dependencies: RecordDependencies,
  id: string,
  record: OperationRecord<T>,
  delivery: string,
): Promise<void> {
  if (record.modal === undefined || record.phase.name === 'done') return;
  const signal = { id: delivery, body: encodeSignal({ kind: 'covered' }) };
  await signalRecord(dependencies, id, signal);
}

/** A press on a button of an operation that did not end as wanted. */
export interface Press {
  /** Of the button: the record, and for one that sends it again what was seen of it. */
  readonly value: string;
  /** Unique to this press. */
  readonly press: string;
  readonly user: string;
}

/** The value of the button that sends it again. `run`: what the person sees; they decide on nothing later. */
export function writeAgain(id: string, run: number): string {
  return `${id} ${run}`;
}

function readAgain(value: string): { readonly id: string; readonly run: number } {
  const [id = '', run = '0'] = value.split(' ');
  return { id, run: Number(run) };
}

type Found<T extends OperationTypes> =
  | { readonly kind: 'found'; readonly id: string; readonly record: OperationRecord<T> }
  | { readonly kind: Absent };

/** It is no longer kept, or somebody else asked for it. */
export type Absent = 'gone' | 'not-theirs';

/** What a person asked for themselves. Throws StoreError. */
export async function findOwn<T extends OperationTypes>(
  store: Store,
  rules: Rules<T>,
  id: string,
  user: string,
): Promise<Found<T>> {
  const found = await store.read(id);
  if (found === undefined || found.kind !== rules.kind) return { kind: 'gone' };
  const record = decodeOperation(rules, found.data);
  return record.by === user ? { kind: 'found', id, record } : { kind: 'not-theirs' };
}

/** How an operation is shown. */
interface Shows<T extends OperationTypes> {
  readonly result: (id: string, record: OperationRecord<T>, state: OperationState<T>) => ModalView;
  readonly absent: (kind: Absent) => ModalView;
}

/**
 * Has exactly the same sent once more, durably. undefined: the operation itself shows what comes of it, also
 * where another press was first; a view, where it has ended since, and the person has not seen yet how.
 * Throws StoreError.
 */
export async function askAgain<T extends OperationTypes>(
  dependencies: RecordDependencies,
  rules: Rules<T>,
  { value, press, user }: Press,
  { result, absent }: Shows<T>,
): Promise<ModalView | undefined> {
  const { id, run } = readAgain(value);
  const found = await findOwn(dependencies.store, rules, id, user);
  if (found.kind !== 'found') return absent(found.kind);
  const { record } = found;
  if (record.phase.name !== 'done') return undefined;
  if (!isRepeatable(rules, record) || record.run !== run) {
    return result(id, record, stateOf(record));
  }
  const signal = { id: press, body: encodeSignal({ kind: 'again', run }) };
  const signalled = await signalRecord(dependencies, id, signal, { once: true });
  return signalled === 'missing' ? absent('gone') : undefined;
}
