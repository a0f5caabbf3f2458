import { closing } from './closing/part.ts';
import type { Operator, Part } from './part.ts';

/** Features with commands on the command line. Apart from `wiring.ts`: these commands need neither Bolt nor the others. */
export const PARTS: readonly Part[] = [closing];

/** By name. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  PARTS.flatMap(({ operators }) => Object.entries(operators)),
);
