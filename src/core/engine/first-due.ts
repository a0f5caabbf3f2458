import type { Plan } from './flow.ts';

/** A step that is due, or when one may become due; null: nothing to do. */
export type Due<Step> = Step | number | null;

/**
 * The plan for a record that people wait for: the first step that is due, otherwise wait for the earliest; with nothing
 * left, keep the record for `keepMs`.
 */
export function firstDue<Step extends object>(
  dues: readonly (() => Due<Step>)[],
  keepMs: number,
): Plan<Step> {
  const waits: number[] = [];
  for (const next of dues) {
    const due = next();
    if (typeof due === 'number') waits.push(due);
    else if (due !== null) return { kind: 'step', step: due };
  }
  if (waits.length === 0) return { kind: 'finish', keepMs };
  return { kind: 'wait', until: Math.min(...waits), lane: 'people' };
}

/** The first item that can be tried now, or when one can be; null: there are none. */
export function firstReady<Item extends { readonly notBefore?: number }>(
  items: readonly Item[],
  now: number,
): Due<Item> {
  const ready = items.find(({ notBefore = now }) => notBefore <= now);
  if (ready !== undefined || items.length === 0) return ready ?? null;
  return Math.min(...items.map(({ notBefore = now }) => notBefore));
}
