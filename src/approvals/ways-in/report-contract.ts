import * as z from 'zod';
import { RESULT_TEXT_MAX } from '../../../ask/contract/approval-body.ts';
import { type ApprovalDetails, RESULT_STATES } from '../../../ask/contract/approval-details.ts';
import { characterCount } from '../../core/lib/clip.ts';
import { iso } from '../../core/lib/iso-time.ts';
import type { Approval } from '../approval.ts';
import { lastReportAt, stateOf } from '../decision/result.ts';
import { ownName, text, time, webAddress, withoutNothing } from './contract-values.ts';

/** What a source reports of the work that was approved. */

/** The body of `POST /v1/approvals/{id}/result`. */
const report = z
  .strictObject({
    state: z.enum(RESULT_STATES),
    text: text()
      .refine((value) => characterCount(value) <= RESULT_TEXT_MAX, {
        message: `must have at most ${RESULT_TEXT_MAX} characters`,
      })
      .meta({ maxLength: RESULT_TEXT_MAX })
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

export function resultOf(approval: Approval): ApprovalDetails['result'] {
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
