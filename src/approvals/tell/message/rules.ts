import type { RequestRules } from '../../electorate/clause.ts';
import { type Electorate, type Rule, rulesOf } from '../../electorate/electorate.ts';
import { RULES as FEATURE_RULES } from './feature-words.ts';
import { GONE_REASONS } from './gone.ts';
import { UNKNOWN_REQUESTER } from './own-request.ts';
import { mention } from './sentences.ts';

/** The rules about who may decide a request, a sentence each. */
export function ruleLines(electorate: Electorate, request: RequestRules): readonly string[] {
  // as: each code has the words for its own rule
  return rulesOf(electorate, request).map((rule) => (WORDS[rule.code] as WordsOf<Rule>)(rule));
}

type WordsOf<Each extends Rule> = (rule: Each) => string;

const WORDS: { readonly [Code in Rule['code']]: WordsOf<Extract<Rule, { code: Code }>> } = {
  ...FEATURE_RULES,
  needed: ({ needed }) =>
    needed === 1
      ? 'One approval or one rejection decides.'
      : `${needed} different people have to approve. One rejection decides.`,
  gone: ({ user, why }) => `${mention(user)} cannot decide: ${GONE_REASONS[why]}.`,
  'more-gone': ({ count }) => `${count} more cannot decide.`,
  'large-group': ({ group }) =>
    `<!subteam^${group}> has too many members to check who of them can decide. They are checked when they press.`,
  'own-request': ({ selfApproval }) => OWN_REQUEST[`${selfApproval}`],
  'requester-unknown': ({ selfApproval }) => `${UNKNOWN_REQUESTER[`${selfApproval}`]}.`,
};

const OWN_REQUEST = {
  true: 'The person who asked can decide.',
  false: 'The person who asked cannot decide.',
  loud: 'The person who asked can approve it with a reason. The other reviewers are told first.',
} as const;
