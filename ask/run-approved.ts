import { ASK_EXIT } from '../src/cli/terminal.ts';
import { clip } from '../src/core/lib/clip.ts';
import { instantOf } from '../src/core/lib/iso-time.ts';
import type { System } from '../src/core/lib/system.ts';
import { type BoundFile, changeOf } from './bound-files.ts';
import { RESULT_TEXT_MAX, type Work } from './contract/approval-body.ts';
import { GateError } from './contract/gate-error.ts';
import { agoText } from './end.ts';
import type { GateClient, GateDetails } from './gate-client.ts';
import { type CommandNeeds, type Ended, startCommand } from './start-command.ts';

export interface RunNeeds extends System, CommandNeeds {
  readonly client: GateClient;
  readonly files: readonly BoundFile[];
  /** How to get another approval for one that was not used. */
  readonly newKeyHint: string;
}

/** How long reports are retried while Gatepost is unavailable. */
const PATIENCE_MS = 60_000;
const RETRY_MS = { first: 500, most: 15_000 } as const;
/** Signs of life while the command runs; one that is missed is not yet silence. */
const ALIVE_MS = { every: 2 * 60_000, until: 5 * 60_000 } as const;

/**
 * Runs what was approved: claims the approval, so that it is used once, then runs the command and reports the result.
 * Returns the command's exit code, or that it was not run.
 */
export async function runApproved(
  words: readonly string[],
  details: GateDetails,
  needs: RunNeeds,
): Promise<number> {
  const { id } = details;
  const { terminal, files, clock, random, say } = needs;
  const notRun = (why: string) => {
    say(`Nothing was run: ${why}`);
    return ASK_EXIT.notRun;
  };
  const obstacle = async () => {
    const change = await changeOf(files, terminal.interrupted);
    return terminal.interrupted.aborted ? 'it was interrupted.' : change;
  };
  const before = details.result;
  if (before !== undefined) {
    const when = agoText(clock.now() - (instantOf(before.at) ?? clock.now()));
    return notRun(`this approval was already used (${before.state}, ${when}).${needs.newKeyHint}`);
  }
  const first = await obstacle();
  if (first !== undefined) return notRun(first);
  const claim = random.uuid();
  const refusal = await report(id, { ...alive(needs), claim }, needs, terminal.interrupted);
  if (refusal !== undefined) {
    const doubt =
      refusal.code === 'unreached' ? 'it is not known whether the approval was claimed. ' : '';
    return notRun(`${doubt}${refusal.message}`);
  }
  const second = await obstacle();
  const ended =
    second === undefined
      ? await runReporting(id, words, needs)
      : { code: notRun(second), text: clip(`Not started: ${second}`, RESULT_TEXT_MAX)[0] };
  await reportEnd(id, ended, needs);
  return ended.code;
}

/** The command, with signs of life: if this process is killed, the message says since when nothing is heard. */
async function runReporting(id: string, words: readonly string[], needs: RunNeeds): Promise<Ended> {
  let cancel = () => {};
  let hasEnded = false;
  const inAWhile = () => {
    cancel = needs.timers.after(ALIVE_MS.every, async () => {
      try {
        await needs.client.report(id, alive(needs));
      } catch (error) {
        // The next one says it too.
        if (!(error instanceof GateError)) throw error;
      }
      if (!hasEnded) inAWhile();
    });
  };
  inAWhile();
  try {
    return await startCommand(words, needs);
  } finally {
    hasEnded = true;
    cancel();
  }
}

function alive({ client }: RunNeeds): Work {
  return { state: 'running', until: new Date(client.now() + ALIVE_MS.until).toISOString() };
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
  told: Work,
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
