import type { KnownBlock } from '@slack/types';
import { context, section } from '../../../core/slack/blocks.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { quotedWords, type Run } from '../../../core/slack/rich-text.ts';
import { bold, inertText } from '../../../core/slack/text.ts';
import type { Approval } from '../../approval.ts';
import { type Excerpt, excerptOf, overflowSections, repliesFor } from './overflow.ts';
import { addressOf } from './run-link.ts';

/**
 * The request in the automation's own words, quoted; after each cut text, how much more is in the thread. `isOpen`: it
 * can still be decided.
 */
export function requestBlocks(approval: Approval, excerpt: Excerpt, isOpen: boolean): KnownBlock[] {
  const { links, prompt, change, fields, more } = excerpt;
  const blocks: KnownBlock[] = [];
  let lines: (readonly Run[])[] = [];
  const quote = () => {
    if (lines.length > 0) blocks.push(quotedWords(joinedLines(lines)));
    lines = [];
  };
  const say = (words: string | undefined) => {
    if (words === undefined) return;
    quote();
    blocks.push(section(words));
  };
  lines.push(...links.map((link) => [link]), ...(prompt.length > 0 ? [prompt] : []));
  say(moreText(more.prompt, isOpen));
  lines.push(...fields);
  say(moreText(more.isOther ? 1 : 0, isOpen));
  if (change.length > 0) lines.push(change);
  say(moreText(more.change, isOpen));
  quote();
  const unshown = excerpt.unshown === 0 ? [] : [context(unshownText(approval, excerpt))];
  return [...blocks, ...unshown, ...partBlocks(approval, isOpen)];
}

/** `lines`: how many the message does not show. The arrow points to the thread while the request is open. */
function moreText(lines: number, isOpen: boolean): string | undefined {
  if (lines === 0) return undefined;
  const what = lines === 1 ? 'More' : `${lines.toLocaleString('en')} more lines`;
  return `${what} in the thread${isOpen ? ' ↓' : ''}`;
}

/** Each starts a new line; preformatted text is a block anyway. */
function joinedLines(lines: readonly (readonly Run[])[]): Run[] {
  return lines.flatMap((runs, at) => {
    const isJoined = lines[at - 1]?.at(-1)?.kind !== 'pre' && runs[0]?.kind !== 'pre';
    return at > 0 && isJoined ? [{ kind: 'text', text: '\n' } as const, ...runs] : runs;
  });
}

/** Says that the change is only part of a larger one, and how to identify that. */
export function partBlocks({ cutFrom }: Approval, isOpen: boolean): KnownBlock[] {
  if (cutFrom === undefined) return [];
  const { shown, lines, sha256 } = cutFrom;
  const isOne = shown === 1;
  const which = isOne ? 'Line 1' : `Lines 1 to ${shown.toLocaleString('en')}`;
  const verb = isOne ? 'is' : 'are';
  const what = isOpen ? `${verb} what you approve` : `${isOne ? 'was' : 'were'} shown`;
  const of = bold(`${which} of ${lines.toLocaleString('en')} ${what}`);
  return [section(`:scissors: ${of} · SHA-256 of the whole file: \`${sha256}\``)];
}

/** Where to read the rest if even the thread does not hold it. */
function unshownText(approval: Approval, { unshown, link }: Excerpt): string {
  const more = `${unshown.toLocaleString('en')} more ${unshown === 1 ? 'character' : 'characters'}`;
  if (approval.link === undefined) return `${more} did not fit into Slack.`;
  const where = link === undefined ? 'the link in the thread' : `<${addressOf(link)}|the link>`;
  return `${more}: see ${where}.`;
}

/** An overflow reply. */
export function overflowMessage(approval: Approval, number: number): SlackMessage {
  const excerpt = excerptOf(approval);
  const blocks: KnownBlock[] = overflowSections(excerpt, number).map(quotedWords);
  const count = repliesFor(excerpt);
  if (number === count && excerpt.unshown > 0) blocks.push(context(unshownText(approval, excerpt)));
  return { text: `Continued (${number} of ${count}): ${inertText(excerpt.title)}`, blocks };
}
