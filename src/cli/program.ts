import { Command, CommanderError } from 'commander';
import type { System } from '../core/lib/system.ts';
import type { Timing } from '../core/lib/timing.ts';
import { addAsk } from './ask/ask.ts';
import { isRun } from './ask/signals.ts';
import { addWithdraw } from './ask/withdraw.ts';
import { addAudit } from './audit/audit.ts';
import { addConfig } from './config.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addExamples } from './examples.ts';
import { addKeys } from './keys.ts';
import { addManifest } from './manifest.ts';
import { addMcp } from './mcp.ts';
import { peopleCommand } from './people/people-command.ts';
import type { StartBot } from './setup/first-approval.ts';
import { addSetup } from './setup/setup.ts';
import { ASK_EXIT, EXIT, type ExitCode, type Terminal } from './terminal.ts';

interface ProgramNeeds {
  readonly terminal: Terminal;
  readonly system: System;
  /** Default: real time. */
  readonly timing?: Timing;
  /** The package's version. */
  readonly version: string;
  /** Runs the bot, which sets its own exit code. */
  readonly start: () => Promise<void>;
  /** Runs the demo with these arguments, which sets its own exit code. Absent: this program cannot. */
  readonly demo?: (words: readonly string[]) => Promise<void>;
  /** Runs it for the first request of the setup. Absent: this program cannot. */
  readonly startBot?: StartBot;
  /**
   * Called with a command's exit code. `isDecision`: the code is people's decision, or whether it was withdrawn, and
   * counts even if the output could not be read.
   */
  readonly onEnd: (code: number, end?: { readonly isDecision: boolean }) => void;
}

/** Runs one command line, without the program's name. Never rejects because of invalid arguments. */
export async function runCommandLine(words: readonly string[], needs: ProgramNeeds): Promise<void> {
  try {
    const program = createProgram(words, needs);
    const problem = encodingProblem(words);
    if (problem !== undefined) {
      const [name] = words;
      const named = program.commands.find((command) => command.name() === name);
      (named ?? program).error(`error: ${problem}`);
    }
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    needs.onEnd(usageExitCode(error, words));
  }
}

/** All commands of `gatepost`. Throws CommanderError for invalid arguments. */
function createProgram(
  words: readonly string[],
  { terminal, system, timing, version, start, demo, startBot, onEnd }: ProgramNeeds,
): Command {
  const program = new Command('gatepost')
    .description("Brings an automation's approval requests into Slack.")
    .version(version, '--version')
    .usage('<command>')
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .exitOverride()
    .helpCommand(true);
  program
    .command('start')
    .description('run the bot; configured by environment variables')
    .action(start);
  program
    .command('demo')
    .description('try everything in a browser: no Slack account, no Redis')
    .option('--port <number>', 'of the page (default: 4100, or the next one that is free)')
    .action(({ port }: { port?: string }) => demo?.(port === undefined ? [] : ['--port', port]));
  addSetup(program, terminal, system, { startBot: startBot ?? NO_BOT, onEnd });
  addAsk(program, terminal, system, {
    given: words,
    onEnd: (code) => onEnd(code, { isDecision: true }),
  });
  addWithdraw(program, terminal, system, (code) => onEnd(code, { isDecision: true }));
  addMcp(program, terminal, system, (code, isLast) => onEnd(code, { isDecision: isLast }));
  program.addCommand(peopleCommand(terminal, system, onEnd, timing));
  addDoctor(program, terminal, system, onEnd);
  addAudit(program, terminal, system, onEnd);
  addManifest(program, terminal);
  addKeys(program, terminal, system, onEnd);
  addConfig(program, terminal);
  completeHelp(program, program.name());
  return program;
}

const NO_BOT: StartBot = async () => ({ ok: false, failure: 'Run gatepost setup itself.' });

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

/** Adds examples to every command's help, and a pointer to the help to every error. */
function completeHelp(command: Command, words: string): void {
  command.showHelpAfterError(`See ${words} --help.`);
  addExamples(command, words);
  for (const each of command.commands) completeHelp(each, `${words} ${each.name()}`);
}

/** The exit code for an invalid command line. Rethrows other errors. */
function usageExitCode(error: unknown, words: readonly string[]): ExitCode {
  if (!(error instanceof CommanderError)) throw error;
  if (error.exitCode === 0) return EXIT.done;
  return isRun(words) ? ASK_EXIT.notRun : EXIT.usage;
}
