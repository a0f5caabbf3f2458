import { readFileSync } from 'node:fs';
import { fileTrouble } from '../lib/file-trouble.ts';

/** Variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Returns a file's text; throws when it cannot be read. */
export type ReadFile = (path: string) => string;

export const readText: ReadFile = (path) => readFileSync(path, 'utf8');

/** A variable's value without surrounding white space; undefined if empty. */
export function lookUp(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** The variable that names a file with this one's value. */
export function fileVariable<Name extends string>(name: Name): `${Name}_FILE` {
  return `${name}_FILE`;
}

/**
 * A secret's value: the variable's, or the text of the file that `…_FILE` names, without surrounding white space.
 * `problem`: what is wrong with that file, without its path.
 */
export function secretIn(
  env: Env,
  name: string,
  readFile: ReadFile = readText,
): { readonly value?: string | undefined; readonly problem?: string } {
  const value = lookUp(env, name);
  const path = lookUp(env, fileVariable(name));
  if (path === undefined) return { value };
  if (value !== undefined) return { problem: `and ${name} are both set: remove one of them` };
  try {
    const text = readFile(path).trim();
    return text === '' ? { problem: 'names a file that is empty' } : { value: text };
  } catch (error) {
    return { problem: `must be the path of a file that can be read: it ${fileTrouble(error)}` };
  }
}
