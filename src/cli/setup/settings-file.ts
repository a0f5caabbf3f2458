import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import * as z from 'zod';
import { fileVariable, lookUp } from '../../core/config/environment.ts';
import { type VariableName, withSecretFiles } from '../../core/config/variables.ts';
import { isAlive, ownerNote } from '../../core/store/embedded/folder-guard.ts';
import { behind, envFiles, findEnvFile, textOf } from '../env-file.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Given = Readonly<Partial<Record<VariableName, string>>>;

/** The file with the bot's settings, which the setup writes step by step. */
export interface SettingsFile extends Disposable {
  /** Absolute. */
  readonly path: string;
  /** Its whole text, also if it is not written. */
  readonly text: string;
  /** The environment, and behind it the file. */
  readonly env: Env;
  /** undefined: not set, or empty. */
  get(name: VariableName): string | undefined;
  /** The environment sets it, or a file of its own, so it cannot be set here. */
  isFixed(name: VariableName): boolean;
  /** Sets them in one step: a reader sees the file as before or as after. Throws SettingsFileError. */
  set(values: Given): void;
  /** A file beside it, for people. Throws SettingsFileError. */
  writeBeside(name: string, text: string): string;
}

/** The file cannot be used; the message says why, and what to do. */
export class SettingsFileError extends Error {
  override readonly name = 'SettingsFileError';
}

interface FileOptions {
  /** Instead of the usual place. */
  readonly file?: string | undefined;
  /** Nothing is written. */
  readonly isDry: boolean;
}

/**
 * Opens the file for one setup at a time. It need not exist: it is then made beside the data where the environment says
 * where that is, as in the image, otherwise in the working folder. Throws SettingsFileError and EnvFileError.
 */
export function openSettings(env: Env, { file, isDry }: FileOptions): SettingsFile {
  const usual = findEnvFile(env)?.file ?? envFiles(env).at(-1) ?? '';
  const path = resolve(file ?? usual);
  // The folder of the data is made at the first start.
  if (!isDry && file === undefined) makeFolder(path);
  const unlock = isDry ? () => {} : lock(path);
  let text = textOf(path) ?? HEAD;
  const all = () => behind(env, text);
  return {
    path,
    get text() {
      return text;
    },
    get env() {
      return all();
    },
    get: (name) => lookUp(withSecretFiles(all()).env, name),
    isFixed: (name) =>
      lookUp(env, name) !== undefined || lookUp(all(), fileVariable(name)) !== undefined,
    set(values) {
      const next = withValues(text, values);
      if (!isDry) replace(path, next);
      text = next;
    },
    writeBeside(name, content) {
      const beside = join(dirname(path), name);
      if (!isDry) replace(beside, content);
      return beside;
    },
    [Symbol.dispose]: unlock,
  };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(path, error);
  }
}

const HEAD = '# Settings of Gatepost. They are secret: this file is for the user who runs it.\n';

/** Of new files: only the user who runs the bot can read them. */
const MODE = 0o600;

