/**
 * Asking for an approval from a terminal or a pipeline: the command (this file), what is approved
 * (`change-file.ts`), the calls to a running Gatepost
 * (`gate-client.ts`), waiting for the end (`settle.ts`), and what is seen meanwhile (`screen.ts`).
 */

import { createInterface } from 'node:readline/promises';
import { text as readText } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApprovalRequest } from '../../approvals/intake-contract.ts';
import { duration } from '../../core/config/values.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { System } from '../../core/lib/system.ts';
import { safeJson } from '../output.ts';
import { ASK_EXIT, type ExitCode, Interruption, type Terminal } from '../terminal.ts';
import { type Change, changeIn, cutOf, cutText } from './change-file.ts';
import { gateAddress } from './gate-address.ts';
import { createGateClient, type GateClient, type GateDetails, GateError } from './gate-client.ts';
import { createScreen, decidedBy } from './screen.ts';
import { type Settled, settle, type Unsettled } from './settle.ts';

const DAY_MS = 86_400_000;
const LONGEST_MS = 30 * DAY_MS;

/** `ask`: asks for an approval from a terminal or a pipeline, and says by its exit code what was decided. */
export function addAsk(
  program: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
): void {
  program
    .command('ask')
    .description(
      'ask people in Slack for an approval; needs GATEPOST_URL and GATEPOST_INTAKE_SECRET',
    )
    .option('--title <text>', 'what it is about, in a line; required without --token-stdin')
    .option('--message <text>', 'what the reviewers should know')
    .option('--field <name=value>', 'a fact, shown with its name; can be repeated', field)
    .option(
      '--change <file>',
      'a file that holds what exactly is approved: a diff, a plan; - for stdin',
    )
    .option('--cut', 'if the change is too long: only its lines up to 40,000 characters')
    .option('--link <url>', 'an address for details')
    .option('--key <name>', 'your own name for the request; the same name resumes it')
    .option('--token-stdin', 'a token of the service instead, from stdin')
    .option('--route <name>', 'which route; without it the first of your source')
    .option('--channel <id>', "a channel instead of the route's")
    .option(
      '--reviewers <ids>',
      'user and group ids, comma-separated: only these of the route',
      people,
    )
    .option('--quorum <count>', "how many approvals, if more than the route's", count)
    .option(
      '--need <name=ids>',
      'approvals by these people or groups, besides those of the route; SRE:2=S0… for two; can be repeated',
      need,
    )
    .option('--requested-by <who>', 'who asks: an e-mail address, a user id, or a name', requester)
    .option('--wait', 'wait until it is decided')
    .addOption(
      new Option('--timeout <duration>', 'until when it can be decided, such as 30m, 2h or 7d')
        .argParser(span)
        .default(DAY_MS, '24h'),
    )
    .option('--json', 'write one object for programs to stdout')
    .addHelpText('after', EXITS)
    .action(async (options: AskOptions, command: Command) =>
      onEnd(await ask(terminal, system, options, command)),
    );
}

const EXITS = `
Exit codes: 0 approved, 1 rejected, 2 wrong usage or a conflict, 3 timed out, 4 withdrawn,
5 not decided: nobody could be asked, Gatepost was not reached in time, or there was no --wait.
130: interrupted; the request may still be open.`;

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
  readonly channel?: string;
  readonly reviewers?: NonNullable<ApprovalRequest['reviewers']>;
  readonly quorum?: number;
  readonly need?: Needs;
  readonly requestedBy?: NonNullable<ApprovalRequest['requestedBy']>;
  readonly wait?: true;
  /** In milliseconds. */
  readonly timeout: number;
  readonly json?: true;
}

