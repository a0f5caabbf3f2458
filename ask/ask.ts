/**
 * Asking for an approval from a terminal or a pipeline: the command (this file), what it does (`carry-out-ask.ts`), what
 * is approved (`change-file.ts`, `bound-files.ts`), who asks (`requested-by.ts`, `starters.ts`), how it authenticates
 * (`gate-address.ts`, `id-token.ts`), the calls to a running Gatepost (`gate-client.ts`), waiting for the outcome
 * (`settle.ts`), progress (`screen.ts`), the final messages (`end.ts`, `interrupted.ts`), and running what was approved
 * (`run-approved.ts`, `start-command.ts`, `signals.ts`). `withdraw.ts` is a command of its own.
 */

import { type Command, Option } from 'commander';
import type { Terminal } from '../src/cli/terminal.ts';
import type { System } from '../src/core/lib/system.ts';
import type { AskOptions } from './carry-out-ask.ts';
import { count, field, file, filled, need, reviewers, signals, span } from './option-values.ts';
import { ownWords } from './signals.ts';
import { REQUESTED_BY, startersHelp } from './starters.ts';

const DAY_MS = 86_400_000;

/**
 * `ask`: asks for an approval from a terminal or a pipeline; its exit code is the decision. `given`: the whole command
 * line.
 */
export function addAsk(
  command: Command,
  terminal: Terminal,
  system: System,
  { given, onEnd }: { readonly given: readonly string[]; readonly onEnd: (code: number) => void },
): void {
  command
    .argument('[command...]', 'what --run runs, after --')
    .option('--title <text>', 'what it is about, in a line; required without --token-stdin', filled)
    .option('--message <text>', 'what the reviewers should know')
    .option('--field <name=value>', 'a fact, shown with its name; can be repeated', field)
    .option(
      '--change <file>',
      'a file that holds what exactly is approved: a diff, a plan; - for stdin',
      filled,
    )
    .option('--cut', 'if the change is too long: only its lines up to 40,000 characters')
    .option('--link <url>', 'an address for details')
    .option('--key <name>', 'your own name for the request; the same name resumes it', filled)
    .option('--token-stdin', 'a token of the service instead, from stdin')
    .option('--route <name>', 'which route; without it the first of your source', filled)
    .option('--source <id>', 'your source, if your identity token matches several', filled)
    .option('--channel <id>', "a channel instead of the route's", filled)
    .option(
      '--reviewers <people>',
      'e-mail addresses, or user and group ids, comma-separated: only these of the route',
      reviewers,
    )
    .option('--quorum <count>', "how many approvals, if more than the route's", count)
    .option(
      '--need <name=ids>',
      "approvals by these people or groups, in addition to the route's; SRE:2=S0… for two; can be repeated",
      need,
    )
    .option(
      '--requested-by <who>',
      'who asks: an e-mail address, a user id, a login such as github:octocat, a name, or none',
    )
    .option('--wait', 'wait until it is decided')
    .option('--no-wait', 'only ask, and end with 0 once that is done')
    .option('--run', 'wait, and run the command after -- if it is approved; one approval runs once')
    .option(
      '--bind <file>',
      'a file that has to be the same when the command starts; can be repeated',
      file,
    )
    .option(
      '--ignore <signals>',
      'neither end at these signals nor let the command; INT,QUIT for a job in the background',
      signals,
    )
    .option('--keep-secret', 'let the command of --run have GATEPOST_INTAKE_SECRET')
    .option(
      '--supersedes <name>',
      'withdraw older requests of this name that nobody decided',
      filled,
    )
    .option('--withdraw-on-cancel', 'withdraw the request when interrupted, also one with a --key')
    .addOption(
      new Option('--timeout <duration>', 'until when it can be decided, such as 30m, 2h or 7d')
        .argParser(span)
        .default(DAY_MS, '24h'),
    )
    .option('--json', 'write one object for programs to stdout')
    .addHelpText('after', `${EXITS}\n${WHO_ASKS}`)
    .action(async (words: string[], options: AskOptions) => {
      if (options.run && !isBehindDashes(words, given)) command.error(`error: ${STRAY}`);
      const isBoth = ['--wait', '--no-wait'].every((word) => ownWords(given).includes(word));
      if (isBoth) command.error('error: --wait and --no-wait exclude each other.');
      // Loaded here, so that the help is there at once.
      const { ask } = await import('./carry-out-ask.ts');
      onEnd(await ask(terminal, system, words, options, command));
    });
}

const STRAY = '--run runs what follows --: put all of the command there, and nothing before it.';

/** Commander returns the words before and after `--` as one list. */
function isBehindDashes(words: readonly string[], given: readonly string[]): boolean {
  return words.length === 0 || given.at(-words.length - 1) === '--';
}

const EXITS = `
Exit codes: 0 approved (or asked, with --no-wait), 1 rejected, 2 wrong usage or a conflict, 3 timed out,
4 withdrawn, 5 not decided: nobody could be asked, Gatepost was not reached in time, or there was no --wait.
130: interrupted; the request may still be open.
With --run: the command's own; 128 + n: ended by signal n; 127: not found; 126: cannot be executed;
125: nothing was run.`;

const WHO_ASKS = `
Without --requested-by, ${REQUESTED_BY} says who asks, in the same forms. Without both it is whoever started
the run, by the first of these variables that is set:
${startersHelp()}`;
