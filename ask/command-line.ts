import { Command, CommanderError } from 'commander';
import { ASK_EXIT, EXIT, type ExitCode, type Terminal } from '../src/cli/terminal.ts';

/** A program of commands: what it prints and how it ends. */

/** Examples of commands, by their names. */
export type Examples = Readonly<Record<string, readonly string[]>>;

export const VERSION = '--version';

/** Writes to the terminal, and throws instead of ending the process. */
export function newProgram(name: string, version: string, { stdout, stderr }: Terminal): Command {
  return new Command(name)
    .version(version, VERSION)
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .exitOverride();
}

interface Run {
  readonly createProgram: () => Promise<Command>;
  /** Of `ask --run`, whose failures have their own exit code. */
  readonly isRun: boolean;
  /** What follows the name of a command whose 0 says what was decided; undefined: it is another command. */
  readonly deciding: readonly string[] | undefined;
  readonly onEnd: (code: ExitCode) => void;
}

/** Runs one command line, without the program's name. Never rejects because of invalid arguments. */
export async function runWords(words: readonly string[], run: Run): Promise<void> {
  try {
    const program = await run.createProgram();
    const refuse = (problem: string) => {
      const [name] = words;
      const named = program.commands.find((command) => command.name() === name);
      return (named ?? program).error(`error: ${problem}`);
    };
    const problem = encodingProblem(words);
    if (problem !== undefined) refuse(problem);
    await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
      const stray = isAnswer(error) ? strayHelp(run.deciding) : undefined;
      throw stray === undefined ? error : refuse(stray);
    });
  } catch (error) {
    run.onEnd(usageExitCode(error, run));
  }
}

/**
 * Node replaces bytes that are not UTF-8 by U+FFFD: what people would see, and what would run, is not what was given.
 * Names the option or the position.
 */
function encodingProblem(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word.includes('\uFFFD'));
  if (at < 0) return undefined;
  const dashes = words.indexOf('--');
  const isBehindDashes = dashes >= 0 && dashes < at;
  const [, ownOption] = /^(--[a-z-]+)=/.exec(words[at] ?? '') ?? [];
  const [optionBefore] = /^--[a-z-]+$/.exec(words[at - 1] ?? '') ?? [];
  const option = ownOption ?? optionBefore;
  const place = option === undefined ? `Argument ${at + 1}` : `What follows ${option}`;
  const which = isBehindDashes ? `Word ${at - dashes} after --` : place;
  return `${which} is not text in UTF-8, or contains the character U+FFFD.`;
}

/** The help, or the version, was shown. */
function isAnswer(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

/** In a title without quotes, for example: whoever waits for 0 would go on without a decision. */
function strayHelp(words: readonly string[] = []): string | undefined {
  if (words.length < 2) return undefined;
  const word = words.find((each) => [VERSION, '--help', '-h'].includes(each));
  return `nothing was done, because one of the words is ${word}. Quote the text that contains it.`;
}

/** Adds examples to every command's help, and a pointer to the help to every error. */
export function completeHelp(command: Command, words: string, examples: Examples): void {
  command.showHelpAfterError(`See ${words} --help.`);
  const lines = examples[words] ?? [];
  if (lines.length > 0) {
    command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
  for (const each of command.commands) completeHelp(each, `${words} ${each.name()}`, examples);
}

/** The exit code for an invalid command line. Rethrows other errors. */
function usageExitCode(error: unknown, { isRun }: Run): ExitCode {
  if (!(error instanceof CommanderError)) throw error;
  if (isAnswer(error)) return EXIT.done;
  return isRun ? ASK_EXIT.notRun : EXIT.usage;
}
