import type { z } from 'zod';
import type { Answer } from '../exchange.ts';
import type { BotAddress, Sandbox } from '../sandbox.ts';
import type { PageMemory } from './page-memory.ts';

/** What the methods of the page work with. */
export interface PageWorld {
  readonly sandbox: Sandbox;
  readonly memory: PageMemory;
  readonly now: () => number;
  readonly bot: () => BotAddress | null;
  /** Says that the page's own memory changed. */
  readonly changed: () => void;
}

/** What a window may do, by the path it posts to. */
export type PageMethods = Readonly<Record<string, PageMethod>>;
export type PageMethod = (body: unknown, world: PageWorld) => Promise<Answer>;

/** A method that takes one form of body. What it gives is sent as JSON; what it throws is told as `error`. */
export function pageMethod<Body>(
  schema: z.ZodType<Body>,
  run: (body: Body, world: PageWorld) => Promise<object> | object,
): PageMethod {
  return async (given, world) => {
    const body = schema.safeParse(given);
    if (!body.success) return refusal(body.error.issues.map(({ message }) => message).join(' '));
    try {
      return { status: 200, body: await run(body.data, world) };
    } catch (error) {
      return refusal(error instanceof Error ? error.message : 'It failed.');
    }
  };
}

export function refusal(error: string): Answer {
  return { status: 422, body: { error } };
}
