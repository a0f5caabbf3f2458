/**
 * Asking for an approval from a terminal or a pipeline: the command (this file), what is approved (`change-file.ts`,
 * `bound-files.ts`), who asks (`requested-by.ts`, `starters.ts`), how it authenticates (`gate-address.ts`, `id-token.ts`), the calls to a running
 * Gatepost (`gate-client.ts`), waiting for the outcome (`settle.ts`), progress (`screen.ts`), the final messages (`end.ts`, `interrupted.ts`), and
 * running what was approved (`run-approved.ts`, `start-command.ts`, `signals.ts`). `withdraw.ts` is a command of its own.
 */

import { type Command, Option } from 'commander';
import type { ApprovalRequest } from '../../approvals/ways-in/approval-request.ts';
import type { RequestedBy } from '../../approvals/ways-in/requested-by.ts';
import type { System } from '../../core/lib/system.ts';
import { ASK_EXIT, isInTerminal, readStdin, type Terminal } from '../terminal.ts';
import { type BoundFile, bindFiles, fieldsOf } from './bound-files.ts';
import { type Change, changeIn, cutOf, cutText } from './change-file.ts';
import { type End, endOf, tell } from './end.ts';
import { gateAddress } from './gate-address.ts';
import { createGateClient, type GateDetails } from './gate-client.ts';
import { endOfInterrupted } from './interrupted.ts';
import {
  count,
  field,
  file,
  filled,
  type Needs,
  need,
  type Reviewers,
  reviewers,
  signals,
  span,
} from './option-values.ts';
import { programPath, scriptTrouble } from './program-file.ts';
import { askerOf, givenAsker, REQUESTED_BY } from './requested-by.ts';
import { type RunNeeds, runApproved } from './run-approved.ts';
import { createScreen } from './screen.ts';
import { settle } from './settle.ts';
import { ignoredSignals } from './signals.ts';
import { NOT_EXECUTABLE } from './start-command.ts';
import { starterIn, startersHelp } from './starters.ts';

const DAY_MS = 86_400_000;

/**
 * `ask`: asks for an approval from a terminal or a pipeline; its exit code is the decision. `given`: the whole command
 * line.
 */
