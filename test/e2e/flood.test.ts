import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sendSigned, signedHeaders, signedPress } from '../support/signed-press.ts';
import { approve } from '../support/world.ts';
import { effectsOf, everyStore, type Stage, startStage } from './crash/stage.ts';

/** How many connections stand open, or presses come at one message; `FLOOD=10000` takes a minute or two. */
const COUNT = Number(process.env.FLOOD ?? 200);
/** Presses that are on their way at the same time. */
const TOGETHER = 100;
const [ANA, BEN] = ['U0ANA', 'U0BEN'];
const TIMEOUT = { timeout: 300_000 + 30 * COUNT };

/** What the process holds in memory. */
function residentMiB({ bot }: Stage): number {
  const [, kib = ''] =
    /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${bot.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}

/** While `isOver` says no, somebody else decides one request after the other. Gives how long each acknowledgement took. */
async function decideOthers(stage: Stage, isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  do {
    const { ts } = await stage.ask();
    const { ackMs } = await approve(stage, ANA, ts);
    await stage.until(ts, /Approved by <@U0ANA>/);
    took.push(ackMs);
  } while (!isOver());
  return took;
}

/** What a run of full size is about; a small one proves nothing about time or memory. */
function report(what: string, took: readonly number[], facts: object): void {
  if (COUNT <= 1_000) return;
  const slowestAckMs = Math.round(Math.max(...took));
  console.log(JSON.stringify({ what, others: took.length, slowestAckMs, ...facts }));
}

/** A process that opens connections of three kinds, and tells how each ended. */
async function openConnections(url: string) {
  const program = fileURLToPath(new URL('../support/idle-connections.ts', import.meta.url));
  const child = fork(program, [url, String(COUNT)], { execArgv: ['--import', 'tsx'] });
  const told = async () => {
    const [word]: Record<string, number>[] = await once(child, 'message');
    return word;
  };
  const opened = await told();
  return { opened, ended: told(), [Symbol.dispose]: () => void child.kill() };
}

test(
  'idle, half-open and closing connections delay no click, and are closed',
  TIMEOUT,
  async () => {
    await using stage = await startStage('embedded');
    const before = residentMiB(stage);
    using connections = await openConnections(stage.bot.url);
    expect(connections.opened).toEqual({ opened: COUNT });
    let isOver = false;
    const ended = connections.ended.then((word) => {
      isOver = true;
      return word;
    });
    let most = 0;
    const took = await decideOthers(stage, () => {
      most = Math.max(most, residentMiB(stage));
      return isOver;
    });
    // All but those that said goodbye first are told why.
    expect(await ended).toEqual({ closed: COUNT, told: COUNT - Math.floor(COUNT / 3) });
    report('connections', took, { connections: COUNT, beforeMiB: before, mostMiB: most });
  },
);

test.each(await everyStore())(
  'on %s endless presses on one message do not delay another message, and decide once',
  TIMEOUT,
  async (store) => {
    await using stage = await startStage(store);
    const { sandbox, bot } = stage;
    const { ts, token } = await stage.ask();
    const before = residentMiB(stage);
    // What comes in the meantime waits in the record's inbox.
    const when = (request: { readonly token: string | null }) => request.token === token;
    sandbox.service.fault({ kind: 'slowAnswer', ms: 4_000, operation: 'getApproval', when });
    const presses = Array.from({ length: COUNT }, () =>
      signedPress(sandbox, { user: BEN, ts, label: 'Approve' }),
    );
    let acknowledged = 0;
    const press = async () => {
      for (let next = presses.pop(); next !== undefined; next = presses.pop()) {
        let status = 0;
        while (status !== 200) {
          // Signed when it is sent: Slack's signature is taken for five minutes.
          const headers = signedHeaders(sandbox.credentials.signingSecret, next.body);
          status = await sendSigned(bot.url, { ...next, headers });
          // A busy machine does not take all of them in time: who sees that presses again.
          expect([200, 503]).toContain(status);
        }
        acknowledged += 1;
      }
    };
    const startedAt = performance.now();
    const flood = Promise.all(Array.from({ length: TOGETHER }, press));
    let most = 0;
    const took = await decideOthers(stage, () => {
      most = Math.max(most, residentMiB(stage));
      return presses.length === 0;
    });
    await flood;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    expect(acknowledged).toBe(COUNT);
    await stage.until(ts, /Approved by <@U0BEN>/);
    expect(effectsOf(sandbox, token)).toBe(1);
    // One person's presses are one: nothing was left to be said.
    expect(stage.told(BEN)).toEqual([]);
    report('presses', took, { store, presses: COUNT, seconds, beforeMiB: before, mostMiB: most });
  },
);
