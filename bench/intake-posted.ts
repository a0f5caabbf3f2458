import { randomUUID } from 'node:crypto';
import { benchProgram, PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { INTAKE_SECRET } from './support/environment.ts';
import { load } from './support/load.ts';
import { configuredPlace } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { startWorld, type World } from './support/world.ts';

const CHANNELS = Array.from({ length: 2_016 }, (_, at) => `C0BENCH${String(at).padStart(4, '0')}`);
/** Together no more than a channel takes at once: what is measured is not its pace. */
const WARM_UP = CHANNELS.length;
const REQUESTS = 2 * CHANNELS.length;

/** Approvals taken until the last one is posted, against a bot that posts before it answers. */
export async function intakePosted(): Promise<Row[]> {
  await using world = await startWorld();
  const other = contender(world, "an afternoon's bot", benchProgram('afternoon-bot'));
  const ours = contender(world, 'Gatepost, redis', PROGRAM);
  const title = `Intake until posted, ${CHANNELS.length} channels, 32 connections`;
  const samples = await rounds(title, 3, [other, ours]);
  const rate = 'posted per second';
  return [rowOf('intake-posted', 'requests/s', samples, [ours.name, rate], [other.name, rate])];
}

function contender(world: World, name: string, program: string): Contender {
  return {
    name,
    async round() {
      await using place = await configuredPlace(world, CHANNELS);
      await using bot = await startChild(program, place.env);
      const { posts: before } = await world.posts(0);
      const warmUp = Array.from({ length: WARM_UP }, (_, at) => request(at));
      await load(bot, warmUp, { warmUp: 0 });
      const { posts: warm } = await world.posts(before + WARM_UP);
      const requests = Array.from({ length: REQUESTS }, (_, at) => request(at));
      const startedAt = Date.now();
      const sample: Sample = await load(bot, requests, { warmUp: 0 });
      const { lastAt } = await world.posts(warm + REQUESTS);
      return { 'posted per second': REQUESTS / ((lastAt - startedAt) / 1_000), ...sample };
    },
  };
}

function request(at: number) {
  const headers = {
    authorization: `Bearer ${INTAKE_SECRET}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({
    token: randomUUID(),
    title: 'Deploy 4.2 to production',
    message: 'All checks are green. Shall it go out?',
    fields: { Version: '4.2' },
    channel: CHANNELS[at % CHANNELS.length],
  });
  return { method: 'POST', path: '/v1/approvals', headers, body } as const;
}
