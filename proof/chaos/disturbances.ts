import type { ConnectProxy } from '../../test/support/connect-proxy.ts';
import type { Interruption, Lapse } from '../simulation/evidence.ts';
import type { Bots } from './bots.ts';
import { until } from './process.ts';
import type { Random } from './random.ts';
import type { RedisPair } from './redis.ts';

/** What the disturbances act on, and where they are noted. */
export interface Disturbed {
  readonly bots: Bots;
  /** Without it the records are in a folder, and there is one bot. */
  readonly redis?: RedisPair;
  /** The bots' only configured way to Slack and the service. */
  readonly proxy: ConnectProxy;
  readonly random: Random;
  readonly note: (what: {
    readonly interruption?: Interruption;
    readonly lapse?: Lapse;
  }) => Promise<void>;
  readonly counts: { kills: number; redisRestarts: number };
}

export type Disturbance = (needs: Disturbed) => Promise<void>;

/** A lease lasts 12 s. */
const LONGER_THAN_A_LEASE_MS = 14_000;
const JUMP_MS = 6_000;
const PAUSE_MS = 3_500;
const PROXY_AWAY_MS = 4_000;
/** The replica is at most this far behind what the primary had acknowledged. */
const LAG_MS = 1_000;

async function interrupted(
  { note }: Pick<Disturbed, 'note'>,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  const from = Date.now();
  await work();
  await note({ interruption: { from, to: Date.now(), what } });
}

const kill: Disturbance = async (needs) => {
  const { bots, random, counts } = needs;
  const at = random.between(0, bots.count - 1);
  counts.kills += 1;
  await interrupted(needs, `bot ${at} killed`, async () => {
    await bots.program(at).end('SIGKILL');
    await bots.start(at);
  });
};

/** Kills all of them at once, so that only the store has the state. */
const killAll: Disturbance = async (needs) => {
  const { bots, counts } = needs;
  counts.kills += bots.count;
  await interrupted(needs, 'all bots killed', async () => {
    await Promise.all(each(bots, (at) => bots.program(at).end('SIGKILL')));
    await Promise.all(each(bots, (at) => bots.start(at)));
  });
};

/** SIGSTOP: its leases end, others take its records, and then it continues. */
const stop: Disturbance = async (needs) => {
  const { bots, random } = needs;
  const at = random.between(0, bots.count - 1);
  await interrupted(needs, `bot ${at} stopped`, async () => {
    bots.program(at).signal('SIGSTOP');
    await wait(LONGER_THAN_A_LEASE_MS);
    bots.program(at).signal('SIGCONT');
  });
};

/** SIGTERM, one after the other, as an update does. */
const rollOver: Disturbance = async (needs) => {
  const { bots } = needs;
  for (const at of each(bots, (place) => place)) {
    await interrupted(needs, `bot ${at} restarted`, async () => {
      const code = await bots.program(at).end('SIGTERM');
      if (code !== 0) throw new Error(`a bot that was asked to end did so with ${code}`);
      await bots.start(at);
    });
  }
};

/** Changes the clock of one bot; with a folder it is the store's clock, too. */
const jump: Disturbance = async (needs) => {
  const { bots, random } = needs;
  const at = random.between(0, bots.count - 1);
  const { pid } = bots.program(at);
  await interrupted(needs, `clock of bot ${at} jumped an hour`, async () => {
    bots.program(at).signal('SIGUSR2');
    await wait(JUMP_MS);
    // It may have been killed since; a new process has the right clock.
    if (bots.program(at).pid === pid) bots.program(at).signal('SIGUSR2');
  });
};

/** Breaks all tunnels, and opens no other for a while. */
const proxyKill: Disturbance = async (needs) => {
  const { proxy, random } = needs;
  await interrupted(needs, 'proxy killed', async () => {
    await proxy.kill();
    await wait(random.between(500, PROXY_AWAY_MS));
    await proxy.restart();
  });
};

/** Some tunnels carry requests at that moment, others responses. */
const tunnelsCut: Disturbance = async (needs) => {
  const { proxy } = needs;
  await interrupted(needs, 'tunnels cut', async () => proxy.cut());
};

const redisKill: Disturbance = async (needs) => {
  const { redis, counts } = needs;
  if (redis === undefined) return;
  counts.redisRestarts += 1;
  const from = Date.now();
  await interrupted(needs, 'Redis killed', async () => {
    const { isPromoted } = await redis.killAndRestart();
    if (isPromoted) await failedOver(needs, from);
  });
};

const redisPause: Disturbance = async (needs) => {
  const { redis } = needs;
  if (redis === undefined) return;
  await interrupted(needs, 'Redis paused', () => redis.pause(PAUSE_MS));
};

function failOver(how: 'killed' | 'stopped'): Disturbance {
  return async (needs) => {
    const { redis, counts } = needs;
    if (redis === undefined) return;
    counts.redisRestarts += 1;
    const from = Date.now();
    await interrupted(needs, `Redis ${how}, replica promoted`, async () => {
      await redis.failOver(how);
      await failedOver(needs, from);
    });
  };
}

/** Acknowledged presses were confirmed by the replica, so only other writes may be lost. */
function failedOver({ note }: Pick<Disturbed, 'note'>, from: number): Promise<void> {
  return note({ lapse: { from: from - LAG_MS, at: Date.now(), keptAcknowledged: true } });
}

export const ON_REDIS: readonly Disturbance[] = [
  kill,
  redisKill,
  kill,
  failOver('killed'),
  rollOver,
  redisPause,
  killAll,
  stop,
  redisKill,
  failOver('stopped'),
  jump,
  kill,
  proxyKill,
  tunnelsCut,
];

export const ON_FOLDER: readonly Disturbance[] = [
  kill,
  stop,
  rollOver,
  kill,
  jump,
  kill,
  proxyKill,
  tunnelsCut,
];

/** One after the other in random order, repeatedly until `isOver`; each of them at least once. */
export async function disturb(
  all: readonly Disturbance[],
  needs: Disturbed,
  isOver: () => boolean,
): Promise<void> {
  for (let round = 0; round === 0 || !isOver(); round += 1) {
    for (const each of needs.random.shuffle(all)) {
      if (round > 0 && isOver()) return;
      await wait(needs.random.between(1_000, 4_000));
      await each(needs);
    }
  }
}

/** Waits until every bot is ready for requests. */
export async function allReady(bots: Bots): Promise<void> {
  await until(
    'every bot is ready',
    async () => {
      const answers = bots.urls().map((url) =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      return (await Promise.all(answers)).every((isReady) => isReady);
    },
    60_000,
  );
}

/** Waits until no bot has work that people wait for; false: there still is some. */
export function atRest(bots: Bots, withinMs: number): Promise<boolean> {
  const isSo = async () => {
    const answers = bots
      .urls()
      .map((url) => fetch(`${url}/metrics`).then((answer) => answer.text()));
    const texts = await Promise.all(answers);
    return texts.every((text) => text.includes('gatepost_records{lane="people"} 0\n'));
  };
  return until('nothing is left that people wait for', isSo, withinMs).then(
    () => true,
    () => false,
  );
}

function each<Result>({ count }: Bots, work: (at: number) => Result): Result[] {
  return Array.from({ length: count }, (_, at) => work(at));
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
