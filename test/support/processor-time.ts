import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Processor time in ms, user and kernel together. */
export interface ProcessorTime {
  /** Of this process. */
  readonly own: number;
  /** Of the programs that it started and that have ended. Only Linux tells: elsewhere 0. */
  readonly started: number;
}

const isLinux = process.platform === 'linux';
/** The unit of /proc: proc(5), USER_HZ. */
const MS_PER_TICK = 10;

export function processorTime(): ProcessorTime {
  const { user, system } = process.cpuUsage();
  const ended = isLinux ? (statusOf('self')?.ofEnded ?? 0) : 0;
  const tabs = [...browsers.values()].reduce((sum, ms) => sum + ms, 0);
  return { own: (user + system) / 1_000, started: ended + tabs };
}

/** By process id, what the processes of a browser have used. It ends without waiting for them, so nobody else counts it. */
const browsers = new Map<number, number>();

/** Looks at the browsers that this process started. To be called while they run. */
export function countTabs(): void {
  if (!isLinux || readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8') === '') return;
  const processes = readdirSync('/proc').flatMap((id) => {
    const status = /^\d+$/.test(id) ? statusOf(id) : undefined;
    return status === undefined ? [] : [{ id: Number(id), ...status }];
  });
  const childrenOf = (id: number) => processes.filter(({ parent }) => parent === id);
  const below = (id: number): number =>
    childrenOf(id).reduce((sum, child) => sum + child.used + child.ofEnded + below(child.id), 0);
  for (const { id, program } of childrenOf(process.pid))
    if (/chrom/.test(program)) browsers.set(id, below(id));
}

/** undefined: it has ended. */
function statusOf(id: string) {
  let line: string;
  try {
    line = readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The program's name, in brackets, can contain blanks.
  const nameEnd = line.lastIndexOf(')');
  const fields = line
    .slice(nameEnd + 2)
    .split(' ')
    .map(Number);
  const ms = (first: number) => ((fields[first] ?? 0) + (fields[first + 1] ?? 0)) * MS_PER_TICK;
  return { program: line.slice(0, nameEnd), parent: fields[1] ?? 0, used: ms(11), ofEnded: ms(13) };
}

/** ms of processor that a fixed piece of work takes: how fast this machine is at the moment. */
export function fixedLoop(): number {
  const before = process.cpuUsage();
  const seen = new Map<string, number>();
  for (let n = 0; n < 20_000; n += 1) {
    const key = `${n % 997}`;
    seen.set(key, ((seen.get(key) ?? 0) * 31 + JSON.stringify({ key, n }).length) | 0);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
