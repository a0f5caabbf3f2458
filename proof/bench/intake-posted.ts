import { approvalRequest } from './support/approval-request.ts';
import { benchProgram, PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { load } from './support/load.ts';
import { channelNames, configuredPlace } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { startWorld, type World } from './support/world.ts';

const CHANNELS = channelNames(2_016);
/** Together no more than a channel accepts at once, so that its rate is not measured. */
const WARM_UP = CHANNELS.length;
const REQUESTS = 2 * CHANNELS.length;

/** Accepted approvals until the last one is posted, compared with a bot that posts before it answers. */
export async function intakePosted(): Promise<Row[]> {
  await using world = await startWorld();
  const other = contender(world, "an afternoon's bot", benchProgram('afternoon-bot'));
  const ours = contender(world, 'Gatepost, redis', PROGRAM);
  const title = `Intake until posted, ${CHANNELS.length} channels, 32 connections`;
  const samples = await rounds(title, 3, [other, ours]);
  const row = (id: string, unit: string, figure: string) =>
    rowOf(id, unit, samples, [ours.name, figure], [other.name, figure]);
  return [
    row('intake-posted', 'requests/s', 'posted per second'),
    row('intake-posted-cpu', 'ms', 'cpu ms each'),
  ];
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
      const [startedAt, cpuBefore] = [Date.now(), await bot.cpuMs()];
      const sample: Sample = await load(bot, requests, { warmUp: 0 });
      const { lastAt } = await world.posts(warm + REQUESTS);
      const cpuMs = (await bot.cpuMs()) - cpuBefore;
      const perSecond = REQUESTS / ((lastAt - startedAt) / 1_000);
      return { 'posted per second': perSecond, ...sample, 'cpu ms each': cpuMs / REQUESTS };
    },
  };
}

function request(at: number) {
  return approvalRequest(CHANNELS[at % CHANNELS.length]);
}
