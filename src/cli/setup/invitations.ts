import { pino } from 'pino';
import * as z from 'zod';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { LINES, SocketReceiver } from '../../core/slack/socket-receiver.ts';
import type { Bot, SlackAccess } from './try-tokens.ts';
import { type Place, placesOf } from './workspace.ts';

/** The bot is in a channel. `inviter`: null: it is not known who invited it. */
export interface Invitation {
  readonly channel: string;
  readonly inviter: string | null;
}

export interface Invitations extends AsyncDisposable {
  /** The next one, in the order of arrival. Throws what ends the connection to Slack, and at the signal. */
  next(): Promise<Invitation>;
}

interface InvitationsNeeds extends SlackAccess {
  readonly bot: Bot;
  /** null: over HTTP, where no event arrives yet. */
  readonly appToken: string | null;
  /** Channels that the bot is in already. */
  readonly known: readonly Place[];
  /** Another program takes a part of the events. */
  readonly onShared: (connections: number) => void;
  /** Called with each event of an invitation before it is acknowledged: if this rejects, Slack sends it again. */
  readonly keep?: (invitation: Invitation) => Promise<void>;
  /** Slack opens no connection, although it takes the token. It is tried again and again. */
  readonly onUnconnected: () => void;
  readonly signal: AbortSignal;
}

const POLL_MS = 2_000;
/** After this many polls without the event, another program got it, or it was never sent. */
const POLLS_BEFORE = 3;

/** Waits for the bot to be invited: by the event, which says by whom, and by polling the channels it is in. */
export async function waitForInvitations(needs: InvitationsNeeds): Promise<Invitations> {
  const { appToken, known, signal } = needs;
  const received: Invitation[] = [];
  const seen = new Set(known.map(({ id }) => id));
  const stop = new AbortController();
  const ends = AbortSignal.any([stop.signal, signal]);
  let failure: unknown;
  let notify = () => {};
  const add = (invitation: Invitation) => {
    const isNew = !seen.has(invitation.channel);
    seen.add(invitation.channel);
    // Invited again, after somebody removed it: the event says by whom.
    if (isNew || invitation.inviter !== null) received.push(invitation);
    notify();
  };
  const fail = (error: unknown) => {
    failure = error;
    notify();
  };
  const receiver = appToken === null ? null : receive({ ...needs, appToken, add, fail });
  await receiver?.start();
  if (receiver?.isConnected === false) needs.onUnconnected();
  const polling = poll({ ...needs, seen, add, ends, isPatient: receiver !== null }).catch(fail);
  return {
    async next() {
      for (;;) {
        const first = received.shift();
        if (first !== undefined) return first;
        if (failure !== undefined) throw failure;
        await new Promise<void>((resolve, reject) => {
          const leave = () => reject(signal.reason);
          notify = () => {
            signal.removeEventListener('abort', leave);
            resolve();
          };
          if (signal.aborted) leave();
          signal.addEventListener('abort', leave, { once: true });
        });
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await polling;
      await receiver?.stop();
    },
  };
}

const joined = z.looseObject({
  event: z.looseObject({
    type: z.literal('member_joined_channel'),
    user: z.string(),
    channel: z.string(),
    inviter: z.string().optional(),
  }),
});

/** Takes only its own events: Slack sends all others again, until the bot runs. */
function receive(
  needs: InvitationsNeeds & {
    readonly appToken: string;
    readonly add: (invitation: Invitation) => void;
    readonly fail: (error: unknown) => void;
  },
) {
  const { system, bot, add, fail, keep, onShared } = needs;
  const receiver = new SocketReceiver({
    ...system,
    boundary: { refuseUnexpected: async (incoming) => incoming.fail() },
    appToken: needs.appToken,
    apiUrl: needs.apiUrl,
    proxies: needs.proxies,
    logger: pino({ level: 'silent' }),
    onConnected() {},
    onAnswered() {},
    onGreeting: (connections) => void (connections > LINES && onShared(connections)),
  });
  void receiver.failed.then(fail);
  // Bolt itself would acknowledge every event.
  receiver.init({
    async processEvent({ body }) {
      const { data } = joined.safeParse(body);
      if (data?.event.user !== bot.botUserId) throw new Error('left for the bot');
      const invitation = { channel: data.event.channel, inviter: data.event.inviter ?? null };
      await keep?.(invitation).catch((error: unknown) => {
        if (!(error instanceof RemoteFailure)) fail(error);
        throw error;
      });
      add(invitation);
    },
  });
  return receiver;
}

async function poll(
  needs: InvitationsNeeds & {
    readonly seen: ReadonlySet<string>;
    readonly add: (invitation: Invitation) => void;
    readonly ends: AbortSignal;
    readonly isPatient: boolean;
  },
): Promise<void> {
  const { bot, system, seen, add, ends, isPatient } = needs;
  const polls = new Map<string, number>();
  while (!ends.aborted) {
    await system.timers.sleep(POLL_MS, ends).catch(() => {});
    if (ends.aborted) return;
    for (const { id } of await placesNow(bot)) {
      if (seen.has(id)) continue;
      const count = (polls.get(id) ?? 0) + 1;
      polls.set(id, count);
      if (!isPatient || count >= POLLS_BEFORE) add({ channel: id, inviter: null });
    }
  }
}

/** If Slack does not answer, the next poll asks again. */
async function placesNow(bot: Bot): Promise<readonly Place[]> {
  try {
    return await placesOf(bot);
  } catch (error) {
    if (error instanceof RemoteFailure && error.code !== 'token_revoked') return [];
    throw error;
  }
}
