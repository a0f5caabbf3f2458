import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Post, Posted } from '../../sandbox/workspace/deliver.ts';
import { createRouter, type Route, type Router } from '../../src/core/http/router.ts';
import type { Chance } from './chance.ts';
import type { Replica } from './replica.ts';
import type { Scheduler } from './scheduler.ts';
import type { Link, Weather } from './weather.ts';

interface DoorNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly weather: Weather;
  /** All running replicas; a load balancer knows which of them listen. */
  readonly replicas: () => readonly Replica[];
  readonly now: () => number;
  readonly onDelivery: (body: string, replica: Replica, sentAt: number) => void;
  readonly standStill: (replica: Replica, ms: number) => void;
}

/** What an automation gets: null if no answer came. */
export interface IntakeAnswer {
  readonly status: number;
  readonly body: string;
}

interface Coming {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How requests reach a replica: Slack's, and those of automations. */
export interface Door {
  readonly slack: Post;
  /** Delays the next action of this person, or the next one on this message, by that much. */
  holdUp(person: string, ms: number, messageTs?: string): void;
  /** The replica that receives the next action of this person stands still before it does anything with it. */
  holdBack(person: string, ms: number): void;
  intake(request: Coming, patienceMs: number): Promise<IntakeAnswer | null>;
}

export function createDoor(needs: DoorNeeds): Door {
  const heldUp = new Map<string, number>();
  const heldBack = new Map<string, number>();
  /** Returns what was meant for the person of a delivery, once. */
  const takenFrom = (meant: Map<string, number>, body: string): number => {
    if (meant.size === 0) return 0;
    const { user, container } = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
    const onMessage = keyOf(user?.id, container?.message_ts);
    const key = meant.has(onMessage) ? onMessage : keyOf(user?.id);
    const ms = meant.get(key) ?? 0;
    meant.delete(key);
    return ms;
  };
  return {
    holdUp: (person, ms, messageTs) => void heldUp.set(keyOf(person, messageTs), ms),
    holdBack: (person, ms) => void heldBack.set(keyOf(person), ms),
    slack: async ({ patienceMs }, body, headers) => {
      const coming: Coming = { method: 'POST', path: '/slack/events', headers, body };
      const came = await send('deliveries', coming, patienceMs, needs, {
        laterMs: takenFrom(heldUp, body),
        stillMs: takenFrom(heldBack, body),
      });
      if (came === 'nobody') return { ...NOBODY, timedOut: false };
      if (came === 'silence') return { ...NOBODY, timedOut: true };
      return { status: came.status, body: came.body, timedOut: false, noRetry: came.noRetry };
    },
    async intake(request, patienceMs) {
      const came = await send('intake', request, patienceMs, needs);
      return typeof came === 'string' ? null : came;
    },
  };
}

function keyOf(person: string, messageTs = ''): string {
  return `${person} ${messageTs}`;
}

const NOBODY: Posted = { status: 0, body: '', timedOut: true, noRetry: false };

type Came = 'nobody' | 'silence' | (IntakeAnswer & { readonly noRetry: boolean });

function send(
  link: Link,
  coming: Coming,
  patienceMs: number,
  needs: DoorNeeds,
  { laterMs, stillMs } = { laterMs: 0, stillMs: 0 },
): Promise<Came> {
  const { scheduler, chance, weather } = needs;
  return new Promise((resolve) => {
    const cancel = scheduler.after(patienceMs, () => resolve('silence'));
    const end = (came: Came) => {
      cancel();
      resolve(came);
    };
    const sentAt = needs.now();
    const fate = weather.fate(link);
    const wayMs = () => chance.wait(1, 8, 300);
    const arrive = (ms: number, isCopy: boolean) =>
      scheduler.after(ms, () => {
        const replica = chance.pick(needs.replicas().filter(({ listener }) => listener !== null));
        if (replica === undefined) return isCopy ? undefined : end('nobody');
        if (link === 'deliveries') needs.onDelivery(coming.body, replica, sentAt);
        if (stillMs > 0 && !isCopy) needs.standStill(replica, stillMs);
        replica.later(0, () => {
          // An error in it ends the thread.
          void answer(replica, coming).then((came) => {
            if (isCopy || fate === 'answerLost') return;
            const ms = fate === 'answerLate' ? chance.whole(500, 4_000) : wayMs();
            if (!replica.isDead) scheduler.after(ms, () => end(came));
          });
        });
      });
    if (fate === 'refused') scheduler.after(wayMs(), () => end('nobody'));
    else if (fate !== 'lost')
      arrive(fate === 'late' ? chance.whole(500, 6_000) : laterMs + wayMs(), false);
    if (fate === 'doubled') arrive(chance.wait(1, 500, 10_000), true);
  });
}

/** Answers as the listener of `src/core/http/listener.ts` does. */
async function answer(
  replica: Replica,
  coming: Coming,
): Promise<IntakeAnswer & { noRetry: boolean }> {
  const { listener } = replica;
  if (listener === null) return { status: 503, body: '', noRetry: false };
  const { status, headers, body } = await routerOf(listener.routes)(requestOf(coming));
  return { status, body, noRetry: headers['x-slack-no-retry'] === '1' };
}

const routers = new WeakMap<readonly Route[], Router>();

function routerOf(routes: readonly Route[]): Router {
  const known = routers.get(routes) ?? createRouter(routes);
  routers.set(routes, known);
  return known;
}

/** Without a real connection. */
function requestOf({ method, path, headers, body }: Coming): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  request.url = path;
  request.headers = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  request.push(body);
  request.push(null);
  request.complete = true;
  return request;
}
