import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../../sandbox.ts';
import { slackClient } from '../../slack-client.ts';
import { type AppWorld, channel, startAppWorld } from '../app-world.ts';

export type Answer = Readonly<Record<string, unknown>>;
export type Given = Readonly<Record<string, unknown>>;

export const startedAt = Date.UTC(2026, 10, 20, 10);

/** A workspace with an app for all tests of a file. It is empty before each. */
export interface LiveWorkspace {
  readonly sandbox: Sandbox;
  readonly world: AppWorld;
  /** Calls a method with the real client, and returns the response, also of a refusal. */
  call(method: string, given?: Given, token?: string): Promise<Answer>;
  /** Posts into the channel, and returns the `ts`. */
  post(text: string, more?: Given): Promise<string>;
  /** A `trigger_id` as an app gets it when somebody uses a shortcut. */
  trigger(user?: string): Promise<string>;
  /** Lets time pass. */
  wait(ms: number): void;
}

export function liveWorkspace(options: SandboxOptions = {}): LiveWorkspace {
  let world: AppWorld;
  let passedMs = 0;
  beforeAll(async () => {
    world = await startAppWorld({ postRate: null, now: () => startedAt + passedMs, ...options });
  });
  beforeEach(() => {
    passedMs = 0;
    world.answer(() => ({ status: 200 }));
    world.sandbox.reset();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const call = (method: string, given: Given = {}, token?: string) =>
    callSlack(world.sandbox, method, given, token);
  return {
    get sandbox() {
      return world.sandbox;
    },
    get world() {
      return world;
    },
    call,
    async post(text, more = {}) {
      const { ts } = await call('chat.postMessage', { channel, text, ...more });
      if (typeof ts !== 'string') throw new Error('The post has no ts.');
      return ts;
    },
    async trigger(user = 'U0ANA') {
      await world.sandbox.workspace.shortcut({ user, callbackId: 'try.global' });
      return String(world.payloads('shortcut').at(-1)?.trigger_id);
    },
    wait(ms) {
      passedMs += ms;
    },
  };
}

/** The same in the caller's workspace. */
export async function callSlack(
  sandbox: Sandbox,
  method: string,
  given: Given = {},
  token?: string,
): Promise<Answer> {
  try {
    return { ...(await slackClient(sandbox, token).apiCall(method, given)) };
  } catch (error) {
    // The client puts the whole response of a refusal here.
    if (error instanceof Error && 'data' in error) return error.data as Answer;
    throw error;
  }
}
