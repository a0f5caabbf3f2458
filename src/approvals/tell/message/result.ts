import type { KnownBlock } from '@slack/types';
import { isSeen, spellWords } from '../../../core/lib/clean-line.ts';
import { section } from '../../../core/slack/blocks.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { cutRuns, plainRuns, quotedWords } from '../../../core/slack/rich-text.ts';
import { type Approval, messagePost } from '../../approval.ts';
import {
  isResultReply,
  type ResultState,
  resultPost,
  type ShownResult,
  UNCLAIMED,
  type WorkResult,
} from '../../decision/result.ts';
import { titleOf } from '../../digest.ts';
import type { FeaturePost, StateNotes } from './feature-shapes.ts';
import { durationText } from './outcome-line.ts';
import { canBeLinked, runLink } from './run-link.ts';
import { mention, requestLink, timeOf } from './sentences.ts';

/** The source's report on the approved work, in the message and its thread. */

/** In UTF-16 units; spelled out, text can become longer than sent. */
const TEXT_MAX = 1_000;

function resultBlocks(
  result: ShownResult,
  usualHosts: readonly string[] | undefined,
): KnownBlock[] {
  return [section(`${resultLine(result)}${runText(result, usualHosts)}`), ...quote(result.text)];
}

function runText({ link }: ShownResult, usualHosts: readonly string[] | undefined): string {
  const isLinked = link !== undefined && canBeLinked(link);
  return isLinked ? ` · *${runLink(link, usualHosts)}*` : '';
}

/** The source's text. Invisible text says nothing, and Slack refuses an empty quotation. */
function quote(text: string | undefined): KnownBlock[] {
  if (text === undefined || !isSeen(text)) return [];
  return [quotedWords(cutRuns(plainRuns(spellWords(text).text), TEXT_MAX)[0])];
}

/** The state of the work, in one line. */
export function resultLine(result: ShownResult): string {
  const { state, at, startedAt, until, silentSince } = result;
  if (state !== 'running') {
    const took = startedAt === undefined ? timeOf(at) : `after ${durationText(at - startedAt)}`;
    return `${SIGNS[state]} *${WORDS[state]}* ${took}`;
  }
  const since = timeOf(startedAt ?? at);
  if (silentSince !== undefined) {
    const more = until === undefined ? `started ${since}` : `expected by ${timeOf(until)}`;
    return `:grey_question: *No report since* ${timeOf(silentSince)} · ${more}`;
  }
  const next = until === undefined ? '' : ` · next report by ${timeOf(until)}`;
  return `${SIGNS.running} *Running* since ${since}${next}`;
}

const SIGNS = {
  running: ':gear:',
  succeeded: ':white_check_mark:',
  failed: ':x:',
} as const satisfies Record<ResultState, string>;

const WORDS = {
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
} as const satisfies Record<ResultState, string>;

/** A reply below the message, because an update notifies nobody; for a failure, mentions the requester. */
export function resultReply(
  approval: Approval,
  result: ShownResult,
  { links, usualHosts }: { readonly links: SlackLinks; readonly usualHosts?: readonly string[] },
): SlackMessage {
  const { ts } = messagePost(approval);
  const { user } = approval.requester ?? {};
  const asker = result.state === 'failed' && user !== undefined ? ` · ${mention(user)}` : '';
  const link = ts === undefined ? undefined : links.message(approval.channel, ts);
  const request = requestLink(titleOf(approval), link);
  const line = `${resultLine(result)} · ${request}${runText(result, usualHosts)}${asker}`;
  return { text: line, blocks: [section(line), ...quote(result.text)] };
}

export const resultReplies: FeaturePost = {
  isOne: isResultReply,
  post: resultPost,
  content(approval, state, terms) {
    const result = state.name === 'decided' ? state.result : undefined;
    return result && resultReply(approval, result, terms);
  },
};

export const resultNotes: StateNotes = {
  blocks: ({ result }, usualHosts) =>
    result === undefined ? [] : resultBlocks(result, usualHosts),
  links: ({ result }) => (result?.link === undefined ? [] : [result.link]),
  isMore: ({ result }) => result !== undefined,
  line: ({ result }) => result && resultLine(result),
  metadata: ({ result }) => (result === undefined ? {} : { claim: result.claim ?? UNCLAIMED }),
  times: ({ result }, by) =>
    reportsIn(result).map(({ at, state }) => ({ at, text: `${by}: ${state}` })),
};

/** Of the signs of life in between only the last is known. */
function reportsIn(result: WorkResult | undefined) {
  if (result === undefined) return [];
  const { reports, renewedAt } = result;
  return [...reports, ...(renewedAt === undefined ? [] : [{ at: renewedAt, state: STILL }])];
}

const STILL = 'still running';
