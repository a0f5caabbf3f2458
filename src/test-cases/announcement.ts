import type { SlackMessage } from '../operations/report.ts';
import { section } from '../slack/blocks.ts';
import { bold } from '../slack/text.ts';
import type { CaseRecord } from './case.ts';
import type { TestPlaces } from './catalogue.ts';
import { createdLine, projectName, titleOf } from './outcome-words.ts';

/** What the channel reads of a test case that was created. */
export function announcement(record: CaseRecord, places: TestPlaces): SlackMessage {
  const { by, outcome } = record;
  if (outcome?.code !== 'created') throw new Error('only what was created is announced');
  const head = `<@${by}> created a test case in ${bold(projectName(record, places))}`;
  const text = `${head}\n${titleOf(record)}\n${createdLine(record, outcome, places)}`;
  return { text, blocks: [section(text)] };
}
