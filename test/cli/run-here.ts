import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { runAsk } from '../../ask/program.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { type System, system } from '../../src/core/lib/system.ts';
import { type Timing, timingAt } from '../../src/core/lib/timing.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A terminal whose user types this at the first question; null: closes it. */
  readonly types?: string | null;
  /** Runs while somebody is asked, before they answer. */
  readonly meanwhile?: () => unknown;
  /** Called with each chunk written to standard output. */
  readonly heard?: () => unknown;
  /** The content of standard input, if it is not a terminal. */
  readonly input?: string;
  /** Cells of the terminal. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Called with the new receiver of signals. */
  readonly takeSignals?: Terminal['takeSignals'];
  readonly system?: System;
  readonly timing?: Timing;
  /** Runs it with `gatepost-ask`, the command's name first. */
  readonly isOwnPackage?: boolean;
}

/** Runs a command line of `gatepost` in this process, with other streams. `start` says that it ran. */
export async function runHere(
  words: readonly string[],
  {
    env = {},
    types,
    meanwhile,
    heard,
    input,
    columns,
    signal = new AbortController().signal,
    takeSignals = () => {},
    isOwnPackage = false,
    ...other
  }: RunOptions = {},
): Promise<Ran> {
  const isTTY = types !== undefined || columns !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stdout = Object.assign(new PassThrough(), { isTTY, ...(columns && { columns }) });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  if (input !== undefined) stdin.end(input);
  let [out, err] = ['', ''];
  stdout.on('data', (chunk) => {
    out += chunk;
    heard?.();
  });
  stderr.on('data', (chunk) => {
    err += chunk;
    if (String(chunk).search(/\[y\/N\]|\[Y\/n\]/) >= 0) void answer();
  });
  const answer = async () => {
    await meanwhile?.();
    if (typeof types === 'string') stdin.write(`${types}\n`);
    else stdin.end();
  };
  let code: number | undefined;
  const onEnd = (ended: number) => {
    code = ended;
  };
  const needs = {
    terminal: {
      env,
      stdin,
      stdout,
      stderr,
      signal,
      interrupted: signal,
      takeSignals,
      user: 'ops',
      host: 'desk',
    },
    system: other.system ?? system,
    version: '1.2.3',
  };
  if (isOwnPackage) await runAsk(words, { ...needs, onDecided: onEnd, onUsage: onEnd });
  else
    await runCommandLine(words, {
      ...needs,
      timing: other.timing ?? timingAt(0.1),
      async start() {
        stdout.write('started\n');
        code = 0;
      },
      onEnd,
    });
  await Promise.all([stdout, stderr].map((stream) => finished(stream.end(), { writable: false })));
  // A command that only prints does not set a code: that is 0.
  return { code: code ?? 0, out, err };
}