export function addAsk(
  program: Command,
  terminal: Terminal,
  system: System,
  { given, onEnd }: { readonly given: readonly string[]; readonly onEnd: (code: number) => void },
): void {
  program
    .command('ask')
    .argument('[command...]', 'what --run runs, after --')
    .description(
      'ask people in Slack for an approval; needs GATEPOST_URL, and GATEPOST_INTAKE_SECRET or an identity token of the CI system',
    )
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
    .action(async (words: string[], options: AskOptions, command: Command) => {
      if (options.run && !isBehindDashes(words, given)) command.error(`error: ${STRAY}`);
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

interface AskOptions {
  readonly title?: string;
  readonly message?: string;
  readonly field?: Readonly<Record<string, string>>;
  readonly change?: string;
  readonly cut?: true;
  readonly link?: string;
  readonly key?: string;
  readonly tokenStdin?: true;
  readonly route?: string;
  readonly source?: string;
  readonly channel?: string;
  readonly reviewers?: Reviewers;
  readonly quorum?: number;
  readonly need?: Needs;
  readonly requestedBy?: string;
  readonly wait?: boolean;
  readonly run?: true;
  readonly bind?: readonly string[];
  readonly ignore?: readonly NodeJS.Signals[];
  readonly keepSecret?: true;
  readonly supersedes?: string;
  readonly withdrawOnCancel?: true;
  /** In milliseconds. */
  readonly timeout: number;
  readonly json?: true;
}

async function ask(
  terminal: Terminal,
  system: System,
  words: readonly string[],
  options: AskOptions,
  command: Command,
): Promise<number> {
  // With an exit code that decides, the output need not be read: a closed pipe does not end the command.
  const { env, interrupted: signal } = terminal;
  const address = gateAddress(env);
  const problem = address.problem ?? usageProblem(words, options, env);
  if (problem !== undefined) return command.error(`error: ${problem}`);
  const asker = givenAsker(env, options.requestedBy) ?? askerOf(starterIn(env));
  if (asker.problem !== undefined) return command.error(`error: ${asker.problem}`);
  const deadlineAt = system.clock.now() + options.timeout;
  const ownKey = options.key ?? `ask-${system.random.uuid()}`;
  const key = options.tokenStdin ? undefined : ownKey;
  const trouble = options.run && scriptTrouble(words[0] ?? '', env);
  if (trouble !== undefined) return notAsked(terminal, trouble, NOT_EXECUTABLE);
  const contents = { words, key, requestedBy: asker.requestedBy, deadlineAt };
  const prepared = await prepare(terminal, options, contents, command).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (prepared === undefined) {
    const { notRun, interrupted } = ASK_EXIT;
    return notAsked(terminal, 'Interrupted.', options.run ? notRun : interrupted);
  }
  const { request, change, files } = prepared;
  const client = createGateClient({ ...address, ...system, source: options.source });
  const isNew = key !== undefined && options.key === undefined;
  const { title } = options;
  const screen = createScreen(terminal, system, {
    ...{ title, deadlineAt },
    ownKey: isNew ? key : undefined,
  });
  const { say, show: onNews } = screen;
  if (asker.said !== undefined) say(asker.said);
  const cut = cutText(change);
  if (cut !== undefined) say(cut);
  const resume = `Run this again with ${key === undefined ? 'the same token' : `--key ${key}`} to resume it.`;
  const newKeyHint = options.key === undefined ? '' : ' Ask again with another --key.';
  try {
    const isPatient = options.wait === true || options.run === true;
    const waiting = { client, ...system, signal, deadlineAt, isPatient, onNews };
    const settled = await settle(request, waiting);
    screen.close();
    if (settled.kind === 'known' && !settled.isEarlier) screen.showAsked(settled.details);
    const isWithdrawn = isNew || options.withdrawOnCancel === true;
    const needs = { terminal, ...system, client, request, resume, isWithdrawn };
    const whenOpen = options.wait === false ? ASK_EXIT.asked : ASK_EXIT.undecided;
    const end =
      settled.kind === 'interrupted'
        ? await endOfInterrupted(settled, needs)
        : endOf(settled, { resume, newKeyHint, whenOpen, now: system.clock.now() });
    const details = end.details ?? settled.details;
    if (options.run) {
      const ignored = ignoredSignals(options.ignore ?? [], { hasTerminal: isInTerminal(terminal) });
      const keepSecret = options.keepSecret === true;
      const what = { client, files, newKeyHint, ignored, keepSecret };
      const running = { ...system, terminal, say, ...what };
      return await runAfter(end, settled.details, words, running);
    }
    tell(terminal, end, options.json && { key: key ?? null, ...cutOf(change), ...details });
    return end.exitCode;
  } finally {
    screen.close();
    await client.close();
  }
}

function notAsked({ stderr }: Terminal, why: string, exitCode: number): number {
  stderr.write(`${why} Nobody was asked.\n`);
  return exitCode;
}

/** Only the command's own output goes to stdout. */
async function runAfter(
  { exitCode, sentence }: End,
  details: GateDetails | undefined,
  words: readonly string[],
  needs: RunNeeds,
): Promise<number> {
  const isApproved = exitCode === ASK_EXIT.APPROVED && details !== undefined;
  needs.say(isApproved ? sentence : `Nothing was run. ${sentence}`);
  return isApproved ? runApproved(words, details, needs) : ASK_EXIT.notRun;
}

interface Contents {
  /** The command for `--run`. */
  readonly words: readonly string[];
  /** undefined: it is asked with a token. */
  readonly key: string | undefined;
  readonly requestedBy: RequestedBy | undefined;
  readonly deadlineAt: number;
}

interface Prepared {
  readonly request: ApprovalRequest;
  readonly change: Change;
  readonly files: readonly BoundFile[];
}

/** Reads what is approved. Ends the command if that is not possible; throws if it was interrupted. */
async function prepare(
  terminal: Terminal,
  options: AskOptions,
  contents: Contents,
  command: Command,
): Promise<Prepared> {
  const { interrupted: signal } = terminal;
  const change = await changeIn(options, terminal, command);
  const files = await bindFiles(options.bind ?? [], command, signal);
  const { key } = contents;
  const named = key === undefined ? { token: String(await readStdin(terminal)).trim() } : { key };
  return { request: requestOf(named, options, { ...contents, change, files }), change, files };
}

function requestOf(
  named: Pick<ApprovalRequest, 'key' | 'token'>,
  options: AskOptions,
  { change, files, requestedBy, deadlineAt, words }: Contents & Omit<Prepared, 'request'>,
): ApprovalRequest {
  const { title, message, link, route, channel, reviewers, quorum } = options;
  const { need, supersedes } = options;
  // The command is part of what is approved.
  const command = options.run === true ? { Command: commandText(words) } : {};
  const fields = { ...options.field, ...fieldsOf(files), ...command };
  return {
    ...named,
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...change,
    ...(link !== undefined && { link }),
    ...(route !== undefined && { route }),
    ...(channel !== undefined && { channel }),
    ...(reviewers !== undefined && { reviewers }),
    ...(quorum !== undefined && { quorum }),
    ...(need !== undefined && { need }),
    ...(requestedBy !== undefined && { requestedBy }),
    ...(supersedes !== undefined && { supersedes }),
    expiresAt: new Date(deadlineAt).toISOString(),
  };
}

/** Quoted for a shell, so that different commands never have the same text. */
function commandText(words: readonly string[]): string {
  const quoted = words.map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
  );
  return quoted.join(' ');
}

function usageProblem(
  words: readonly string[],
  options: AskOptions,
  env: Terminal['env'],
): string | undefined {
  const { title, key, tokenStdin, change, cut } = options;
  if (cut && change === undefined) return '--cut needs --change.';
  if (tokenStdin && key !== undefined) return '--key and --token-stdin exclude each other.';
  if (tokenStdin && change === '-') return '--change - and --token-stdin both read stdin.';
  if (!tokenStdin && title === undefined) return '--title is required.';
  return options.run ? runProblem(words, options, env) : notRunProblem(words, options);
}

function runProblem(
  words: readonly string[],
  { json, wait, ignore }: AskOptions,
  env: Terminal['env'],
): string | undefined {
  if (words.length === 0) return '--run needs a command after --.';
  if (json) return '--json and --run exclude each other.';
  if (wait === false) return '--no-wait and --run exclude each other.';
  const isLess = ignore !== undefined && programPath('sh', env) === undefined;
  return isLess ? '--ignore needs the program sh, which starts the command.' : undefined;
}

function notRunProblem(
  words: readonly string[],
  { bind, keepSecret }: AskOptions,
): string | undefined {
  if (words.length > 0) return 'A command needs --run.';
  if (keepSecret) return '--keep-secret needs --run.';
  return bind === undefined ? undefined : '--bind needs --run.';
}
