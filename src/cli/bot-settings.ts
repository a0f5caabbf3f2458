import { readConfig } from '../app/configuration.ts';
import type { Config } from '../core/config/config.ts';
import { formatProblems } from '../core/config/read-config.ts';
import { StoreConfigError, StoreError } from '../core/store/store.ts';
import { EXIT, type ExitCode, OutputError, type Terminal, unwrittenCode } from './terminal.ts';

/** Runs a command with the bot's settings. `trouble`: what to say when its store fails. */
export async function withBotSettings(
  terminal: Terminal,
  trouble: (error: StoreError) => string,
  run: (config: Config) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { env, stderr } = terminal;
  const read = readConfig(env, { command: 'doctor' });
  if (!read.ok) {
    stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  try {
    return await run(read.config);
  } catch (error) {
    if (error instanceof OutputError) return unwrittenCode(error);
    if (error instanceof StoreConfigError) {
      stderr.write(`${error.message}. ${error.fix}\n`);
      return EXIT.usage;
    }
    if (!(error instanceof StoreError)) throw error;
    stderr.write(`${trouble(error)}\n`);
    return EXIT.notDone;
  }
}
