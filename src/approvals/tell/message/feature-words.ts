import type { Post } from '../../../core/posts/post.ts';
import type { Approval } from '../../approval.ts';
import type { GuardState, GuardStates } from '../../decision/guard.ts';
import type { Bar, BarFacts, Bars } from '../../electorate/bar.ts';
import { awayRules, substituteWords } from './absence.ts';
import { closedRules, closedWords } from './closed.ts';
import { escalationRules } from './escalation.ts';
import type {
  AskingButton,
  BarWords,
  FeaturePost,
  GuardWords,
  StateNotes,
} from './feature-shapes.ts';
import { holdWords } from './hold.ts';
import type { MessageState } from './message-state.ts';
import { needRules } from './needs.ts';
import { resultNotes, resultReplies } from './result.ts';
import {
  loudButton,
  selfApprovalReply,
  selfApprovalSentences,
  selfApprovalWaits,
  selfApprovalWords,
} from './self-approval.ts';
import { supersedeNotes, supersedeSentences } from './supersede.ts';
import { withdrawingNotes, withdrawingSentences } from './withdrawing.ts';

/** The words of the features that bring their own, in one table. */

const OF_GUARDS = {
  held: holdWords,
} satisfies { readonly [Name in keyof GuardStates]: GuardWords<Name, never> };

interface StateWords {
  readonly headline: string;
  line(state: MessageState, approval: Approval): string;
}

const GUARDS: Readonly<Record<string, StateWords>> = OF_GUARDS;

export function isGuarded(state: MessageState): state is GuardState {
  return state.name in GUARDS;
}

/** What a state of a guard says: its line, and its words for lock screens. */
export function guardText(
  state: MessageState,
  approval: Approval,
): {
  readonly headline: string;
  readonly line: string;
} {
  const words = GUARDS[state.name];
  if (words === undefined) throw new Error('only states of guards have words of their own');
  return { headline: words.headline, line: words.line(state, approval) };
}

/** Why a press does not count, what to do about it, and why a ballot no longer counts. */
export const REFUSALS = {
  ...substituteWords.refusals,
  ...selfApprovalWords.refusals,
};
export const ADVICE = {
  ...substituteWords.advice,
  ...selfApprovalWords.advice,
};
export const CHANGES = {
  ...substituteWords.changes,
  ...selfApprovalWords.changes,
};

const POSTS: readonly FeaturePost[] = [selfApprovalReply, resultReplies];

/** The post of this name; undefined: no feature's. */
export function featurePost(name: string): FeaturePost | undefined {
  return POSTS.find((each) => each.isOne(name));
}

/** Without it no decision goes ahead. */
export function isFirst(name: string): boolean {
  return featurePost(name)?.untold !== undefined;
}

/** The reply that has to be posted before the decision goes ahead; undefined: none. */
export function firstPost(approval: Approval): Post | undefined {
  return POSTS.find(({ untold }) => untold !== undefined)?.post(approval);
}

/** Those about the outcome. */
export function laterPosts(approval: Approval): readonly Post[] {
  const later = POSTS.filter(({ untold }) => untold === undefined);
  return later.flatMap((each) => each.post(approval) ?? []);
}

export const ASKING_BUTTONS: readonly AskingButton[] = [loudButton];

const NOTES: readonly StateNotes[] = [supersedeNotes, withdrawingNotes, resultNotes];

/** What features say of a request that is over. */
export function notes<Kind extends keyof StateNotes>(
  kind: Kind,
): readonly NonNullable<StateNotes[Kind]>[] {
  return NOTES.flatMap((each) => each[kind] ?? []);
}

/** Why a decision that has not been sent yet waits; `until`: a time. */
export const WAITS = {
  ...selfApprovalWaits,
};

/** The rules of *Details…*, by the codes of the clauses in `electorate/`. */
export const RULES = {
  ...needRules,
  ...escalationRules,
  ...awayRules,
  ...closedRules,
};

const OF_BARS = {
  'route-closed': closedWords,
} satisfies { readonly [Code in keyof Bars]: BarWords };

const BARS: Readonly<Record<string, BarWords>> = OF_BARS;

export function barWords({ code }: Bar): BarWords {
  const words = BARS[code];
  if (words === undefined) throw new Error('every bar has words');
  return words;
}

/** Of what bars approvals, if the state shows that something does. */
export function barredWords(state: BarFacts): BarWords | undefined {
  return Object.values(BARS).find((words) => words.isIn(state));
}

/** Why a press was not counted, by what the history says. */
export const NOT_COUNTED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(BARS).map(([code, { notCounted }]) => [code, notCounted]),
);

/** Sentences of replies, by the codes of `decision/statement.ts`. */
export const SENTENCES = {
  ...holdWords.sentences,
  ...selfApprovalSentences,
  ...supersedeSentences,
  ...withdrawingSentences,
};
