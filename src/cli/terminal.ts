type Env = Readonly<Record<string, string | undefined>>;

type Screen = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** Of a terminal. */
  readonly columns?: number;
};

/** Where a command runs: all that it has of the process. */
export interface Terminal {
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Who runs it, as the operating system knows them. */
  readonly user: string;
  readonly host: string;
  /** Fires when the command is to stop; its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** The same, for a command that goes on where nothing more can be written. */
  readonly interrupted: AbortSignal;
  /** From now on signals interrupt nothing: `take` alone gets them, until another one does. */
  takeSignals(take: (signal: NodeJS.Signals) => void): void;
}

/** Ctrl-C is a SIGINT, and a person may be there to answer; `output`: nothing more can be written. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly by: NodeJS.Signals | 'output';
  constructor(by: Interruption['by']) {
    super(`interrupted by ${by}`);
    this.by = by;
  }
}

/** What was to be written was not, or not all of it: nobody is to take it for the whole. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly code: string;
  constructor(cause: NodeJS.ErrnoException) {
    super('the output cannot be written', { cause });
    this.code = cause.code ?? cause.name;
  }
}

/** Resolves once it is written, so that a reader who is slow is waited for. Throws OutputError. */
export function print({ stdout }: Terminal, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new OutputError(error));
    stdout.once('error', fail);
    stdout.write(text, (error) => {
      // The stream says it once more, to whoever listens.
      if (error) return fail(error);
      stdout.off('error', fail);
      resolve();
    });
  });
}

/** What a command ends with. `unread`: nobody reads its output any more; what shells show of a SIGPIPE. */
export const EXIT = { done: 0, notDone: 1, usage: 2, interrupted: 130, unread: 141 } as const;

/** A reader who has enough, such as `head`, is no trouble: what a SIGPIPE ends says nothing either. */
export function unwrittenCode({ code }: { readonly code?: string | undefined }): ExitCode {
  return code === 'EPIPE' ? EXIT.unread : EXIT.notDone;
}

/** What `ask` ends with: 0 for an approval, and for nothing else but where it was told not to wait. */
export const ASK_EXIT = {
  APPROVED: 0,
  asked: 0,
  REJECTED: 1,
  usage: 2,
  TIMED_OUT: 3,
  WITHDRAWN: 4,
  undecided: 5,
  /** Of `--run`, whose other codes are the command's own. */
  notRun: 125,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | (typeof ASK_EXIT)[keyof typeof ASK_EXIT];
