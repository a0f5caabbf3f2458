import { itSays, joinSentences } from '../../../core/slack/text.ts';
import type { Approval, Outcome } from '../../approval.ts';
import type {
  ClosedCode,
  Statement,
  StatementFacts,
  TooFew,
  Unsent,
  UnsentFacts,
} from '../../decision/statement.ts';
import type { Tally } from '../../electorate/tally.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import { barWords, SENTENCES as FEATURE_SENTENCES } from './feature-words.ts';
import { CHANGES, refusalSentence } from './refusals.ts';
import {
  ANSWER,
  CLICK_TROUBLE,
  mention,
  people,
  placesText,
  REQUEST,
  troubleText,
  unknownStatus,
} from './sentences.ts';

/** Sentences for a person after a click, in mrkdwn: what happened first, what to do last. */
export function replySentence(statement: Statement, approval: Approval, terms: RouteTerms): string {
  // as: the sentence of its code
  const sentence = SENTENCES[statement.code] as SentenceOf<Statement>;
  return sentence(statement, approval, terms);
}

type SentenceOf<Facts> = (facts: Facts, approval: Approval, terms: RouteTerms) => string;

const SENTENCES: { readonly [Code in Statement['code']]: SentenceOf<StatementFacts[Code]> } = {
  ...FEATURE_SENTENCES,
  refused: ({ why }, approval, terms) => refusalSentence(why, approval, terms),
  barred: (facts) => barWords(facts.bar).refused(facts),
  earlier: () => `You have decided on ${REQUEST} since, so this earlier press was not counted.`,
  reopened: () => `${REQUEST} was reopened after this press, so it was not counted. Decide again.`,
  changed: () =>
    `${REQUEST} has changed since you opened it, so your decision was not counted. Review it again, then decide.`,
  'approved-already': ({ progress, as, user, ...more }) =>
    counted(approvedAlreadySentence(progress, { as, user }), more),
  progress: ({ progress, isHelping, ...more }) => counted(progressText(progress, isHelping), more),
  stopped: ({ by }) => `${mention(by)} rejected ${REQUEST} before your approval took effect.`,
  'enough-without': ({ by, progress }) =>
    `The approval of ${REQUEST} by ${mention(by)} no longer counts: they can no longer decide it. ${moreNeeded(progress)}`,
  undone: ({ by, progress }) =>
    `${mention(by)} took back their approval of ${REQUEST}. ${moreNeeded(progress)}`,
  'taken-back': ({ progress, isDeciding }) => {
    const next = isDeciding ? 'It is being decided without yours.' : moreNeeded(progress);
    return `You took back your approval of ${REQUEST}. ${next}`;
  },
  deciding: () =>
    `${REQUEST} is being decided with your approval. Your approval is taken back only if that decision cannot be carried out.`,
  'too-late': () => `Your approval of ${REQUEST} can no longer be undone.`,
  'sent-already': () =>
    `${REQUEST}: an approval was sent, and it is not known whether the service accepted it. It can no longer be taken back.`,
  'nothing-to-take-back': () => `You have no approval of ${REQUEST} to take back.`,
  dropped: ({ action, change }) =>
    `Your ${ANSWER[action]} of ${REQUEST} no longer counts: ${CHANGES[change]}. When you can decide it again, press again.`,
  overtaken: ({ action, change }) =>
    `Your ${ANSWER[action]} of ${REQUEST} does not count. While it was waiting, ${CHANGES[change]}. When you can decide it again, press again.`,
  closed: ({ why, detail }) => {
    if (why === 'sealed') return joinSentences(SEALED, ASK_AGAIN);
    const [what, next] = CLOSED[why];
    return joinSentences(`${REQUEST}: ${what}`, itSays(detail), next);
  },
  spent: ({ action, unsure }) => {
    const mine = ANSWER[action];
    return unsure
      ? `Your ${mine} of ${REQUEST} was part of a decision, and it is not known whether the service accepted that. If the buttons are back on the message, your ${mine} no longer counts: press again.`
      : `Your ${mine} of ${REQUEST} no longer counts, because the decision it was part of could not be carried out. Press again when the buttons are back on the message.`;
  },
  withdrawn: () =>
    `${REQUEST} was withdrawn by the automation that asked. Your decision does not count.`,
  decided: ({ outcome, action }) => {
    const { status, credit, by } = outcome;
    const lost = ` Your ${ANSWER[action]} was not counted.`;
    if (status === 'TIMED_OUT') return `${REQUEST} timed out.${lost}`;
    if (credit === 'sent') return outcomeText(outcome);
    const whose = credit === 'none' ? 'elsewhere' : `by ${people(by)}`;
    return `${REQUEST} was already ${DONE[status]} ${whose}.${lost}`;
  },
  'withdrawn-state': () => `${REQUEST} was withdrawn. No decision is needed.`,
  outcome: ({ outcome }) => outcomeText(outcome),
  waiting: () => `${REQUEST} still needs a decision.`,
  unknown: ({ why, word, sent, note }) => {
    const mine =
      sent === undefined ? '' : ` It is not known whether your ${ANSWER[sent]} was accepted.`;
    // Without the key, checking again is no use.
    const next = why === 'sealed' ? ` ${ASK_AGAIN}` : ' Press Check now to check again.';
    const more = note === undefined ? '' : ` ${unsentText(note)}`;
    const what = why === 'sealed' ? SEALED : `${REQUEST}: ${unknownStatus(why, word)}`;
    return `${what}${why === 'unsure' ? '' : mine}${more}${next}`;
  },
  trouble: ({ trouble, goesOn }) => {
    const what = troubleText(trouble, {
      silent: 'The service did not answer just now',
      failing: 'The service answered with an error just now',
    });
    const isLasting = trouble.why === 'denied' || trouble.why === 'refused';
    const advice = isLasting ? ' Ask a Gatepost administrator.' : '';
    const next = goesOn
      ? ' Gatepost keeps trying. Press Check now to check again.'
      : ' Press Check now to check again.';
    return `${REQUEST}: ${what}${advice}${next}`;
  },
  outside: ({ channel }) =>
    `${REQUEST} was not checked, because you are not in <#${channel}>. Join the channel, then press Check now again.`,
  reviewed: ({ by }) => `${REQUEST} was already marked as reviewed by ${mention(by)}.`,
  'own-review': () => `You asked for ${REQUEST}, so another reviewer has to press Reviewed.`,
  'no-review': () =>
    `Only people who can decide ${REQUEST} can mark it as reviewed, so your press was not counted.`,
  unshown: ({ outcome, channel }) =>
    `${outcomeText(outcome)} Slack does not let Gatepost change its message in <#${channel}>.`,
  'not-stored': () => CLICK_TROUBLE.missing,
};

