import { isObject } from '../exchange.ts';
import type { Timers } from '../timers.ts';
import type { Conversation } from './conversation.ts';
import { eventKinds, type SlackEvent } from './event-kinds.ts';
import type { Manifest } from './manifest.ts';
import type { Carried, Carry, Notice } from './notice.ts';
import { bot, team } from './seed.ts';
import { verificationToken } from './who.ts';
import type { EventSent } from './workspace-handle.ts';
import { isOrganizationInstall, type Memory, nextTs } from './world.ts';

export interface EventNeeds {
  readonly memory: Memory;
  readonly manifest: Manifest;
  readonly hasScope: (scope: string) => boolean;
  readonly carry: Carry;
  readonly isAppConnected: () => boolean;
  /** Delays before each further delivery of an event that was not acknowledged. */
  readonly eventRetriesMs: readonly number[];
  readonly now: () => number;
  readonly randomId: () => string;
  readonly changed: () => void;
  readonly closed: AbortSignal;
  readonly timers: Timers;
}

export interface Events {
  /** Sends an event to the app if it subscribed. @param conversation where it happened. */
  readonly tell: (event: SlackEvent, conversation?: Conversation) => void;
  readonly sent: (type?: string) => readonly EventSent[];
  /** Forgets what was sent, and cancels retries. */
  readonly clear: () => void;
  /** Whether each further event is delivered twice at the same moment. */
  readonly repeat: (on: boolean) => void;
}

interface Sending {
  readonly type: string;
  readonly eventId: string;
  readonly event: SlackEvent;
  readonly attempts: Carried[];
  over: boolean;
}

/** Sends events to the app, and retries those that it does not acknowledge. */
export function createEvents(needs: EventNeeds): Events {
  let sendings: Sending[] = [];
  let life = new AbortController();
  let isRepeated = false;

  const send = async (sending: Sending, ended: AbortSignal): Promise<void> => {
    const payload = callbackOf(sending, needs);
    const kind = 'events_api';
    const attempt = async (retry?: Notice['retry']): Promise<Carried> => {
      const carried = await needs.carry({ kind, payload, ...(retry && { retry }) });
      sending.attempts.push(carried);
      needs.changed();
      return carried;
    };
    const extra = isRepeated ? attempt() : undefined;
    let last = await attempt();
    for (const [place, waitMs] of needs.eventRetriesMs.entries()) {
      if (last.acknowledged || last.noRetry) break;
      await needs.timers.pause(waitMs, AbortSignal.any([ended, needs.closed]));
      last = await attempt({ attempt: place + 1, reason: reasonOf(last) });
    }
    await extra;
    sending.over = true;
    needs.changed();
  };

  return {
    tell: (event, conversation) => {
      const { subscription, scope } = eventKinds[event.type](conversation);
      if (!needs.isAppConnected()) return;
      if (!needs.manifest.events.includes(subscription)) return;
      if (scope !== null && !needs.hasScope(scope)) return;
      if (!wantsMetadata(needs.manifest, event)) return;
      const stamped = { ...event, event_ts: nextTs(needs.memory.world, needs.now()) };
      const eventId = `Ev${needs.randomId()}`;
      const sending = { type: event.type, eventId, event: stamped, attempts: [], over: false };
      sendings.push(sending);
      const ended = life.signal;
      send(sending, ended).catch((error: unknown) => {
        if (ended.aborted || needs.closed.aborted) return;
        console.error('The sandbox failed to deliver an event.', error);
      });
    },
    sent: (type) => sendings.filter((each) => type === undefined || each.type === type),
    clear: () => {
      life.abort();
      life = new AbortController();
      sendings = [];
      isRepeated = false;
    },
    repeat: (on) => {
      isRepeated = on;
    },
  };
}

/** An app names the types of metadata that it is told about. */
function wantsMetadata({ metadataTypes }: Manifest, { type, metadata }: SlackEvent): boolean {
  if (type !== 'message_metadata_posted' || metadataTypes === null) return true;
  return isObject(metadata) && metadataTypes.includes(String(metadata.event_type));
}

function callbackOf({ eventId, event }: Sending, { memory, now }: EventNeeds) {
  const enterpriseId = memory.world.enterprise?.id ?? null;
  const isOfAll = isOrganizationInstall(memory.world);
  return {
    token: verificationToken,
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: enterpriseId,
    api_app_id: bot.appId,
    event,
    type: 'event_callback',
    event_id: eventId,
    event_time: Math.floor(now() / 1000),
    authorizations: [
      {
        enterprise_id: enterpriseId,
        team_id: isOfAll ? null : team.id,
        user_id: bot.userId,
        is_bot: true,
        is_enterprise_install: isOfAll,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${eventId}`,
  };
}

function reasonOf({
  status,
  timedOut,
}: Carried): 'http_timeout' | 'http_error' | 'connection_failed' {
  if (timedOut) return 'http_timeout';
  return status === 0 ? 'connection_failed' : 'http_error';
}
