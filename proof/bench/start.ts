import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { benchProgram, PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { makePlace, type StoreName } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

/** What is left to do right after "ready" is over by then. */
const REST_MS = 5_000;

/** From the start of the process to its "ready" line, on an empty store, its processor time, and its memory at rest. */
export async function start(): Promise<Row[]> {
  await using world = await startWorld();
  const other = contender('bare Bolt', benchProgram('bare-bolt'), 'redis');
  const ours = contender('Gatepost, redis', PROGRAM, 'redis');
  const samples = await rounds('Start → ready', 5, [
    other,
    ours,
    contender('Gatepost, embedded', PROGRAM, 'embedded'),
  ]);
  const beside = (id: string, unit: string, figure: string) =>
    rowOf(id, unit, samples, [ours.name, figure], [other.name, figure]);
  return [
    beside('start', 'ms', 'ready ms'),
    beside('start-cpu', 'ms', 'ready cpu ms'),
    beside('idle-rss', 'MB', 'resident MB'),
  ];

  function contender(name: string, program: string, store: StoreName): Contender {
    return {
      name,
      async round() {
        await using place = await makePlace(store);
        await using child = await startChild(program, botEnvironment(world, place.env));
        const cpuMs = await child.cpuMs();
        await sleep(REST_MS);
        return {
          'ready ms': child.readyMs,
          'ready cpu ms': cpuMs,
          'resident MB': await child.residentMb(),
        };
      },
    };
  }
}

const RUNS = 20;
const CPU = 'processor ms';

/** What a command costs before it does anything: its help, and its version. */
export async function askStart(): Promise<Row[]> {
  const run = promisify(execFile);
  const contender = (name: string, words: readonly string[]): Contender => ({
    name,
    async round() {
      const before = await endedChildrenMs();
      for (let runs = 0; runs < RUNS; runs += 1) await run(process.execPath, words);
      return { [CPU]: ((await endedChildrenMs()) - before) / RUNS };
    },
  });
  const bare = contender('bare Node', ['--input-type=module', '-e', '']);
  const help = contender('ask --help', [PROGRAM, 'ask', '--help']);
  const version = contender('--version', [PROGRAM, '--version']);
  const samples = await rounds('Start of a command', 5, [bare, help, version]);
  return [rowOf('ask-start', 'ms', samples, [help.name, CPU], [bare.name, CPU])];
}

/** Processor time of this process's children that have ended, user and system. */
async function endedChildrenMs(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  // Fields 16 and 17 of proc(5), in hundredths of a second, counted after the name.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
