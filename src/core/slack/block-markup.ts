import { escapeMrkdwn } from './text.ts';

/** The text of other people's blocks, as Slack markup like a message's `text`. */

/** Unvalidated members of outside data: check each before use. */
export type Members = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown): Members {
  // as: every object has members, and each is checked before use
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

export function listIn(members: Members, name: string): readonly Members[] {
  const value = members[name];
  return Array.isArray(value) ? value.map(membersOf) : [];
}

/** Empty when the member is missing or not a text. */
export function wordIn(members: Members, name: string): string {
  const value = members[name];
  return typeof value === 'string' ? value : '';
}

/** The texts that are not blank, one a line. */
export function linesOf(...lines: readonly string[]): string {
  return lines.filter((line) => line.trim() !== '').join('\n');
}

/** Verbatim text: no markup in it takes effect. */
export function fence(text: string): string {
  const inside = escapeMrkdwn(text.replaceAll('```', "'''").replace(/^\n|\n$/gu, ''));
  return inside.trim() === '' ? '' : `\`\`\`\n${inside}\n\`\`\``;
}

/** Blocks in order, without buttons, inputs and pictures; of an unknown block, its texts. */
export function blocksMarkup(blocks: readonly Members[]): string {
  return linesOf(...blocks.map(blockMarkup));
}

function blockMarkup(block: Members): string {
  switch (block.type) {
    case 'actions':
    case 'context_actions':
    case 'image':
    case 'input':
      return '';
    case 'rich_text':
      return linesOf(...listIn(block, 'elements').map(partMarkup));
    case 'context':
      return listIn(block, 'elements').map(textMarkup).filter(Boolean).join(' ');
    case 'markdown':
      return escapeMrkdwn(wordIn(block, 'text'));
    case 'table':
    case 'data_table':
      return linesOf(...rowsOf(block).map((cells) => cells.map(textMarkup).join(' | ')));
    default:
      return linesOf(
        ...TEXTS.map((name) => textMarkup(block[name])),
        ...listIn(block, 'fields').map((field) => fieldMarkup(textMarkup(field))),
        blocksMarkup(listIn(block, 'child_blocks')),
      );
  }
}

/** Members that hold text, in reading order. */
const TEXTS = [
  'rich_text_title',
  'title',
  'subtitle',
  'text',
  'body',
  'details',
  'output',
] as const;

function rowsOf({ rows }: Members): readonly (readonly unknown[])[] {
  return Array.isArray(rows) ? rows.filter((row) => Array.isArray(row)) : [];
}

/** A text object, a table cell, or a plain string. */
function textMarkup(value: unknown): string {
  if (typeof value === 'string') return escapedOnce(value);
  const object = membersOf(value);
  if (object.type === 'rich_text') return blockMarkup(object);
  const text = typeof object.text === 'number' ? String(object.text) : wordIn(object, 'text');
  return object.type === 'mrkdwn' ? text : escapedOnce(text);
}

/** Slack returns plain text either with its escapes or as it was sent. */
function escapedOnce(text: string): string {
  return text
    .replace(/&(?!(?:amp|lt|gt);)/gu, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** `*Priority:*` above its value becomes the line "Priority: High". */
function fieldMarkup(text: string): string {
  const [name = '', value, ...others] = text.split('\n');
  const bold = /^\*(?<inner>[^*]+)\*\s?$/u.exec(name)?.groups?.inner;
  if (bold === undefined || value === undefined || others.length > 0) return text;
  return `${bold.replace(/:$/u, '')}: ${value}`;
}

/** One element of rich text. */
function partMarkup(part: Members): string {
  switch (part.type) {
    case 'rich_text_preformatted':
      return fence(listIn(part, 'elements').map(literal).join(''));
    case 'rich_text_quote':
      return inline(part)
        .split('\n')
        .map((line) => `&gt; ${line}`)
        .join('\n');
    case 'rich_text_list':
      return linesOf(...listIn(part, 'elements').map((item, index) => itemOf(part, item, index)));
    default:
      // The line break is added anyway.
      return inline(part).replace(/\n$/u, '');
  }
}

function itemOf({ style, indent, offset }: Members, item: Members, index: number): string {
  const depth = typeof indent === 'number' ? Math.min(Math.max(indent, 0), 8) : 0;
  const first = typeof offset === 'number' ? offset + 1 : 1;
  const mark = style === 'ordered' ? `${first + index}.` : '•';
  return `${'  '.repeat(depth)}${mark} ${inline(item)}`;
}

function inline(part: Members): string {
  return listIn(part, 'elements').map(pieceMarkup).join('');
}

/** The text of a rich text element, without its style. */
function literal(piece: Members): string {
  return wordIn(piece, 'text') || wordIn(piece, 'url');
}

function pieceMarkup(piece: Members): string {
  const label = escapeMrkdwn(wordIn(piece, 'text'));
  switch (piece.type) {
    case 'link': {
      const address = escapeMrkdwn(wordIn(piece, 'url')).replaceAll('|', '%7C');
      return label === '' ? `<${address}>` : `<${address}|${label}>`;
    }
    case 'user':
      return `<@${wordIn(piece, 'user_id')}>`;
    case 'channel':
      return `<#${wordIn(piece, 'channel_id')}>`;
    case 'usergroup':
      return `<!subteam^${wordIn(piece, 'usergroup_id')}>`;
    case 'broadcast':
      return `<!${wordIn(piece, 'range')}>`;
    case 'emoji':
      return `:${wordIn(piece, 'name')}:`;
    case 'color':
      return wordIn(piece, 'value');
    case 'date':
      return dateMarkup(piece);
    default: {
      const isCode = membersOf(piece.style).code === true && !label.includes('`');
      return isCode && label.trim() !== '' ? `\`${label}\`` : label;
    }
  }
}

/** Without a fallback text, the time in UTC. */
function dateMarkup(piece: Members): string {
  const seconds = typeof piece.timestamp === 'number' ? piece.timestamp : Number.NaN;
  const moment = new Date(seconds * 1000);
  const isMoment = !Number.isNaN(moment.getTime());
  const utc = isMoment ? `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC` : '';
  const label = escapeMrkdwn(wordIn(piece, 'fallback')) || utc;
  return isMoment ? `<!date^${seconds}^{date_short} {time}|${label}>` : label;
}
