import {
  accessSync,
  constants,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { lookUp, type VariableName } from '../../core/config/variables.ts';
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
  /** The environment sets it, so what the file says has no effect. */
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
  const leave = isDry ? () => {} : enter(path);
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
    get: (name) => lookUp(all(), name),
    isFixed: (name) => lookUp(env, name) !== undefined,
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
    [Symbol.dispose]: leave,
  };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw unusable(path, error);
  }
}

const HEAD = '# Settings of Gatepost. They are secret: this file is for the user who runs it.\n';

/** Only the user who runs the bot can read it. */
const MODE = 0o600;

/** Written beside it and renamed, so that no half of it is ever there. */
function replace(path: string, text: string): void {
  const next = `${path}.new`;
  try {
    rmSync(next, { force: true });
    writeFileSync(next, text, { mode: MODE, flush: true });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw unusable(path, error);
  }
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
function enter(path: string): () => void {
  const lock = `${path}.setup`;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw new SettingsFileError(`${path} is a folder. Name another file with --file.`);
    }
    if (textOf(path) !== undefined) accessSync(path, constants.W_OK);
    const other = ownerIn(textOf(lock));
    if (other !== undefined && isAlive(other)) {
      throw new SettingsFileError(
        `Another gatepost setup writes ${path} (process ${other.pid}). Finish it there, or end it.`,
      );
    }
    rmSync(lock, { force: true });
    writeFileSync(lock, JSON.stringify(ownerNote()), { mode: MODE, flag: 'wx' });
  } catch (error) {
    throw unusable(path, error);
  }
  return () => rmSync(lock, { force: true });
}

/** undefined: nobody's, or half written by a process that was killed. */
function ownerIn(text: string | undefined): z.infer<typeof note> | undefined {
  try {
    return text === undefined ? undefined : note.safeParse(JSON.parse(text)).data;
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
  ENOSPC: 'the disk is full',
  EEXIST: 'another gatepost setup has just begun',
};
