import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import chromium from '@sparticuz/chromium';

/**
 * Prepares, once, what all tests share: the built program, and the browser, which unpacks itself and
 * must not be unpacked by two at a time.
 */
export async function setup(): Promise<void> {
  await promisify(execFile)('npm', ['run', 'build']);
  await chromium.executablePath();
}
