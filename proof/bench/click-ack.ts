import { benchProgram, PROGRAM } from './support/build.ts';
import { type Child, startChild } from './support/child.ts';
import { type Click, signedRequest } from './support/click.ts';
import { botEnvironment } from './support/environment.ts';
import { LISTENERS } from './support/listeners.ts';
import { load } from './support/load.ts';
import { makePlace, PART, type StoreName } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { storeClicks } from './support/waiting-approvals.ts';
import { startWorld } from './support/world.ts';

const CLICKS = 1_600;
const WARM_UP = 960;
/**
 * The service holds its responses back, so that only the acknowledgement is measured. Gatepost retries after 5 s: a
 * round has to be over by then.
 */
const HOLD_MS = 30_000;
/** Acknowledged clicks, each on its own approval, compared with Bolt that has the same listeners and stores nothing. */
export async function clickAck(): Promise<Row[]> {
  await using world = await startWorld({ holdMs: HOLD_MS });
  const other = contender('bare Bolt, same listeners', benchProgram('bare-bolt'), 'redis');
  const ours = contender('Gatepost, redis', PROGRAM, 'redis');
  const samples = await rounds('Click → acknowledged, ballot stored, 32 connections', 3, [
    other,
    ours,
    contender('Gatepost, embedded', PROGRAM, 'embedded'),
  ]);
  const rate = 'per second';
  return [rowOf('click-ack', 'clicks/s', samples, [ours.name, rate], [other.name, rate])];

  function contender(name: string, program: string, store: StoreName): Contender {
    return {
      name,
      async round() {
        await using place = await makePlace(store);
        const env = { ...botEnvironment(world, place.env), LISTENERS };
        const warmUp = WARM_UP * PART[store];
        const clicks = await storeClicks(env, warmUp + CLICKS * PART[store]);
        await using child = await startChild(program, env);
        // Awaited here, before the servers stop.
        return await send(child, clicks, warmUp);
      },
    };
  }
}

async function send(child: Child, clicks: readonly Click[], warmUp: number): Promise<Sample> {
  const requests = clicks.map(
    (click) => ({ method: 'POST', path: '/slack/events', ...signedRequest(click) }) as const,
  );
  return load(child, requests, { warmUp });
}
