import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { botAddress } from '../../support/bot-config.ts';
import { type Program, runProgram } from './run-program.ts';

/** A bot that is killed and started again, while others go on talking to it. */
export interface MortalBot extends AsyncDisposable {
  /** Resolves when there is a living one. */
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
    const ready = await tryToStart().catch(tryToStart);
    url = String(JSON.parse(ready).url);
    sandbox.connectBot(botAddress(url));
  };
  /** The bot ends when Slack does not answer in time who it is; a supervisor starts it again. */
  const tryToStart = () => {
    program = runProgram(['dist/main.js', 'start'], env);
    return program.line(/"msg":"ready"/);
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
