import { GateError } from '../../../ask/contract/gate-error.ts';
import { createGateClient, type GateDetails } from '../../../ask/gate-client.ts';
import type { Config } from '../../core/config/config.ts';
import { NO_PROXIES } from '../../core/lib/proxies.ts';
import type { System } from '../../core/lib/system.ts';

/** The bot, run by the setup for its first request. */
interface RunningBot {
  readonly url: string;
  /** Resolves with a sentence when nothing more will arrive from Slack. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the bot without a log. `failure`: why it could not start, if somebody can fix it. */
export type StartBot = (
  config: Config,
) => Promise<
  { readonly ok: true; readonly bot: RunningBot } | { readonly ok: false; readonly failure: string }
>;

/** The setup itself asks: a requester that is known, and no person, so every reviewer can decide. */
const REQUESTER = { login: 'setup', at: 'gatepost', name: 'gatepost setup' } as const;
const ROBOT = `${REQUESTER.at}:${REQUESTER.login}`;

const TITLE = 'Shall this be your first approval?';
const MESSAGE = 'Press a button: the terminal where gatepost setup runs shows your decision.';

/** Asking again after a request that nobody decided makes another one. */
const ROUNDS_MAX = 20;
const WAIT_S = 50;

interface FirstNeeds {
  readonly config: Config;
  readonly system: System;
  readonly startBot: StartBot;
  readonly secret: string;
  readonly onPosted: (details: GateDetails) => void;
  readonly signal: AbortSignal;
}

type First =
  | { readonly kind: 'decided'; readonly details: GateDetails; readonly isEarlier: boolean }
  | { readonly kind: 'failed'; readonly sentence: string };

/**
 * Runs the bot, asks once, and waits for the decision. The request has a key of its channel, so that a setup that is run
 * again finds it. Rejects at the signal; the request then stays open.
 */
export async function firstApproval(needs: FirstNeeds): Promise<First> {
  const { config, startBot, system, secret, signal } = needs;
  const started = await startBot({ ...config, identityRobots: [...config.identityRobots, ROBOT] });
  if (!started.ok) return { kind: 'failed', sentence: started.failure };
  const { bot } = started;
  const url = new URL(bot.url.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]'));
  const credentials = { kind: 'secret', secret } as const;
  const gate = createGateClient({ ...system, url, credentials, proxies: NO_PROXIES });
  try {
    const failed = bot.failed.then((sentence): First => ({ kind: 'failed', sentence }));
    return await Promise.race([ask(needs, gate), failed]);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    if (signal.aborted) throw signal.reason;
    return { kind: 'failed', sentence: error.message };
  } finally {
    await gate.close();
    await bot.stop();
  }
}

async function ask(
  { config, onPosted, signal }: FirstNeeds,
  gate: ReturnType<typeof createGateClient>,
): Promise<First> {
  const [route] = config.routes;
  const request = { title: TITLE, message: MESSAGE, requestedBy: REQUESTER };
  for (let round = 1; ; round += 1) {
    const key = `gatepost-setup/${route?.channel}${round === 1 ? '' : `/${round}`}`;
    const { id } = await gate.ask({ ...request, key }, signal);
    let details = await gate.read(id, 0, signal);
    const isEarlier = details.final;
    if (isEarlier && !isDecision(details) && round < ROUNDS_MAX) continue;
    let isSaid = false;
    while (!details.final) {
      if (details.status === 'BLOCKED')
        return { kind: 'failed', sentence: blockedSentence(details) };
      if (!isSaid && details.permalink !== undefined) {
        isSaid = true;
        onPosted(details);
      }
      // Short until it is posted, so that it is said at once.
      details = await gate.read(id, isSaid ? WAIT_S : 1, signal);
    }
    return { kind: 'decided', details, isEarlier };
  }
}

function isDecision({ status }: GateDetails): boolean {
  return status === 'APPROVED' || status === 'REJECTED';
}

function blockedSentence({ posting }: GateDetails): string {
  return `Slack does not take the message (${posting?.reason ?? 'unknown'}). Check the channel, then run gatepost setup again.`;
}
