import type { Random } from '../../lib/random.ts';
import type { SignAudit } from '../audit-chain.ts';
import type { RedisKeys } from './keys.ts';
import type { RecordBatches } from './record-batches.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Dependencies of all operations on Redis. */
export interface RedisNeeds {
  readonly connection: RedisConnection;
  readonly batches: RecordBatches;
  readonly keys: RedisKeys;
  readonly shards: number;
  readonly random: Random;
  readonly signAudit: SignAudit;
  /** By shard: the name of the last checkpoint this process wrote. */
  readonly checkpoints: Map<number, string>;
}