/** Written beside it and renamed, so that no half of it is ever there. A link stays one: its target is replaced. */
function replace(path: string, text: string): void {
  try {
    const target = targetOf(path);
    renameSync(draft(target, text), target);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Writes what will replace the file, with the file's mode and owner, and returns where. */
function draft(target: string, text: string): string {
  const next = `${target}.new`;
  const before = statSync(target, { throwIfNoEntry: false });
  rmSync(next, { force: true });
  const opened = openSync(next, 'wx', MODE);
  try {
    writeFileSync(opened, text, { flush: true });
    if (before !== undefined) {
      fchownSync(opened, before.uid, before.gid);
      fchmodSync(opened, before.mode & 0o777);
    }
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
  return next;
}

/** Where links lead, also if nothing is there yet. */
function targetOf(path: string): string {
  const here = join(realpathSync(dirname(path)), basename(path));
  const isLink = lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink) return here;
  // Throws if links lead in a circle.
  statSync(here, { throwIfNoEntry: false });
  return targetOf(resolve(dirname(here), readlinkSync(here)));
}

const COMMENTS: Given = {
  SLACK_BOT_TOKEN: "The Slack app's bot token",
  SLACK_MODE: 'socket: the bot connects to Slack; http: Slack reaches the bot',
  SLACK_APP_TOKEN: "The Slack app's app-level token, for Socket Mode",
  SLACK_SIGNING_SECRET: "The Slack app's signing secret",
  GATEPOST_KEYS: 'Encrypts what is stored: keep a copy',
  GATEPOST_INTAKE_SECRET: 'Sent by whoever asks, as a Bearer token',
  GATEPOST_CHANNEL: 'The channel where people decide',
  GATEPOST_REVIEWERS: 'Who decides: ids of people (U…) and user groups (S…), or channel',
  GATEPOST_ADMINISTRATORS: 'Who is told when something needs attention',
  DATA_DIR: 'Where records are kept',
};

/** Changes lines that are there, and adds the others with a comment each. */
function withValues(text: string, values: Given): string {
  let next = text;
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm');
    const written = `${name}=${value}`;
    // A function: "$&" in a value would mean something.
    if (line.test(next)) next = next.replace(line, () => written);
    else
      next = `${next.replace(/(?<!\n)$/, '\n')}\n# ${COMMENTS[name as VariableName] ?? ''}\n${written}\n`; // as: a key of Given
  }
  const read = parseEnv(next);
  const lost = Object.entries(values).find(([name, value]) => read[name] !== value);
  if (lost !== undefined) throw new SettingsFileError(`The file cannot hold ${lost[0]}.`);
  return next;
}

const note = z.object({ pid: z.int(), startedAt: z.string().nullable() });

/** Throws SettingsFileError if the file cannot be written, or another setup writes it. */
function lock(path: string): () => void {
  try {
    const target = targetOf(path);
    if (statSync(target, { throwIfNoEntry: false })?.isDirectory()) {
      throw new SettingsFileError(`${path} is a folder. Name another file with --file.`);
    }
    if (textOf(target) !== undefined) accessSync(target, constants.W_OK);
    const file = `${target}.setup`;
    acquire(file, path);
    try {
      // Tried before anything is asked: whether a file with the same owner can be made there.
      rmSync(draft(target, ''));
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    return () => rmSync(file, { force: true });
  } catch (error) {
    throw unusable(path, error);
  }
}

/**
 * Makes this process the owner of a lock. Of a process that was killed it takes the lock over with a file that it owns
 * in the same way: only the owner of that one replaces the lock, so two setups cannot both do it.
 */
function acquire(file: string, path: string): void {
  if (isMade(file)) return;
  if (isLeftOver(file, path)) {
    const next = `${file}.next`;
    acquire(next, path);
    try {
      // Another setup may have taken it over since, and even have ended.
      if (isLeftOver(file, path)) {
        renameSync(next, file);
        return;
      }
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
    rmSync(next, { force: true });
  }
  acquire(file, path);
}

/** false: somebody has made it. */
function isMade(file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify(ownerNote()), { mode: MODE, flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether its owner was killed; false: it is gone. Throws if another setup holds it. */
function isLeftOver(file: string, path: string): boolean {
  const text = textOf(file);
  if (text === undefined) return false;
  const owner = ownerIn(text);
  if (owner === undefined) {
    throw new SettingsFileError(
      `Another gatepost setup has just begun to write ${path}. If none runs, delete ${file}.`,
    );
  }
  if (isAlive(owner)) {
    throw new SettingsFileError(
      `Another gatepost setup writes ${path} (process ${owner.pid}). Finish it there, or end it.`,
    );
  }
  return true;
}

/** undefined: half written. */
function ownerIn(text: string): z.infer<typeof note> | undefined {
  try {
    return note.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function unusable(path: string, error: unknown): Error {
  if (error instanceof SettingsFileError || !(error instanceof Error)) return error as Error; // as: rethrown as it is
  const code = 'code' in error ? String(error.code) : '';
  const why = TROUBLES[code];
  if (code === '') return error;
  return new SettingsFileError(
    `${path} cannot be written: ${why ?? code}. Name another file with --file, or write nothing with --print.`,
  );
}

const TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'this user is not allowed to',
  EPERM: 'this user is not allowed to',
  EROFS: 'the file system is read-only',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
  EEXIST: 'another program writes it too',
};
