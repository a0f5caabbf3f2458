import type { Terminal } from '../src/cli/terminal.ts';
import type { System } from '../src/core/lib/system.ts';
import { addAsk } from './ask.ts';
import { completeHelp, newProgram, runWords } from './command-line.ts';
import { examplesOf } from './examples.ts';
import { isRun } from './signals.ts';

interface ProgramNeeds {
  readonly terminal: Terminal;
  readonly system: System;
  /** The package's version. */
  readonly version: string;
  /** Called with a code that is people's decision, or whether it was withdrawn. */
  readonly onDecided: (code: number) => void;
  /** Called with the code of a command line that says something else, or asks for help. */
  readonly onUsage: (code: number) => void;
}

const NAME = 'gatepost-ask';

/** Runs one command line, with the command's name first: `ask` or `withdraw`. */
export async function runAsk(words: readonly string[], needs: ProgramNeeds): Promise<void> {
  const { terminal, system, version, onDecided, onUsage } = needs;
  const [command, ...own] = words;
  const createProgram = async () => {
    const program = newProgram(NAME, version, terminal);
    if (command === 'withdraw') {
      const { addWithdraw } = await import('./withdraw.ts');
      const withdraw = program.command('withdraw').description(WITHDRAWS);
      addWithdraw(withdraw, terminal, system, onDecided);
    } else {
      addAsk(program.description(ASKS), terminal, system, { given: words, onEnd: onDecided });
    }
    completeHelp(program, NAME, examplesOf(NAME));
    return program;
  };
  const all = command === 'withdraw' ? words : own;
  await runWords(all, { createProgram, isRun: isRun(words), deciding: own, onEnd: onUsage });
}

const ASKS =
  'Asks people in Slack for an approval; needs GATEPOST_URL, and GATEPOST_INTAKE_SECRET or an identity token of the CI system. gatepost-ask withdraw withdraws a request.';
const WITHDRAWS = 'Withdraws a request of your source; needs the same variables.';
