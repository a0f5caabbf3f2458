import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Interruption, type Terminal } from '../terminal.ts';

/** Questions in a terminal. All of them reject with Interruption after Ctrl-C, a signal, or the end of the input. */
export interface Prompts extends Disposable {
  /** Fires with them, for everything else that waits. */
  readonly signal: AbortSignal;
  say(text: string): void;
  /** Nothing of what is typed is shown. What was pasted before the question counts. */
  secret(question: string): Promise<string>;
  /** Trimmed. */
  line(question: string): Promise<string>;
  /** Return alone means `usual`. */
  confirm(question: string, usual: boolean): Promise<boolean>;
}

/**
 * One reader for all questions: the terminal stays in raw mode in between, so that a token that is pasted too early is
 * not shown either.
 */
export function createPrompts({ stdin, stderr, interrupted }: Terminal): Prompts {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, interrupted]);
  let isShown = false;
  const screen = Object.assign(
    new Writable({
      write(chunk, _, done) {
        if (isShown) stderr.write(chunk);
        done();
      },
    }),
    { columns: stderr.columns ?? 80 },
  );
  const reader = createInterface({ input: stdin, output: screen, terminal: true, historySize: 0 });
  const early: string[] = [];
  let take: ((line: string) => void) | undefined;
  reader.on('line', (line) => {
    if (take === undefined) early.push(line);
    else take(line);
  });
  const end = (by: Interruption['by']) => () => stop.abort(new Interruption(by));
  reader.on('SIGINT', end('SIGINT'));
  reader.on('close', end('SIGHUP'));

  const next = () =>
    new Promise<string>((resolve, reject) => {
      const leave = () => {
        take = undefined;
        isShown = false;
        signal.removeEventListener('abort', fail);
      };
      const fail = () => {
        leave();
        reject(signal.reason);
      };
      if (signal.aborted) return fail();
      signal.addEventListener('abort', fail);
      take = (line) => {
        leave();
        resolve(line.trim());
      };
      const typed = early.shift();
      if (typed !== undefined) take(typed);
    });
  const line = async (question: string) => {
    // What was typed before the question is no answer to it.
    early.length = 0;
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    isShown = true;
    reader.setPrompt(`${question} `);
    reader.prompt();
    return next();
  };
  return {
    signal,
    say: (text) => void stderr.write(`${text}\n`),
    line,
    async secret(question) {
      stderr.write(`${question} `);
      const typed = await next();
      stderr.write('\n');
      return typed;
    },
    async confirm(question, usual) {
      for (;;) {
        const answer = (await line(`${question} ${usual ? '[Y/n]' : '[y/N]'}`)).toLowerCase();
        if (answer === '') return usual;
        if (/^y(es)?$/.test(answer)) return true;
        if (/^no?$/.test(answer)) return false;
      }
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
