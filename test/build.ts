import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Builds the program once, before all tests: the stories that kill it run what is shipped. */
export async function setup(): Promise<void> {
  await promisify(execFile)('npm', ['run', 'build']);
}
