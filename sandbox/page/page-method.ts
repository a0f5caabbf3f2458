import type * as z from 'zod';
import type { Answer } from '../exchange.ts';
import type { SlackSandbox } from '../slack-sandbox.ts';
import type { PageMemory } from './page-memory.ts';
import type { BoundMethods } from './page-panel.ts';

/** Dependencies of the page's methods. */
export interface PageWorld {
  readonly sandbox: SlackSandbox;
  readonly memory: PageMemory;
  /** Call it when the page's own memory has changed. */
  readonly changed: () => void;
}

/** What a window can do, by the path it posts to. */
export type PageMethods<World> = Readonly<Record<string, PageMethod<World>>>;
type PageMethod<World> = (body: unknown, world: World) => Promise<Answer>;

/** The same methods, each applied to the world that exists when it is called. */
export function bound<World>(methods: PageMethods<World>, world: () => World): BoundMethods {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (body: unknown) => method(body, world()),
  ]);
  return Object.fromEntries(entries);
}

/** A method with a body of one shape. Its result is sent as JSON; what it throws is sent as `error`. */
export function pageMethod<Body, World = PageWorld>(
  schema: z.ZodType<Body>,
  run: (body: Body, world: World) => Promise<object> | object,
): PageMethod<World> {
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
