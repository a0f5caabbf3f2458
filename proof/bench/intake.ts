import { approvalRequest } from './support/approval-request.ts';
import { benchProgram, PROGRAM } from './support/build.ts';
import { type Child, startChild } from './support/child.ts';
import { botEnvironment, CHANNEL } from './support/environment.ts';
import { makeIdentitySource } from './support/identity-source.ts';
import { load } from './support/load.ts';
import { makePlace, PART, type StoreName } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { configOf, openQuietStore } from './support/waiting-approvals.ts';
import { startWorld } from './support/world.ts';

const REQUESTS = 12_800;
/** By then the hot code has been compiled. */
const WARM_UP = 12_800;
const PAUSE_MS = 600_000;

/** Accepted and stored approvals, compared with a bare server that writes each body to Redis, and with the floor. */
export async function intake(): Promise<Row[]> {
  await using world = await startWorld();
  const other = bare(world, 'bare node:http, one SET', 'bare-intake');
  const floor = bare(world, 'the limit', 'limit');
  const ours = gatepost(world, { store: 'redis', isPosting: true });
  const proved = gatepost(world, { store: 'redis', isPosting: true, isProved: true });
  const samples = await rounds('Intake: POST /v1/approvals, 32 connections', 3, [
    other,
    floor,
    ours,
    proved,
    gatepost(world, { store: 'redis', isPosting: false }),
    gatepost(world, { store: 'embedded', isPosting: true }),
  ]);
  const rate = 'per second';
  const each = 'cpu ms each';
  return [
    rowOf('intake', 'requests/s', samples, [ours.name, rate], [other.name, rate]),
    rowOf('intake-proved', 'ms', samples, [proved.name, each], [ours.name, each]),
    rowOf('intake-floor', 'ms', samples, [ours.name, each], [floor.name, each]),
  ];
}

type Address = { readonly url: string };

function bare(world: Address, name: string, program: string): Contender {
  return {
    name,
    async round() {
      await using place = await makePlace('redis');
      const env = botEnvironment(world, place.env);
      await using child = await startChild(benchProgram(program), env);
      // Awaited here, before the servers stop.
      return await send(child, 'redis');
    },
  };
}

function gatepost(
  world: Address,
  {
    store,
    isPosting,
    isProved = false,
  }: { readonly store: StoreName; readonly isPosting: boolean; readonly isProved?: boolean },
): Contender {
  return {
    name: `Gatepost, ${store}${isPosting ? '' : ', posting paused'}${isProved ? ', identity tokens' : ''}`,
    async round() {
      await using place = await makePlace(store);
      await using source = isProved ? await makeIdentitySource() : null;
      const env = botEnvironment(world, { ...place.env, ...source?.env });
      if (!isPosting) {
        await using records = await openQuietStore(configOf(env));
        await records.pause(`post:${CHANNEL}`, PAUSE_MS);
      }
      await using child = await startChild(PROGRAM, env);
      // Awaited here, before the servers stop.
      return await send(child, store, source?.token);
    },
  };
}

async function send(child: Child, store: StoreName, bearer?: string): Promise<Sample> {
  const warmUp = WARM_UP * PART[store];
  const requests = Array.from({ length: warmUp + REQUESTS * PART[store] }, () =>
    approvalRequest(undefined, bearer),
  );
  return load(child, requests, { warmUp });
}
