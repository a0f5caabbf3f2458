import { bold, inertText } from '../../../core/slack/text.ts';
import type { Rule } from '../../electorate/electorate.ts';
import { namesText } from './sentences.ts';

/** The rules of *Details…* about needs. */
export const needRules = {
  need: ({ need: { name, of, count } }: Extract<Rule, { code: 'need' }>) =>
    `At least ${count} from ${bold(inertText(name))}: ${namesText(of)}.`,
  'one-need-each': () => 'A person counts for one of these only.',
};
