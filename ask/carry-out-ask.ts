import type { Command } from 'commander';
import { ASK_EXIT, isInTerminal, readStdin, type Terminal } from '../src/cli/terminal.ts';
import type { System } from '../src/core/lib/system.ts';
import { type BoundFile, bindFiles, fieldsOf } from './bound-files.ts';
import { type Change, changeIn, cutOf, cutText } from './change-file.ts';
import type { ApprovalBody, RequestedBy } from './contract/approval-body.ts';
import { type End, endOf, tell } from './end.ts';
import { gateAddress } from './gate-address.ts';
import { createGateClient, type GateDetails } from './gate-client.ts';
import { endOfInterrupted, withdrawn } from './interrupted.ts';
import type { Needs, Reviewers } from './option-values.ts';
import { programPath, scriptTrouble } from './program-file.ts';
import { askerOf, givenAsker } from './requested-by.ts';
import { type RunNeeds, runApproved } from './run-approved.ts';
import { createScreen } from './screen.ts';
import { isBlocked, settle } from './settle.ts';
import { ignoredSignals } from './signals.ts';
import { NOT_EXECUTABLE } from './start-command.ts';
import { starterIn } from './starters.ts';

export interface AskOptions {
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

/** Asks, waits if that is wanted, and runs what was approved. Returns the exit code. Throws CommanderError for wrong usage. */
export async function ask(
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
    const isLeft = isNew && isPatient && isBlocked(settled) && terminal.stderr.isTTY !== true;
    const left = isLeft
      ? await withdrawn({ ...settled, id: settled.details.id }, needs)
      : { state: resume };
    const end =
      settled.kind === 'interrupted'
        ? await endOfInterrupted(settled, needs)
        : endOf(settled, { resume: left.state, newKeyHint, whenOpen, now: system.clock.now() });
    const details = end.details ?? left.details ?? settled.details;
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
  readonly request: ApprovalBody;
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
  named: Pick<ApprovalBody, 'key' | 'token'>,
  options: AskOptions,
  { change, files, requestedBy, deadlineAt, words }: Contents & Omit<Prepared, 'request'>,
): ApprovalBody {
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
