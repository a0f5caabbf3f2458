import { createInterface } from 'node:readline/promises';
import type { Output } from './output.ts';
import type { Terminal } from './terminal.ts';

/**
 * Whether somebody wants it: said before with `yes`, or asked on a terminal. Otherwise it is not done,
 * and that is said.
 */
export async function confirm(
  { stdin, stderr, signal }: Pick<Terminal, 'stdin' | 'stderr' | 'signal'>,
  { note }: Pick<Output, 'note'>,
  { yes, question }: { readonly yes: boolean; readonly question: string },
): Promise<boolean> {
  if (yes) return true;
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    note('Nothing was changed. Add --yes to do it.');
    return false;
  }
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    const gone = new Promise<string>((resolve) => {
      lines.once('close', () => resolve(''));
      lines.once('SIGINT', () => resolve(''));
    });
    const asked = lines.question(`${question} [y/N] `, { signal }).catch(() => '');
    const isWanted = /^y(es)?$/i.test((await Promise.race([asked, gone])).trim());
    if (!isWanted) note('Nothing was changed.');
    return isWanted;
  } finally {
    lines.close();
  }
}
