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
 * Everything people read in a message, as Slack markup: its own text, attachments and forwarded messages, and files. A
 * message without text of its own starts with the title of its attachment.
 */
export function messageMarkup(message: unknown): string {
  const members = membersOf(message);
  const own = ownMarkup(members);
  const attached = listIn(members, 'attachments');
  const files = listIn(members, 'files').map(fileMarkup);
  if (own.replace(/<https?:[^<>]*>/gu, '').trim() === '') {
    return paragraphs(...attached.map(attachmentMarkup), ...files, own);
  }
  // Previews of links were added by Slack, not written by anybody.
  const said = attached.filter((each) => isForwarded(each) || !isPreview(each));
  return paragraphs(own, ...said.map(attachmentMarkup), ...files);
}

/** What the message itself says: `text`, or its blocks where those say more, as in many apps. */
export function ownMarkup(message: unknown): string {
  const members = membersOf(message);
  const [text, blocks] = [wordIn(members, 'text'), blocksMarkup(listIn(members, 'blocks'))];
  return weightOf(blocks) > weightOf(text) ? blocks : text;
}

/** The length without whitespace and style marks. */
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

/** The text for clients that show no attachments, unless the attachment shows the same. */
function fallbackBeside(body: string, attachment: Members): string {
  const fallback = wordIn(attachment, 'fallback').trim();
  if (fallback === NO_FALLBACK) return '';
  const squashed = (text: string) => text.replace(/[\s*_~`]+/gu, '');
  const [line = ''] = body === '' ? [fallback] : fallback.split('\n');
  return squashed(body).includes(squashed(line)) ? '' : line;
}

/** A forwarded message: its text and its author. */
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

/** The file's name, and the part of its text that Slack shows. */
function fileMarkup(file: Members): string {
  const name = ['subject', 'title', 'name'].map((each) => wordIn(file, each)).find(Boolean) ?? '';
  const preview = fence(wordIn(file, 'preview'));
  return linesOf(escapeMrkdwn(name), escapeMrkdwn(wordIn(file, 'plain_text')) || preview);
}