async function ask(
  terminal: Terminal,
  system: System,
  options: AskOptions,
  command: Command,
): Promise<ExitCode> {
  // Whoever waits for its exit code need not read what it says.
  const { env, stdout, stderr, interrupted: signal } = terminal;
  const address = gateAddress(env);
  const problem = address.problem ?? usageProblem(options);
  if (problem !== undefined) return command.error(`error: ${problem}`);
  const deadlineAt = system.clock.now() + options.timeout;
  const key = options.key ?? `ask-${system.random.uuid()}`;
  const change = await changeIn(options, terminal, command);
  const request = await requestOf(terminal, options, change, key, deadlineAt);
  const client = createGateClient({ ...address, ...system });
  const screen = createScreen(terminal, system);
  if (options.key === undefined && request.key !== undefined) {
    screen.say(`Key: ${key} (add --key ${key} to resume this request)`);
  }
  const cut = cutText(change);
  if (cut !== undefined) screen.say(cut);
  const resume = options.tokenStdin
    ? 'Run this again with the same token to resume it.'
    : `Run this again with --key ${key} to resume it.`;
  try {
    const isPatient = options.wait === true;
    const { show: onNews } = screen;
    const waiting = { client, ...system, signal, deadlineAt, isPatient, onNews };
    const settled = await settle(request, waiting);
    screen.close();
    const end =
      settled.kind === 'interrupted'
        ? await interrupted(terminal, client, settled, resume)
        : endOf(settled, resume);
    const { exitCode, sentence, details = settled.details } = end;
    if (options.json) {
      const asked = { key: request.key ?? null, ...cutOf(change) };
      stdout.write(safeJson({ ...asked, ...details, exitCode, sentence }));
    } else if (exitCode === ASK_EXIT.usage) stderr.write(`error: ${sentence}\n`);
    else stdout.write(`${sentence}\n`);
    return exitCode;
  } finally {
    screen.close();
    await client.close();
  }
}

interface End {
  readonly exitCode: ExitCode;
  readonly sentence: string;
  /** Where it was read after the waiting. */
  readonly details?: GateDetails;
}

/** `resume` says how to go on with the request. */
function endOf(settled: Settled, resume: string): End {
  const { kind } = settled;
  if (kind === 'known') return endOfKnown(settled.details, resume);
  if (kind === 'refused') return { exitCode: ASK_EXIT.usage, sentence: settled.reason };
  if (kind === 'out-of-time') {
    return { exitCode: ASK_EXIT.TIMED_OUT, sentence: 'Timed out: nobody decided in time.' };
  }
  const what = settled.id === undefined ? 'whether the request was made' : 'how the request stands';
  const sentence = `It is not known ${what}. ${settled.reason} ${resume}`;
  return { exitCode: ASK_EXIT.undecided, sentence };
}

function endOfKnown(details: GateDetails, resume: string): End {
  const { status, posting, permalink } = details;
  const by = decidedBy(details);
  switch (status) {
    case 'APPROVED':
      return { exitCode: ASK_EXIT.APPROVED, sentence: `Approved${by}.` };
    case 'REJECTED': {
      const reasons = details.ballots.flatMap(({ action, reason }) =>
        action === 'reject' && reason !== undefined ? [cleanLine(reason)] : [],
      );
      const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
      return { exitCode: ASK_EXIT.REJECTED, sentence: `Rejected${by}${why || '.'}` };
    }
    case 'TIMED_OUT':
      return { exitCode: ASK_EXIT.TIMED_OUT, sentence: 'Timed out: nobody decided in time.' };
    case 'WITHDRAWN':
      return { exitCode: ASK_EXIT.WITHDRAWN, sentence: 'Withdrawn: nothing was decided.' };
    case 'BLOCKED': {
      const code = cleanLine(posting.reason ?? 'no reason given');
      const sentence = `Not decided: Slack refuses the message (${code}), so nobody is asked. Ask a Gatepost administrator to fix that. ${resume}`;
      return { exitCode: ASK_EXIT.undecided, sentence };
    }
    case 'UNKNOWN':
      return {
        exitCode: ASK_EXIT.undecided,
        sentence: `It is not known how the request stands. ${resume}`,
      };
    default: {
      const where = permalink === undefined ? '' : ` ${cleanLine(permalink)}`;
      return { exitCode: ASK_EXIT.undecided, sentence: `Asked, and not decided yet.${where}` };
    }
  }
}

/** Only for an approval that was waited for is the exit code 0. */
async function interrupted(
  terminal: Terminal,
  client: GateClient,
  { id }: Unsettled,
  resume: string,
): Promise<End> {
  const left = (state: string) => ({
    exitCode: ASK_EXIT.interrupted,
    sentence: `Interrupted. ${state} ${resume}`,
  });
  if (id === undefined) return left('It is not known whether the request was made.');
  if (!(await isToWithdraw(terminal))) return left('The request was not withdrawn.');
  const { signal } = new AbortController();
  try {
    await client.withdraw(id, signal);
    const details = await client.read(id, 0, signal);
    if (!details.final) {
      return { ...left('The request will be withdrawn unless a decision is being sent.'), details };
    }
    if (details.status !== 'APPROVED') return { ...endOfKnown(details, resume), details };
    const sentence = `Interrupted. The request was not withdrawn: it was already approved${decidedBy(details)}.`;
    return { exitCode: ASK_EXIT.interrupted, sentence, details };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return left(`It is not known whether the request was withdrawn. ${error.message}`);
  }
}

