import * as z from 'zod';
import { characterCount } from '../../core/lib/clip.ts';
import { iso } from '../../core/lib/iso-time.ts';
import type { Approval } from '../approval.ts';
import { lastReportAt, stateOf } from '../decision/result.ts';
import { ownName, text, time, webAddress, withoutNothing } from './contract-values.ts';

/** What a source reports of the work that was approved, and reads of it. */

const resultState = z.enum(['running', 'succeeded', 'failed']);

/** In characters (code points). */
const TEXT_MAX = 300;

/** The body of `POST /v1/approvals/{id}/result`. */
const report = z
  .strictObject({
    state: resultState,
    text: text()
      .refine((value) => characterCount(value) <= TEXT_MAX, {
        message: `must have at most ${TEXT_MAX} characters`,
      })
      .meta({ maxLength: TEXT_MAX })
      .optional(),
    link: webAddress().optional(),
    until: time()
      .optional()
      .describe('When work that is running should have ended, or reports again'),
    claim: ownName()
      .optional()
      .describe('Your name for this run: beside running, the first run alone is taken'),
  })
  .refine((it) => it.claim === undefined || it.state === 'running', {
    path: ['claim'],
    message: 'must stand beside the state running',
  });

/** What is only shown can be null or, if it is a text, empty. */
export const resultReport = z.preprocess(withoutNothing(['text', 'link'], ['until']), report);

export type SentReport = z.infer<typeof resultReport>;

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
