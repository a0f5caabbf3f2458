import { z } from 'zod';
import { characterCount } from '../../core/lib/clip.ts';
import { resultState } from '../tell/result-view.ts';
import { ownName, text, time, webAddress, withoutNothing } from './contract-values.ts';

/** The body of `POST /v1/approvals/{id}/result`. */

/** In characters (code points). */
const TEXT_MAX = 300;

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
