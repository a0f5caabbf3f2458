import { execFile } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import process from 'node:process';
import { promisify } from 'node:util';

/** The machine, and how busy it was before. */
export async function printMachine(): Promise<string> {
  const { stdout } = await promisify(execFile)('redis-server', ['--version']);
  const redis = /v=(\S+)/.exec(stdout)?.[1];
  const [processor] = cpus();
  const facts = [
    new Date().toISOString(),
    `${cpus().length} cores ${processor?.model ?? ''}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `Linux ${release()}`,
    `Node ${process.version}`,
    `Redis ${redis}`,
    `load ${loadavg()
      .map((value) => value.toFixed(1))
      .join(' ')}`,
  ];
  return facts.join(' · ');
}
