/** What signals do to `ask`. The program needs this before it has loaded anything else. */

/** All that others send: what a process gets for its own faults, such as SIGSEGV, is not among them. */
export const ASK_SIGNALS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGABRT',
  'SIGALRM',
  'SIGIO',
  'SIGPROF',
  'SIGPWR',
  'SIGSTKFLT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGVTALRM',
] as const satisfies readonly NodeJS.Signals[];

/** `INT` and `SIGINT` are the same; undefined: not one of these. */
export function signalNamed(name: string): NodeJS.Signals | undefined {
  const whole = `SIG${name.trim().toUpperCase().replace(/^SIG/, '')}`;
  return ASK_SIGNALS.find((each) => each === whole);
}

/**
 * The signals that neither end `ask` nor reach its command. Node forgets which ones were ignored when it was started.
 * SIGHUP says that a terminal was closed: without one it is about somebody else's.
 */
export function ignoredSignals(
  named: readonly NodeJS.Signals[],
  { hasTerminal }: { readonly hasTerminal: boolean },
): readonly NodeJS.Signals[] {
  return [...new Set(hasTerminal ? named : ['SIGHUP' as const, ...named])];
}

/** Whether a command line is one of `ask`: 0 means approved then, and 1 rejected. */
export function isAsk([name]: readonly string[]): boolean {
  return name === 'ask';
}

/** Whether it is one of `ask --run`, whose failures have their own exit code. */
export function isRun(words: readonly string[]): boolean {
  return isAsk(words) && ownWords(words).includes('--run');
}

/** What follows the name of a command whose 0 says what was decided, or that it was withdrawn. */
export function decidingWords([name, ...own]: readonly string[]): readonly string[] | undefined {
  return name === 'ask' || name === 'withdraw' ? own : undefined;
}

/** What `--ignore` names; what is wrong with it is found when the whole command line is read. */
export function namedSignals(words: readonly string[]): readonly NodeJS.Signals[] {
  const own = ownWords(words);
  const given = own.flatMap((word, at) => {
    if (word.startsWith(`${IGNORE}=`)) return [word.slice(IGNORE.length + 1)];
    return word === IGNORE ? [own[at + 1] ?? ''] : [];
  });
  return given.flatMap((names) => names.split(',')).flatMap((name) => signalNamed(name) ?? []);
}

const IGNORE = '--ignore';

/** What follows `--` is the command's. */
export function ownWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end);
}
