import process from 'node:process';
import { runProgram } from '../e2e/crash/run-program.ts';
import { PROGRAM } from '../support/program.ts';

/** The visible output of a command of the program with this destination, and how it ended. */
export async function outputOf(
  words: string,
  where: '| true' | '> /dev/full',
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const script = `{ "${process.execPath}" "${PROGRAM}" ${words}; echo "ended with $?" >&2; } ${where}`;
  await using program = runProgram(['-c', script], env, '/bin/sh');
  await program.ended;
  return program.output;
}
