import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

type Env = Readonly<Record<string, string | undefined>>;

type Screen = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** The terminal's width. */
  readonly columns?: number;
};

/** A command's environment: everything it has from the process. */
export interface Terminal {
  readonly env: Env;
  /** The file that some of `env` comes from. */
  readonly envFile?: string;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** The user, according to the operating system. */
  readonly user: string;
  readonly host: string;
  /** Fires when the command should stop; its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** The same, for a command that continues even if its output is closed. */
  readonly interrupted: AbortSignal;
  /** From now on signals do not interrupt: only `take` gets them, until it is replaced. */
  takeSignals(take: (signal: NodeJS.Signals) => void): void;
}

/** Whether somebody is there who sees it end. */
export function isInTerminal({ stdin, stdout, stderr }: Terminal): boolean {
  return [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true);
}

/** The whole standard input. Throws once the command is interrupted. */
export async function readStdin({ stdin, interrupted }: Terminal): Promise<Buffer> {
  // as: the process has one, and so do the tests
  const stream = stdin as Readable;
  const stop = () => stream.destroy(interrupted.reason);
  interrupted.addEventListener('abort', stop);
  // What is there already is still read.
  if (interrupted.aborted) setImmediate(stop);
  try {
    return await buffer(stream);
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}

/** After Ctrl-C (SIGINT) a person may be there to answer; `output`: the output is closed. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly by: NodeJS.Signals | 'output';
  constructor(by: Interruption['by']) {
    super(`interrupted by ${by}`);
    this.by = by;
  }
}

/** The output is missing or incomplete, so it must not be taken for the whole. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly code: string;
  constructor(cause: NodeJS.ErrnoException) {
    super('the output cannot be written', { cause });
    this.code = cause.code ?? cause.name;
  }
}

/** Resolves once it is written, which waits for slow readers. Throws OutputError. */
export function print({ stdout }: Terminal, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new OutputError(error));
    stdout.once('error', fail);
    stdout.write(text, (error) => {
      // The stream also emits the error.
      if (error) return fail(error);
      stdout.off('error', fail);
      resolve();
    });
  });
}

/** Exit codes. `unread`: nobody reads the output, like a SIGPIPE in shells. */
export const EXIT = { done: 0, notDone: 1, usage: 2, interrupted: 130, unread: 141 } as const;

/** A reader that has enough, such as `head`, is not an error: no message, as after a SIGPIPE. */
export function unwrittenCode({ code }: { readonly code?: string | undefined }): ExitCode {
  return code === 'EPIPE' ? EXIT.unread : EXIT.notDone;
}

/** Exit codes of `ask`: 0 only for an approval, or if it was told not to wait. */
export const ASK_EXIT = {
  APPROVED: 0,
  asked: 0,
  REJECTED: 1,
  usage: 2,
  TIMED_OUT: 3,
  WITHDRAWN: 4,
  undecided: 5,
  /** For `--run`, whose other codes are the command's own. */
  notRun: 125,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | (typeof ASK_EXIT)[keyof typeof ASK_EXIT];
