import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { gateAddress } from '../../ask/gate-address.ts';
import { createGateClient } from '../../ask/gate-client.ts';
import { type Asker, askerOf, givenAsker } from '../../ask/requested-by.ts';
import { starterIn } from '../../ask/starters.ts';
import { emailProblem } from '../core/lib/read-email.ts';
import type { System } from '../core/lib/system.ts';
import { messageLines } from './mcp-lines.ts';
import { createRelay } from './mcp-relay.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

/**
 * `mcp`: tools for agents, over stdio (Model Context Protocol): people approve the exact call. A relay to `/mcp` of a
 * running Gatepost, which answers every message. Ends with its client; requests stay open.
 */
export function addMcp(
  command: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode, isLast: boolean) => void,
): void {
  command.action(async () => onEnd(EXIT.done, await relayTools(terminal, system, command)));
}

/** Returns whether its client left, so that nobody reads its output. */
async function relayTools(
  { env, stdin, stdout, stderr, signal }: Terminal,
  system: System,
  command: Command,
): Promise<boolean> {
  const address = gateAddress(env);
  const given = givenAsker(env);
  const problem = address.problem ?? given?.problem;
  if (problem !== undefined) command.error(`error: ${problem}`);
  // Read now: the agent itself could change git's settings before it asks.
  const asker = given === undefined ? await askerHere(env) : given;
  if (asker.said !== undefined) stderr.write(`${asker.said}\n`);
  const client = createGateClient({ ...address, ...system });
  // Ends calls whose answers nobody will read.
  const gone = new AbortController();
  const relay = createRelay({
    client,
    system,
    requester: asker.requestedBy,
    answer: (line) => stdout.write(`${line}\n`),
    signal: AbortSignal.any([signal, gone.signal]),
  });
  const lines = messageLines({ pass: relay.take, answer: (line) => stdout.write(line) });
  let isLeft = false;
  const left = new Promise<void>((resolve) => {
    for (const end of ['end', 'close', 'error']) stdin.once(end, () => resolve());
  }).then(() => {
    isLeft = true;
  });
  const ended = new Promise<void>((resolve) => {
    void left.then(resolve);
    for (const end of ['close', 'error']) stdout.once(end, () => resolve());
    lines.once('error', () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stdin.pipe(lines);
  await ended;
  // A client that is gone closed both; whether its last answer could be written does not matter then.
  const patience = new AbortController();
  const waited = system.timers.sleep(LEAVING_MS, patience.signal);
  await Promise.race([left, waited.catch(() => undefined)]);
  patience.abort();
  stdin.unpipe(lines);
  stdin.pause();
  gone.abort();
  await relay.ended();
  await client.close();
  return isLeft;
}

/** How much later the end of the input may be noticed than that of the output. */
const LEAVING_MS = 1_000;

/** The address that git has in this folder; otherwise whoever started the run. */
async function askerHere(env: Terminal['env']): Promise<Asker> {
  const git = promisify(execFile)('git', ['config', 'user.email'], { env, timeout: GIT_MS });
  const { stdout } = await git.catch(() => ({ stdout: '' }));
  const email = stdout.trim();
  return askerOf(emailProblem(email) === null ? { email } : starterIn(env));
}

const GIT_MS = 5_000;
