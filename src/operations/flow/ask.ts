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

/** A person's request for an operation. */
export interface Ask<T extends OperationTypes> {
  readonly by: string;
  readonly channel: string;
  readonly wish: T['wish'];
  /** Whether it is announced in a channel. */
  readonly announce: boolean;
  /** Where; absent: in `channel`. */
  readonly announceIn?: NonNullable<Report['announceIn']>;
  /** The modal that shows it; absent: none. */
  readonly modal?: string;
  /** Whether the acknowledgement already shows it; absent: yes. */
  readonly isShown?: boolean;
  /** Nobody is told: the caller reads the record. */
  readonly silent?: true;
  /** The person was already authorized, and the target has just been read. */
  readonly isReady?: boolean;
  /** Unique among its kind: identifies what was pressed, typed or sent. */
  readonly key: string;
  /** Unique to this delivery. */
  readonly delivery: string;
}

export interface Asked<T extends OperationTypes> {
  readonly id: string;
  /** As recorded: a repeated delivery finds the first record, however far it has come. */
  readonly record: OperationRecord<T>;
  /** Call it after the acknowledgement. */
  carryOn(): Promise<void>;
}

/** Records a request durably and once. Throws StoreError. */
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

/** The record may already show its end when the answer to another press arrives and replaces it. */
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
  /** The button's value: the record, and for a repetition the run that the person saw. */
  readonly value: string;
  /** Unique to this press. */
  readonly press: string;
  readonly user: string;
}

/** The value of the button to repeat it. `run`: what the person saw; the press does not apply to later runs. */
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

/** The record no longer exists, or belongs to somebody else. */
export type Absent = 'gone' | 'not-theirs';

/** A person's own operation. Throws StoreError. */
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
 * Repeats exactly the same call, durably. undefined: the operation itself shows the result, even if another press came
 * first; a view if it has ended since, and the person has not seen how. Throws StoreError.
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
