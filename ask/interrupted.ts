import { createInterface } from 'node:readline/promises';
import { ASK_EXIT, Interruption, type Terminal } from '../src/cli/terminal.ts';
import type { Timers } from '../src/core/lib/timers.ts';
import type { ApprovalBody } from './contract/approval-body.ts';
import { isFinal } from './contract/approval-details.ts';
import { GateError } from './contract/gate-error.ts';
import type { End } from './end.ts';
import type { GateClient } from './gate-client.ts';
import type { Unsettled } from './settle.ts';

interface InterruptionNeeds {
  readonly terminal: Terminal;
  readonly timers: Timers;
  readonly client: GateClient;
  readonly request: ApprovalBody;
  /** The command to resume the request. */
  readonly resume: string;
  /** Nobody will resume the request: it is withdrawn, unless the person at the terminal decides otherwise. */
  readonly isWithdrawn: boolean;
}

/** A runner that cancels a job kills it some seconds later. */
const WITHDRAW_MS = 2_000;

/** What happens to the request of an interrupted command. */
export async function endOfInterrupted(left: Unsettled, needs: InterruptionNeeds): Promise<End> {
  const { terminal, resume, isWithdrawn } = needs;
  const end = (state: string) => ({
    exitCode: ASK_EXIT.interrupted,
    sentence: `Interrupted. ${state}`,
  });
  if (!left.mayBeMade) return end('Nothing was asked.');
  const isMade = left.id !== undefined;
  if (!(isMade ? await isToWithdraw(terminal, isWithdrawn) : isWithdrawn)) {
    const state = isMade
      ? 'The request was not withdrawn.'
      : 'It is not known whether the request was made.';
    return end(`${state} ${resume}`);
  }
  const { state, ...rest } = await withdrawn(left, needs);
  return { ...end(state), ...rest };
}

interface Withdrawal {
  readonly state: string;
  /** The request for programs. */
  readonly details?: object;
}

/** Withdraws what nobody will resume. */
export async function withdrawn(
  left: Pick<Unsettled, 'id' | 'details'>,
  { timers, client, request, resume }: InterruptionNeeds,
): Promise<Withdrawal> {
  const limit = timers.deadline(WITHDRAW_MS);
  try {
    // The request may have arrived without an answer: repeating it returns its id.
    const id = left.id ?? (await client.ask(request, limit)).id;
    const summary = await client.withdraw(id, limit);
    const { status } = summary;
    const details = { ...left.details, ...summary, final: isFinal(status) };
    if (status === 'WITHDRAWN') return { state: 'The request was withdrawn.', details };
    const state = details.final
      ? `The request was not withdrawn: it was already ${status.toLowerCase().replace('_', ' ')}.`
      : `The request will be withdrawn unless a decision is being sent. ${resume}`;
    return { state, details };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const why = error.code === 'aborted' ? 'Gatepost did not answer in time.' : error.message;
    return { state: `It is not known whether the request was withdrawn. ${why} ${resume}` };
  }
}

/** After Ctrl-C the person is asked. After other signals there is no time for questions. */
async function isToWithdraw(
  { stdin, stderr, interrupted: signal }: Terminal,
  otherwise: boolean,
): Promise<boolean> {
  const isCtrlC = signal.reason instanceof Interruption && signal.reason.by === 'SIGINT';
  if (!isCtrlC || stdin.isTTY !== true || stderr.isTTY !== true) return otherwise;
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  const gone = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', () => resolve(''));
  });
  const choice = otherwise ? '[Y/n]' : '[y/N]';
  const asked = lines.question(`Withdraw the request? ${choice} `).catch(() => '');
  const answer = (await Promise.race([asked, gone])).trim();
  lines.close();
  return answer === '' ? otherwise : /^y(es)?$/i.test(answer);
}