/** Somebody pressed Ctrl-C: is the request to go on without them? Whatever else ends it has no time for questions. */
async function isToWithdraw({ stdin, stderr, interrupted: signal }: Terminal): Promise<boolean> {
  const isCtrlC = signal.reason instanceof Interruption && signal.reason.by === 'SIGINT';
  if (!isCtrlC || stdin.isTTY !== true || stderr.isTTY !== true) return false;
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  const gone = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', () => resolve(''));
  });
  const asked = lines.question('Withdraw the request? [y/N] ').catch(() => '');
  const answer = await Promise.race([asked, gone]);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function requestOf(
  { stdin }: Terminal,
  options: AskOptions,
  change: Change,
  key: string,
  deadlineAt: number,
): Promise<ApprovalRequest> {
  const { title, message, field: fields, link, route, channel, reviewers, quorum } = options;
  const { need, requestedBy, tokenStdin } = options;
  return {
    ...(tokenStdin ? { token: (await readText(stdin)).trim() } : { key }),
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(fields !== undefined && { fields }),
    ...change,
    ...(link !== undefined && { link }),
    ...(route !== undefined && { route }),
    ...(channel !== undefined && { channel }),
    ...(reviewers !== undefined && { reviewers }),
    ...(quorum !== undefined && { quorum }),
    ...(need !== undefined && { need }),
    ...(requestedBy !== undefined && { requestedBy }),
    expiresAt: new Date(deadlineAt).toISOString(),
  };
}

function usageProblem({ title, key, tokenStdin, change, cut }: AskOptions): string | undefined {
  if (cut && change === undefined) return '--cut needs --change.';
  if (tokenStdin && key !== undefined) return '--key and --token-stdin exclude each other.';
  if (tokenStdin && change === '-') return '--change - and --token-stdin both read stdin.';
  if (!tokenStdin && title === undefined) return '--title is required.';
  return undefined;
}

function field(given: string, before: Readonly<Record<string, string>> = {}) {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as name=value.');
  return { ...before, [given.slice(0, at)]: given.slice(at + 1) };
}

function people(given: string): NonNullable<ApprovalRequest['reviewers']> {
  const ids = given.split(',').map((id) => id.trim());
  const strange = ids.find((id) => !/^[UWS][A-Z0-9]{2,}$/.test(id));
  if (strange !== undefined)
    throw new InvalidArgumentError('Write ids: U… for people, S… for groups.');
  const groups = ids.filter((id) => id.startsWith('S'));
  return { users: ids.filter((id) => !id.startsWith('S')), groups };
}

type Needs = NonNullable<ApprovalRequest['need']>;

function need(given: string, before: Needs = []): Needs {
  const { name, places = '1', ids } = NEED.exec(given)?.groups ?? {};
  if (name === undefined || ids === undefined) {
    throw new InvalidArgumentError('Write it as name=ids or name:count=ids.');
  }
  return [...before, { name: name.trim(), of: people(ids), count: count(places) }];
}

const NEED = /^(?<name>[^:=]+)(?::(?<places>[^:=]*))?=(?<ids>[^=]+)$/;

/** A short one without a digit is a name in capitals. */
const USER_ID = /^[UW](?:[A-Z0-9]{8,31}|(?=[A-Z]*\d)[A-Z0-9]{4,7})$/;

function requester(given: string): NonNullable<ApprovalRequest['requestedBy']> {
  const who = given.trim();
  if (USER_ID.test(who)) return { slackUser: who };
  // One with a full-width sign is refused, not taken for a name.
  return who.normalize('NFKC').includes('@') ? { email: who } : { name: who };
}

function count(given: string): number {
  if (!/^[1-9]\d{0,2}$/.test(given)) throw new InvalidArgumentError('Write a number from 1 on.');
  return Number(given);
}

function span(given: string): number {
  const { data } = duration.safeParse(given);
  if (data === undefined)
    throw new InvalidArgumentError('Write a duration such as 90s, 30m or 2h.');
  if (data > LONGEST_MS) throw new InvalidArgumentError('30d is the longest.');
  return data;
}
