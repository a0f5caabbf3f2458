/** The file that a command starts, and what is wrong with it, as far as that can be seen. */

import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { cleanLine } from '../src/core/lib/clean-line.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the system finds an executable program; undefined: nowhere. */
export function programPath(name: string, { PATH = '' }: Env): string | undefined {
  const paths = name.includes('/') ? [name] : PATH.split(delimiter).map((at) => join(at, name));
  return name === '' ? undefined : paths.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Why a script cannot be executed although it is there, in a sentence: the system would only say that it does not exist.
 * undefined: nothing is known against it.
 */
export function scriptTrouble(name: string, env: Env): string | undefined {
  const path = programPath(name, env);
  const line = path === undefined ? undefined : interpreterLine(path);
  if (line === undefined) return undefined;
  const said = `${cleanLine(name)} cannot be executed:`;
  if (line.endsWith('\r')) {
    return `${said} its first line ends in CR, as on Windows. Save it with lines that end in LF.`;
  }
  const [interpreter = '', ...words] = line.trim().split(/[ \t]+/);
  const [wanted, where] =
    basename(interpreter) === 'env' && isProgram(interpreter)
      ? [words[0] === '-S' ? words[1] : words[0], env]
      : [interpreter, {}];
  // What is set or left out for it could change where it is found.
  if (wanted === undefined || /^-|=/.test(wanted)) return undefined;
  return programPath(wanted, where) === undefined
    ? `${said} its interpreter ${cleanLine(wanted)} was not found.`
    : undefined;
}

/** As much as Linux reads of it. */
const LINE_BYTES = 256;

/** What follows `#!`; undefined: it is no script, or not readable, or the line is too long. */
function interpreterLine(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(LINE_BYTES);
    const length = readSync(file, bytes);
    const [line = '', ...more] = bytes.toString('utf8', 0, length).split('\n');
    const isWhole = more.length > 0 || length < LINE_BYTES;
    const isText = !line.includes('\ufffd');
    return line.startsWith('#!') && isWhole && isText ? line.slice(2) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
