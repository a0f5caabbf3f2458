import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { botAddress } from '../../support/bot-config.ts';
import { PROGRAM } from '../../support/program.ts';
import { type Program, runProgram } from './run-program.ts';

/** A bot that is killed and restarted while others keep calling it. */
export interface MortalBot extends AsyncDisposable {
  /** Resolves when one is running. */
  up(): Promise<void>;
  readonly url: string;
  /** kill -9, then starts another on the same records. */
  killAndStart(): Promise<void>;
}

export async function startMortalBot(
  sandbox: Sandbox,
  env: Readonly<Record<string, string | undefined>>,
): Promise<MortalBot> {
  let program: Program;
  let url = '';
  let starting: Promise<void>;
  const start = async () => {
    program = runProgram([PROGRAM, 'start'], env);
    url = String(JSON.parse(await program.line(/"msg":"ready"/)).url);
    sandbox.connectBot(botAddress(url));
  };
  const end = async () => {
    await program[Symbol.asyncDispose]();
  };
  starting = start();
  await starting;
  return {
    up: () => starting,
    get url() {
      return url;
    },
    async killAndStart() {
      starting = end().then(start);
      await starting;
    },
    [Symbol.asyncDispose]: end,
  };
}
