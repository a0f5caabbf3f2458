import {
  blocksMarkup,
  fence,
  linesOf,
  listIn,
  type Members,
  membersOf,
  wordIn,
} from './block-markup.ts';
import { escapeMrkdwn } from './text.ts';

/**
 * All that people read of a message, in Slack's markup: its own words; what it has attached or forwards;
 * its files. Above a message without words of its own stands the title of what is attached.
 */
export function messageMarkup(message: unknown): string {
  const members = membersOf(message);
  const own = ownMarkup(members);
  const attached = listIn(members, 'attachments');
  const files = listIn(members, 'files').map(fileMarkup);
  if (own.replace(/<https?:[^<>]*>/gu, '').trim() === '') {
    return paragraphs(...attached.map(attachmentMarkup), ...files, own);
  }
  // Slack itself shows what stands behind an address: nobody said that.
  const said = attached.filter((each) => isForwarded(each) || !isPreview(each));
  return paragraphs(own, ...said.map(attachmentMarkup), ...files);
}

/** What a message says itself: `text`, or its blocks where they say more, as of many apps. */
export function ownMarkup(message: unknown): string {
  const members = membersOf(message);
  const [text, blocks] = [wordIn(members, 'text'), blocksMarkup(listIn(members, 'blocks'))];
  return weightOf(blocks) > weightOf(text) ? blocks : text;
}

/** Without what only says how it looks. */
function weightOf(markup: string): number {
  return markup.replace(/[\s*_~`•]/gu, '').length;
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function isForwarded(attachment: Members): boolean {
  return attachment.is_share === true || attachment.is_msg_unfurl === true;
}

function isPreview(attachment: Members): boolean {
  return wordIn(attachment, 'from_url') !== '' || attachment.is_app_unfurl === true;
}

function attachmentMarkup(attachment: Members): string {
  if (isForwarded(attachment)) return forwardedMarkup(attachment);
  const link = wordIn(attachment, 'title_link');
  const body = linesOf(
    wordIn(attachment, 'pretext'),
    ownMarkup(attachment),
    ...listIn(attachment, 'fields').map((field) => {
      const [title, value] = [wordIn(field, 'title'), wordIn(field, 'value')];
      return title === '' || value === '' ? title || value : `${title}: ${value}`;
    }),
    link === '' || link === wordIn(attachment, 'from_url') ? '' : `<${link}>`,
    ...listIn(attachment, 'files').map(fileMarkup),
  );
  return linesOf(wordIn(attachment, 'title') || fallbackBeside(body, attachment), body);
}

const NO_FALLBACK = '[no preview available]';

/** The words for whoever sees no attachment, unless they are those that it shows. */
function fallbackBeside(body: string, attachment: Members): string {
  const fallback = wordIn(attachment, 'fallback').trim();
  if (fallback === NO_FALLBACK) return '';
  const squashed = (text: string) => text.replace(/[\s*_~`]+/gu, '');
  const [line = ''] = body === '' ? [fallback] : fallback.split('\n');
  return squashed(body).includes(squashed(line)) ? '' : line;
}

/** A message in another one: its words, and whose they are. */
function forwardedMarkup(attachment: Members): string {
  const blocks = listIn(attachment, 'message_blocks').flatMap((each) =>
    listIn(membersOf(each.message), 'blocks'),
  );
  const words = messageMarkup({ ...attachment, ...(blocks.length > 0 && { blocks }) });
  const [author, link] = [wordIn(attachment, 'author_name'), wordIn(attachment, 'from_url')];
  const who = [author && escapeMrkdwn(author), link && `<${link}>`].filter(Boolean).join(', ');
  const said = words || fallbackBeside('', attachment);
  return paragraphs(said, who && `Forwarded from ${who}`);
}

/** Its name, and as much of its text as Slack shows. */
function fileMarkup(file: Members): string {
  const name = ['subject', 'title', 'name'].map((each) => wordIn(file, each)).find(Boolean) ?? '';
  const preview = fence(wordIn(file, 'preview'));
  return linesOf(escapeMrkdwn(name), escapeMrkdwn(wordIn(file, 'plain_text')) || preview);
}
