import { z } from 'zod';
import type { Approval } from '../approval.ts';
import { lastReportAt, stateOf } from '../decision/result.ts';

/** What the intake shows of a reported result. */

export const resultState = z.enum(['running', 'succeeded', 'failed']);

export const resultView = z
  .object({
    state: resultState,
    at: z.iso.datetime().describe('When that was reported'),
    text: z.string().optional(),
    link: z.string().optional(),
    until: z.iso.datetime().optional(),
    history: z
      .array(z.object({ state: resultState, at: z.iso.datetime() }))
      .describe('What was reported, oldest first'),
  })
  .describe('What the source reported of the work that was approved');

export function resultOf(approval: Approval): z.infer<typeof resultView> | undefined {
  const { result } = approval;
  if (result === undefined) return undefined;
  const { reports, text, link, until } = result;
  return {
    state: stateOf(result),
    at: iso(lastReportAt(result)),
    ...(text !== undefined && { text }),
    ...(link !== undefined && { link }),
    ...(until !== undefined && { until: iso(until) }),
    history: reports.map((each) => ({ state: each.state, at: iso(each.at) })),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
