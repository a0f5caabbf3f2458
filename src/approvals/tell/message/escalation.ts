import { bold, inertText } from '../../../core/slack/text.ts';
import type { Rule } from '../../electorate/electorate.ts';
import { namesText, timeOf } from './sentences.ts';

type EscalationRule = Extract<Rule, { code: 'escalated' | 'escalates' }>;

/** The rules of *Details…* about escalations. */
export const escalationRules = {
  escalated: (rule: EscalationRule) => `Escalated ${timeOf(rule.at)}: ${moreText(rule)}`,
  escalates: (rule: EscalationRule) => `From ${timeOf(rule.at)}, ${moreText(rule)}`,
};

function moreText({ to }: EscalationRule): string {
  const fills = to.needs?.map((name) => bold(inertText(name))).join(', ');
  return `${namesText(to)} can decide too${fills ? `, and count for ${fills}` : ''}.`;
}
