import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Shells that the scripts have to run in, with the words before the script. `.ci/run` installs those that are missing. */
const SHELLS = [
  ['dash'],
  ['bash'],
  ['busybox', 'sh'],
  ['mksh'],
  ['lksh'],
  ['zsh'],
  ['zsh', '--emulate', 'sh'],
] as const;

export interface Shell {
  readonly name: string;
  readonly program: string;
  readonly words: readonly string[];
}

function pathOf(program: string): string | undefined {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const found = SHELLS.map(([name, ...words]) => ({
  name: [name, ...words].join(' '),
  program: pathOf(name),
  words,
}));

/** Those of this machine. */
export const shells: readonly Shell[] = found.flatMap(({ program, ...shell }) =>
  program === undefined ? [] : [{ ...shell, program }],
);

export const missingShells: readonly string[] = found
  .filter(({ program }) => program === undefined)
  .map(({ name }) => name);

/** A folder in which `sh` is that shell: put it first into PATH. */
export async function folderWithSh(program: string) {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-sh-'));
  await mkdir(join(folder, 'bin'));
  await symlink(program, join(folder, 'bin/sh'));
  return {
    folder,
    PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
