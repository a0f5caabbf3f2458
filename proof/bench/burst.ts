import { startAutomation, untilPosted } from './support/automation.ts';
import { PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { channelNames, configuredPlace } from './support/place.ts';
import { type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

const CONNECTIONS = 32;
const WITHIN_MS = 300_000;

/** A hundred approvals into one channel, until the last is posted. */
export async function burstOne(): Promise<Row[]> {
  return burst('burst-one', { approvals: 100, channels: 1, count: 1 });
}

/** A thousand approvals into two hundred channels. */
export async function burstMany(): Promise<Row[]> {
  return burst('burst-many', { approvals: 1_000, channels: 200, count: 3 });
}

interface Burst {
  readonly approvals: number;
  readonly channels: number;
  readonly count: number;
}

/** Slack answers 429 to posts above a channel's rate: no post should exceed it. */
async function burst(id: string, { approvals, channels, count }: Burst): Promise<Row[]> {
  const names = channelNames(channels);
  const name = 'Gatepost, redis';
  const title = `${approvals} approvals into ${channels} channels, until posted`;
  const round = async (): Promise<Sample> => {
    // New for each round: a channel remembers earlier posts.
    await using world = await startWorld({ isPaced: true });
    await using place = await configuredPlace(world, names);
    await using bot = await startChild(PROGRAM, place.env);
    await using automation = startAutomation(bot.url, CONNECTIONS);
    const wanted = Array.from({ length: approvals }, (_, at) => names[at % channels] ?? '');
    const startedAt = Date.now();
    const asked = await automation.ask(wanted);
    const takenMs = Date.now() - startedAt;
    const { lastAt, refused, missing, twice } = await untilPosted(
      world,
      asked.approvals,
      WITHIN_MS,
    );
    const postedS = (lastAt - startedAt) / 1_000;
    return {
      'all taken s': takenMs / 1_000,
      'all posted s': postedS,
      'posts per second': (approvals - missing) / postedS,
      "Slack's 429": refused,
      'never posted': missing,
      'posted twice': twice,
    };
  };
  const samples = await rounds(title, count, [{ name, round }]);
  return [
    rowOf(id, 's', samples, [name, 'all posted s']),
    rowOf(`${id}-429`, 'answers', samples, [name, "Slack's 429"]),
  ];
}