const DONE = { APPROVED: 'approved', REJECTED: 'rejected', TIMED_OUT: 'timed out' } as const;

function outcomeText({ status, by, credit }: Pick<Outcome, 'status' | 'by' | 'credit'>): string {
  if (status === 'TIMED_OUT') return `${REQUEST} timed out. It can no longer be decided.`;
  if (credit === 'none') return `${REQUEST} was ${DONE[status]} elsewhere.`;
  if (credit === 'sent') {
    return `${REQUEST} is ${DONE[status]}. The decision of ${people(by)} was sent. The service did not say whose decision it accepted.`;
  }
  return `${REQUEST} was ${DONE[status]} by ${people(by)}.`;
}

/** For somebody who approved as `as` and pressed again as `user`. */
export function approvedAlreadySentence(
  progress: Tally,
  { as, user }: { readonly as: string; readonly user: string },
): string {
  const before =
    as === user ? '.' : ` as ${mention(as)}. A person counts once, whichever account they use.`;
  return `You already approved ${REQUEST}${before} ${moreNeeded(progress)}`;
}

function progressText(progress: Tally, isHelping: boolean): string {
  const { have, needed, open } = progress;
  const mine = `Your approval of ${REQUEST}`;
  if (open.length === 0) return `${mine} counts: ${have} of ${needed}. ${moreNeeded(progress)}`;
  if (isHelping) return `${mine} counts. ${moreNeeded(progress)}`;
  return `${mine} is recorded. Still needed: ${placesText(progress)}, which you cannot cover.`;
}

