import type * as z from 'zod';
import { type PageMethods, pageMethod } from '../page/page-method.ts';
import type { BotAddress, Sandbox } from '../sandbox.ts';
import type { BackstageMemory } from './backstage-memory.ts';

/** Dependencies of the panel's methods. */
export interface BackstageWorld {
  readonly sandbox: Sandbox;
  readonly memory: BackstageMemory;
  readonly now: () => number;
  readonly bot: () => BotAddress | null;
  /** Call it when the panel's own memory has changed. */
  readonly changed: () => void;
}

export type BackstageMethods = PageMethods<BackstageWorld>;

export const backstageMethod = <Body>(
  schema: z.ZodType<Body>,
  run: (body: Body, world: BackstageWorld) => Promise<object> | object,
) => pageMethod(schema, run);
