import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { startPendingRecords } from './support/pending-records.ts';
import { makePlace, type StoreName } from './support/place.ts';
import { usedBytes } from './support/redis-server.ts';
import { type Contender, type Row, rounds, rowOf } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

const DECIDED = 100_000;
/** Fewer: the embedded store waits for the disk with every step. */
const DECIDED_EMBEDDED = 20_000;

/** The cost of listing a decided approval, compared with only keeping it. */
export async function history(): Promise<Row[]> {
  await using world = await startWorld();
  const contender = (task: 'fill-listed' | 'fill-unlisted', store: StoreName): Contender => ({
    name: `${task === 'fill-listed' ? 'listed' : 'kept alone'}, ${store}`,
    async round() {
      await using place = await makePlace(store);
      const env = botEnvironment(world, place.env);
      const count = store === 'redis' ? DECIDED : DECIDED_EMBEDDED;
      const empty = await bytesIn(env);
      {
        await using records = await startPendingRecords(env);
        await records.run(task, count);
      }
      return { 'bytes each': ((await bytesIn(env)) - empty) / count };
    },
  });
  const contenders = (['redis', 'embedded'] as const).flatMap((store) => [
    contender('fill-unlisted', store),
    contender('fill-listed', store),
  ]);
  const samples = await rounds('Decided approvals that are listed', 1, contenders);
  const bytes = 'bytes each';
  return [
    rowOf(
      'history-bytes',
      'bytes',
      samples,
      ['listed, redis', bytes],
      ['kept alone, redis', bytes],
    ),
    rowOf(
      'history-bytes-embedded',
      'bytes',
      samples,
      ['listed, embedded', bytes],
      ['kept alone, embedded', bytes],
    ),
  ];
}

async function bytesIn({ REDIS_URL, DATA_DIR }: Env): Promise<number> {
  if (REDIS_URL !== undefined) return usedBytes(REDIS_URL);
  const file = await stat(join(DATA_DIR ?? '', 'data.mdb')).catch(() => undefined);
  return (file?.blocks ?? 0) * 512;
}