function counted(
  sentence: string,
  { giver, tooFew }: { readonly giver?: string; readonly tooFew?: TooFew },
): string {
  return joinSentences(
    sentence,
    giver === undefined ? '' : `You approved in the place of ${mention(giver)}.`,
    tooFew === undefined ? '' : tooFewText(tooFew),
  );
}

function moreNeeded(progress: Tally): string {
  if (progress.isEnough)
    return 'The other approvals are enough: one of them has to press Approve again.';
  if (progress.open.length > 0) return `Still needed: ${placesText(progress)}.`;
  const left = progress.needed - progress.have;
  return `${left} more ${left === 1 ? 'approval is' : 'approvals are'} needed.`;
}

function tooFewText(tooFew: TooFew): string {
  if (tooFew.why !== 'dropped') return TOO_FEW[tooFew.why];
  const { users } = tooFew;
  const what = users.length === 1 ? 'approval' : 'approvals';
  const counts = users.length === 1 ? 'counts' : 'count';
  return `The ${what} of ${people(users)} no longer ${counts}: they can no longer decide this request.`;
}

const TOO_FEW = {
  'quorum-raised':
    'While your approval was waiting, the number of approvals needed was changed in the configuration.',
  'needs-changed':
    'While your approval was waiting, the configuration changed who has to approve, or somebody left one of the groups.',
  'one-person':
    'While your approval was waiting, two of the approvals turned out to be from the same person. A person counts once, whichever account they use.',
} satisfies Record<Exclude<TooFew['why'], 'dropped'>, string>;

function unsentText(note: Unsent): string {
  // as: the words for its own reason
  return (UNSENT[note.why] as (note: Unsent) => string)(note);
}

const UNSENT: { readonly [Why in keyof UnsentFacts]: (note: UnsentFacts[Why]) => string } = {
  'not-sent': ({ action }) => `Your ${ANSWER[action]} was not sent.`,
  changed: ({ change }) => `It was not sent again: ${CHANGES[change]}.`,
  'too-few': ({ tooFew }) => `It was not sent again. ${tooFewText(tooFew)}`,
  barred: ({ bar }) => barWords(bar).unsent(bar),
};

const SEALED = `Gatepost can no longer read the token of ${REQUEST}.`;
const ASK_AGAIN = 'Request the approval again.';

const CHECK_ACCESS = 'Ask a Gatepost administrator to check its access.';
const AGAIN = 'Press again in a minute.';

/** What happened, and what to do; the service's own words go in between. */
const CLOSED = {
  'not-reached': ['The service could not be reached. Nothing was sent.', AGAIN],
  silent: ['The service did not answer in time. Nothing was sent.', AGAIN],
  failing: ['The service answered with an error. Nothing was sent.', AGAIN],
  busy: ['The service was too busy to accept your decision.', 'Press again in a few minutes.'],
  denied: [
    "The service refused Gatepost's request, so your decision was not accepted.",
    CHECK_ACCESS,
  ],
  invalid: [
    'The service did not accept your decision.',
    'Press again, or ask a Gatepost administrator.',
  ],
  'not-shown': [
    'The service did not let Gatepost read this approval. Nothing was sent.',
    'Ask a Gatepost administrator.',
  ],
  refused: ['The service refused your decision and still needs one.', AGAIN],
  'could-not-check': [
    'Gatepost could not check whether you can decide. Your decision does not count.',
    AGAIN,
  ],
  'may-not-check': [
    'Gatepost was not allowed to check whether you can decide. Your decision does not count.',
    CHECK_ACCESS,
  ],
} satisfies Record<Exclude<ClosedCode, 'sealed'>, readonly [what: string, next: string]>;
