import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { VARIABLES } from '../core/config/variables.ts';
import { fileTrouble } from '../core/lib/file-trouble.ts';

/**
 * The commands that use the bot's own settings; `setup` reads the file by itself. No other one does: those that ask
 * (`ask`, `mcp`, hooks) run in other people's repositories, which must not say where the gate is.
 */
const READERS: readonly string[] = [
  ...['start', 'doctor', 'audit', 'people', 'keys public', 'close', 'open', 'who'],
];

export const ENV_FILE = '.env';

type Env = Readonly<Record<string, string | undefined>>;

export interface Settings {
  readonly env: Env;
  /** The file that some of them are in; absent: none. */
  readonly file?: string;
}

/** The file is there, and cannot be read. */
export class EnvFileError extends Error {
  override readonly name = 'EnvFileError';
}

/** The environment, and what only the file sets, if this command line reads the file. Throws EnvFileError. */
export function withEnvFile(words: readonly string[], env: Env): Settings {
  const typed = `${words.join(' ')} `;
  if (!READERS.some((reader) => typed.startsWith(`${reader} `))) return { env };
  const found = findEnvFile(env);
  if (found === undefined) return { env };
  return { env: behind(env, found.text), file: found.file };
}

/** The file, if there is one. Throws EnvFileError. */
export function findEnvFile(
  env: Env,
): { readonly file: string; readonly text: string } | undefined {
  for (const file of envFiles(env)) {
    const text = textOf(file);
    if (text !== undefined) return { file: resolve(file), text };
  }
  return undefined;
}

/** Where the file can be: in the working folder, otherwise beside the data, which is where the image has it. */
export function envFiles({ DATA_DIR: data }: Env): readonly string[] {
  const folder = data?.trim();
  return folder ? [ENV_FILE, join(folder, ENV_FILE)] : [ENV_FILE];
}

/**
 * The environment, and those of the file's variables that it lacks in any form: those of proxies have two spellings,
 * and a secret can be in a file that `…_FILE` names. An empty variable counts as lacking, as everywhere else. Throws
 * EnvFileError for a value of Gatepost's own that the parser would cut.
 */
export function behind(env: Env, text: string): Env {
  const given = new Set(formsOf(Object.entries(env).filter(([, value]) => value?.trim())));
  const names = [...text.matchAll(CHANNEL_NAME)].map(([, name = '', value = '']) => [name, value]);
  const channels: Env = Object.fromEntries(names);
  const read: Env = { ...parseEnv(text), ...channels };
  const cut = new Set<string>();
  for (const [, name = '', value = ''] of text.matchAll(ASSIGNMENT)) {
    if (given.has(formless(name)) || channels[name] !== undefined || !CUT.test(value)) continue;
    cut.add(name);
    if (!OWN.has(formless(name)) && !name.startsWith('GATEPOST_')) continue;
    throw new EnvFileError(
      `The value of ${name} in ${ENV_FILE} is cut at its #, which begins a comment. Put the value in quotes.`,
    );
  }
  // Other programs' are theirs; one that the configuration names is missing, and said to be.
  const own = Object.entries(read).filter(([name]) => !given.has(formless(name)) && !cut.has(name));
  // An empty one, also in another form, would hide the file's.
  const replaced = new Set(formsOf(own));
  const others = Object.entries(env).filter(([name]) => !replaced.has(formless(name)));
  return Object.fromEntries([...own, ...others]);
}

/** `GATEPOST_CHANNEL=#deploys`: a comment for the parser. It is kept, so that it is refused as a name and not missing. */
const CHANNEL_NAME = /^[ \t]*(?:export[ \t]+)?(GATEPOST_(?:OUTCOME_)?CHANNEL)[ \t]*=(#[\w-]+)/gm;

/** Name, and value if it is not in quotes: those can go over several lines. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([^\s=#]+)[ \t]*=(?:[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)|(.*))/gm;
/** Its first # does not look like the begin of a comment. */
const CUT = /^(?:[^#]*[^\s#])?#/;

const OWN: ReadonlySet<string> = new Set(VARIABLES.map(({ name }) => formless(name)));

function formsOf(variables: readonly (readonly [string, unknown])[]): readonly string[] {
  return variables.map(([name]) => formless(name));
}

function formless(name: string): string {
  return name.toLowerCase().replace(/_file$/, '');
}

/** Some projects have a folder of this name. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

/** undefined: there is no such file. Throws EnvFileError. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_FILE.has(error.code)) return undefined;
    throw new EnvFileError(`${resolve(file)} ${fileTrouble(error)}.`);
  }
}
