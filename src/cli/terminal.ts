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
  /** Somebody pressed Ctrl-C, or nobody reads what is written any more. */
  readonly signal: AbortSignal;
}

/** What a command ends with. */
export const EXIT = { done: 0, notDone: 1, usage: 2 } as const;

/** What `ask` ends with: 0 for an approval, and for nothing else. */
export const ASK_EXIT = {
  APPROVED: 0,
  REJECTED: 1,
  usage: 2,
  TIMED_OUT: 3,
  WITHDRAWN: 4,
  undecided: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | (typeof ASK_EXIT)[keyof typeof ASK_EXIT];
