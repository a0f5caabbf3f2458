import type { Command } from 'commander';
import { ASK_EXIT, EXIT, type Terminal } from '../src/cli/terminal.ts';
import type { System } from '../src/core/lib/system.ts';
import { decidedBy } from './contract/details-text.ts';
import { GateError } from './contract/gate-error.ts';
import { patiently } from './contract/patiently.ts';
import { ago, type End, tell } from './end.ts';
import { gateAddress } from './gate-address.ts';
import { createGateClient, type GateClient, type GateDetails } from './gate-client.ts';
import { filled } from './option-values.ts';

const EXITS = `
Exit codes: 0 withdrawn, now or before; 2 already decided, no such request, or wrong usage; 5 not known:
Gatepost was not reached in time, or a decision is being sent; 130 interrupted.`;

/** For all calls together. */
const LIMIT_MS = 60_000;
/** A decision that is being sent usually ends within this time. */
const CLOSING_S = 10;

interface WithdrawOptions {
  readonly key?: string;
  readonly source?: string;
  readonly json?: true;
}

/** `withdraw`: closes a request of one's own source, by its id or its key, without a decision. */
export function addWithdraw(
  command: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: number) => void,
): void {
  command
    .argument('[id]', 'the id of the request', filled)
    .option('--key <name>', 'the key it was asked with, instead of its id', filled)
    .option('--source <id>', 'your source, if your identity token matches several', filled)
    .option('--json', 'write one object for programs to stdout')
    .addHelpText('after', EXITS)
    .action(async (id: string | undefined, options: WithdrawOptions) => {
      const { key, source, json } = options;
      const { problem, ...address } = gateAddress(terminal.env);
      if ((id === undefined) === (key === undefined)) command.error(`error: ${EITHER}`);
      if (problem !== undefined) command.error(`error: ${problem}`);
      const client = createGateClient({ ...address, ...system, source });
      try {
        const end = await withdraw({ id, key }, { client, terminal, system });
        tell(terminal, end, json && { key: key ?? null, ...end.details });
        onEnd(end.exitCode);
      } finally {
        await client.close();
      }
    });
}

const EITHER = 'Give the id of a request, or --key and its key.';

interface Named {
  readonly id: string | undefined;
  readonly key: string | undefined;
}

interface WithdrawNeeds {
  readonly client: GateClient;
  readonly terminal: Terminal;
  readonly system: System;
}

/** It is read first: what is decided stays as it is, and somebody may have withdrawn it before. */
async function withdraw({ id = '', key }: Named, needs: WithdrawNeeds): Promise<End> {
  const { client, terminal, system } = needs;
  const { clock, timers } = system;
  const signal = AbortSignal.any([terminal.interrupted, timers.deadline(LIMIT_MS)]);
  const tried = <T>(call: () => Promise<T>) => patiently(call, { timers, signal });
  const read = (of: string, waitS: number) => tried(() => client.read(of, waitS, signal));
  let before: GateDetails | undefined;
  try {
    before = await (key === undefined ? read(id, 0) : tried(() => client.find(key, signal)));
    const own = before.id;
    if (before.final) return endOf(before, ago(before, clock.now()));
    const summary = await tried(() => client.withdraw(own, signal));
    // The details of a decision that was faster.
    if (summary.status !== 'WITHDRAWN') return endOf(await read(own, CLOSING_S), 'just now');
    return endOf({ ...before, ...summary, final: true }, '');
  } catch (error) {
    const why = terminal.interrupted.aborted ? 'interrupted' : 'late';
    return endOfFailure(error, { key, details: before, ended: signal.aborted ? why : undefined });
  }
}

/** `when`: it ended; empty: by this command. */
function endOf(details: GateDetails, when: string): End {
  const { status } = details;
  const behind = when === '' ? '' : ` ${when}`;
  const not = 'The request was not withdrawn: it';
  const { usage, undecided } = ASK_EXIT;
  switch (status) {
    case 'WITHDRAWN':
      return { exitCode: EXIT.done, sentence: `The request was withdrawn${behind}.`, details };
    case 'APPROVED':
    case 'REJECTED': {
      const how = `was ${status.toLowerCase()}${decidedBy(details)}`;
      return { exitCode: usage, sentence: `${not} ${how}${behind}.`, details };
    }
    case 'TIMED_OUT':
      return { exitCode: usage, sentence: `${not} timed out${behind}.`, details };
    case 'UNKNOWN':
      return { exitCode: undecided, sentence: `${UNCONFIRMED} ${AGAIN}`, details };
    default:
      return { exitCode: undecided, sentence: `${BEING_SENT} ${AGAIN}`, details };
  }
}

const BEING_SENT = 'The request will be withdrawn unless a decision is being sent.';
const UNCONFIRMED =
  'A decision was sent, and the service has not confirmed it: otherwise the request will be withdrawn.';
const AGAIN = 'Run this again to find out.';

interface FailureFacts {
  readonly key: string | undefined;
  /** The request, unless it was not even read. */
  readonly details: GateDetails | undefined;
  /** Why it had to end, if it had to. */
  readonly ended: 'interrupted' | 'late' | undefined;
}

function endOfFailure(error: unknown, { key, details, ended }: FailureFacts): End {
  const end = (exitCode: End['exitCode'], sentence: string): End =>
    details === undefined ? { exitCode, sentence } : { exitCode, sentence, details };
  const state =
    details === undefined
      ? 'Nothing was withdrawn.'
      : 'It is not known whether the request was withdrawn.';
  if (ended === 'interrupted') return end(ASK_EXIT.interrupted, `Interrupted. ${state}`);
  const late = `${state} Gatepost did not answer in time. Run this again.`;
  if (ended === 'late') return end(ASK_EXIT.undecided, late);
  if (!(error instanceof GateError)) throw error;
  const { code, message } = error;
  if (code === 'unknown') return end(ASK_EXIT.usage, NO_SUCH[key === undefined ? 'id' : 'key']);
  if (code === 'refused') return end(ASK_EXIT.usage, message);
  return end(ASK_EXIT.undecided, `${state} ${message} Run this again.`);
}

const NO_SUCH = {
  id: 'Your source has no request with this id. A short id such as 7H2N-K4QM is not enough.',
  key: 'Your source has no request with this key.',
} as const;
