import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { SentReport } from '../../approvals/result/report-contract.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { clip } from '../../core/lib/clip.ts';
import { instantOf } from '../../core/lib/iso-time.ts';
import type { System } from '../../core/lib/system.ts';
import { ASK_EXIT, type Terminal } from '../terminal.ts';
import { type BoundFile, changeOf } from './bound-files.ts';
import { agoText } from './end.ts';
import { type GateClient, type GateDetails, GateError } from './gate-client.ts';

export interface RunNeeds extends System {
  readonly terminal: Terminal;
  readonly client: GateClient;
  readonly files: readonly BoundFile[];
  /** How to get another approval for one that was not used. */
  readonly newKeyHint: string;
  readonly say: (sentence: string) => void;
}

/** How long reports are retried while Gatepost is unavailable. */
const PATIENCE_MS = 60_000;
const RETRY_MS = { first: 500, most: 15_000 } as const;
/** The limit of a report's text, in characters. */
const TEXT_MAX = 300;

/**
 * Runs what was approved: claims the approval, so that it is used once, then runs the command and reports the result.
 * Returns the command's exit code, or that it was not run.
 */
export async function runApproved(
  words: readonly string[],
  { id, result }: GateDetails,
  needs: RunNeeds,
): Promise<number> {
  const { terminal, files, clock, random, say } = needs;
  const notRun = (why: string) => {
    say(`Nothing was run: ${why}`);
    return ASK_EXIT.notRun;
  };
  const obstacle = async () => {
    const change = await changeOf(files);
    return terminal.interrupted.aborted ? 'it was interrupted.' : change;
  };
  if (result !== undefined) {
    const when = agoText(clock.now() - (instantOf(result.at) ?? clock.now()));
    return notRun(`this approval was already used (${result.state}, ${when}).${needs.newKeyHint}`);
  }
  const first = await obstacle();
  if (first !== undefined) return notRun(first);
  const claim = random.uuid();
  const refusal = await report(id, { state: 'running', claim }, needs, terminal.interrupted);
  if (refusal !== undefined) {
    const doubt =
      refusal.code === 'unreached' ? 'it is not known whether the approval was claimed. ' : '';
    return notRun(`${doubt}${refusal.message}`);
  }
  const second = await obstacle();
  const ended =
    second === undefined
      ? await run(words, needs)
      : { code: notRun(second), text: clip(`Not started: ${second}`, TEXT_MAX)[0] };
  await reportEnd(id, ended, needs);
  return ended.code;
}

interface Ended {
  readonly code: number;
  /** What went wrong; undefined: nothing. */
  readonly text?: string;
}

async function reportEnd(id: string, { text }: Ended, needs: RunNeeds): Promise<void> {
  const hurry = new AbortController();
  needs.terminal.takeSignals(() => hurry.abort());
  const state = text === undefined ? 'succeeded' : 'failed';
  const error = await report(id, { state, ...(text && { text }) }, needs, hurry.signal);
  if (error === undefined) return;
  const what =
    error.code === 'unreached'
      ? 'It is not known whether the result was reported.'
      : 'The result was not reported.';
  needs.say(`${what} ${error.message}`);
}

/**
 * Retries while Gatepost is unavailable, until `hurry` fires: the call in flight is then the last. Returns why it
 * failed.
 */
async function report(
  id: string,
  told: SentReport,
  { client, clock, timers }: RunNeeds,
  hurry: AbortSignal,
): Promise<GateError | undefined> {
  const giveUpAt = clock.now() + PATIENCE_MS;
  for (let patienceMs: number = RETRY_MS.first; ; patienceMs *= 2) {
    try {
      await client.report(id, told);
      return undefined;
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      const waitMs = Math.max(Math.min(patienceMs, RETRY_MS.most), error.retryAfterMs);
      const isLast = hurry.aborted || clock.now() + waitMs > giveUpAt;
      if (error.code !== 'unreached' || isLast) return error;
      await timers.sleep(waitMs, hurry).catch(() => undefined);
    }
  }
}

/** Without a shell, and with this process's streams; signals are forwarded to the command. */
async function run([file = '', ...args]: readonly string[], needs: RunNeeds): Promise<Ended> {
  const { terminal, say } = needs;
  try {
    return await new Promise<Ended>((resolve, reject) => {
      const child = spawn(file, args, { env: terminal.env, stdio: 'inherit' });
      terminal.takeSignals((signal) => {
        // The terminal already sent Ctrl-C to the command, and many programs treat a second one differently.
        if (signal !== 'SIGINT' || !isInTerminal(terminal)) child.kill(signal);
      });
      child.on('error', (error) => {
        // The error may also be about a signal that could not be sent.
        if (child.pid === undefined) reject(error);
      });
      child.once('exit', (code, signal) => resolve(endOfCommand(code, signal)));
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const isMissing = code === 'ENOENT';
    say(`${cleanLine(file)} ${isMissing ? 'was not found' : `cannot be executed (${code})`}.`);
    return { code: isMissing ? NOT_FOUND : NOT_EXECUTABLE, text: 'Could not be started' };
  }
}

/** Exit codes of shells. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const BY_SIGNAL = 128;

function endOfCommand(code: number | null, signal: NodeJS.Signals | null): Ended {
  if (signal !== null)
    return { code: BY_SIGNAL + constants.signals[signal], text: `Ended by ${signal}` };
  return code === 0 ? { code } : { code: code ?? 1, text: `Exit code ${code ?? 1}` };
}

function isInTerminal({ stdin, stdout, stderr }: Terminal): boolean {
  return [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true);
}
