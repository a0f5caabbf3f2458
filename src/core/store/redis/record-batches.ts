import { joined } from '../../lib/joined.ts';
import type { RedisKeys } from './keys.ts';
import type { Argument, RedisConnection } from './redis-connection.ts';

/** How many records one script processes: a click in between has to wait for it. */
export const RECORDS_AT_ONCE = 16;

type RecordScript = 'create' | 'save';

/** A script's arguments for one record; see `withEach` in `scripts/prelude.lua`. */
interface RecordCall {
  readonly keys: readonly string[];
  readonly args: readonly Argument[];
}

interface RecordAnswer {
  /** The store's time. */
  readonly now: number;
  /** The script's answer for the record. */
  readonly answer: readonly unknown[];
}

interface Batch {
  readonly calls: RecordCall[];
  readonly answers: Promise<readonly unknown[]>;
}

/**
 * Combines equal operations of two turns of the event loop into one script: sending and starting a script costs more
 * than processing one record.
 */
export class RecordBatches {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  /** Batches that can be joined, by what their records have in common. */
  readonly #open = new Map<string, Batch>();

  constructor(connection: RedisConnection, keys: RedisKeys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** `isConfirmed`: resolve only when the write is confirmed, as configured. Throws StoreError. */
  async write(
    script: RecordScript,
    shard: number,
    call: RecordCall,
    { isConfirmed }: { readonly isConfirmed: boolean },
  ): Promise<RecordAnswer> {
    const name = `${script} ${shard} ${isConfirmed}`;
    const batch = this.#open.get(name) ?? this.#begin(name, script, shard, isConfirmed);
    const at = batch.calls.push(call) - 1;
    if (batch.calls.length === RECORDS_AT_ONCE) this.#open.delete(name);
    const [, now, ...answers] = await batch.answers;
    // as: the script's answer
    return { now: Number(now), answer: answers[at] as readonly unknown[] };
  }

  #begin(name: string, script: RecordScript, shard: number, isConfirmed: boolean): Batch {
    const calls: RecordCall[] = [];
    const keys = this.#keys;
    const lanes = [keys.due(shard, 'people'), keys.due(shard, 'background')];
    const shared = [...lanes, keys.audit(shard), keys.auditChain(shard)];
    const answers = this.#connection.atNextTurnsEnd(() => {
      if (this.#open.get(name)?.calls === calls) this.#open.delete(name);
      return this.#connection.write(
        script,
        joined([shared, ...calls.map((call) => call.keys)]),
        joined(calls.map(({ keys: own, args }) => [own.length, args.length, ...args])),
        isConfirmed ? keys.marker(shard) : undefined,
      );
    });
    const batch = { calls, answers };
    this.#open.set(name, batch);
    return batch;
  }
}
