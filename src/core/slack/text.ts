import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { cleanLine } from '../lib/clean-line.ts';
import { clip, clipWords } from '../lib/clip.ts';

/** Escapes an address, or text in which styles may take effect: no mention, disguised link or `<!channel>` remains. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Other people's text within markup, to be read letter by letter: no style, emoji code, mention or link in it takes
 * effect. Slack has no escape for these marks, so those that could take effect become look-alikes.
 */
export function inertText(text: string): string {
  const inert = text
    .replaceAll('`', INERT_BACKTICK)
    .replaceAll('*', '\u2217')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\u02cd')
    .replace(/(?<![\p{L}\p{N}])~|~(?![\p{L}\p{N}])/gu, '\u223c')
    .replace(EMOJI_CODE, '\u2236');
  return escapeMrkdwn(inert);
}

const INERT_BACKTICK = '\u02cb';
/** The colon before an emoji's name. Two digits are part of a time. */
const EMOJI_CODE = /:(?=[\p{L}\p{M}\p{N}_+'-]+:)(?!\d\d:)/gu;

/** What somebody typed after a command, without Slack's escapes. */
export function unescapeMrkdwn(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/**
 * Cuts escaped text after at most `max` UTF-16 units: what fits, and the rest (empty when everything fits). Never
 * splits a surrogate pair or an entity.
 */
export function clipText(escaped: string, max: number): [head: string, rest: string] {
  if (escaped.length <= max) return [escaped, ''];
  let end = max;
  const entity = escaped.lastIndexOf('&', end - 1);
  const length = ENTITY.exec(escaped.slice(entity, entity + 5))?.[0].length ?? 0;
  if (entity !== -1 && entity + length > end) end = entity;
  if (/[\ud800-\udbff]/.test(escaped.charAt(end - 1))) end -= 1;
  return [escaped.slice(0, end), escaped.slice(end)];
}

/** The entities that `escapeMrkdwn` writes. */
const ENTITY = /^&(?:amp|lt|gt);/;

/** Cuts unescaped text after at most `max` UTF-16 units, at the end of a word, with an ellipsis for the rest. */
export function cutPlain(text: string, max: number): [head: string, rest: string] {
  if (text.length <= max) return [text, ''];
  const [head, rest] = clipWords(text, max - 1);
  return [`${head.trimEnd()}…`, `…${rest}`];
}

/**
 * Other people's text as one escaped line, from at most `max` UTF-16 units: it cannot pass for a line of ours, or
 * reverse the direction of the text around it.
 */
export function oneLine(text: string, max: number): string {
  return inertText(cutPlain(cleanLine(text), max)[0]);
}

/**
 * The service's own reasons, as part of a sentence: one as a quotation, several as a list. Empty when there are none.
 */
export function itSays(detail: string | null | undefined): string {
  return reasonsText('It says', detail ?? '', (reason) => oneLine(reason, REASON_MAX));
}

const REASON_MAX = 300;
/** For all reasons together: a section holds 3,000 characters, and contains more than this. */
const REASONS_MAX = 1_500;

/** The same after another introduction. `quote`: how the medium quotes other people's text. */
export function reasonsText(
  intro: string,
  detail: string,
  quote: (reason: string) => string,
): string {
  const reasons = detail.split('\n').filter((reason) => reason !== '');
  const quotes = reasons.map((reason) => `“${quote(reason)}”`);
  const [first, ...others] = quotes;
  if (first === undefined) return '';
  if (others.length === 0) return `${intro}: ${first}`;
  let left = REASONS_MAX - first.length;
  const fit = others.filter((each) => {
    left -= each.length;
    return left >= 0;
  });
  const rest = others.length - fit.length;
  const lines = [first, ...fit, ...(rest > 0 ? [`and ${rest} more`] : [])];
  return `${intro}:${lines.map((line) => `\n• ${line}`).join('')}`;
}

/** Joins sentences, without empty ones; a list keeps its own lines. */
export function joinSentences(...sentences: readonly string[]): string {
  const said = sentences.filter((sentence) => sentence !== '');
  const between = (at: number) => (said[at - 1]?.includes('\n') ? '\n' : ' ');
  return said.map((sentence, at) => (at === 0 ? '' : between(at)) + sentence).join('');
}

/** Text that Slack shows verbatim, except for `:emoji:`. It needs no escaping. */
export function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** Other people's text, which Slack shows verbatim. */
export function literal(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: false };
}

/** Text with markup. `verbatim`: bare `@here` and `#channel` in it do not become mentions. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Other people's text as code: one short line, in which no markup takes effect. */
export function code(text: string): string {
  const [head] = clip(text.replaceAll(/\s+/g, ' ').trim(), 100);
  return `\`${escapeMrkdwn(head.replaceAll('`', INERT_BACKTICK))}\``;
}

/** `markup`: without asterisks. */
export function bold(markup: string): string {
  return `*${markup}*`;
}

/** A time in the reader's time zone; `fallback` (unescaped) where it cannot be rendered. */
export function dateText(epochMs: number, fallback: string): string {
  const seconds = Math.floor(epochMs / 1000);
  return `<!date^${seconds}^{date_short_pretty} at {time}|${escapeMrkdwn(fallback)}>`;
}

/** Only the time of day, for a moment that is near. */
export function timeText(epochMs: number): string {
  return clockText(epochMs, '{time}');
}

/** With the day, and with seconds. */
export function dateSecondsText(epochMs: number): string {
  return clockText(epochMs, '{date_short_pretty} at {time_secs}');
}

/** The time of day with seconds. */
export function secondsText(epochMs: number): string {
  return clockText(epochMs, '{time_secs}');
}

function clockText(epochMs: number, format: string): string {
  const fallback = new Date(epochMs).toISOString();
  return `<!date^${Math.floor(epochMs / 1000)}^${format}|${fallback}>`;
}

/** A longer address takes up too much of a message. */
const ADDRESS_MAX = 600;

/**
 * A link labelled `label` (other people's text); each `{name}` in the address is replaced by its value. The bare label if there is
 * no address, it is too long, or a value is unknown.
 */
export function filledLink(
  address: string | null,
  values: Readonly<Record<string, string | null>>,
  label: string,
): string {
  const filled = address === null ? null : fill(address, new Map(Object.entries(values)));
  return filled === null ? inertText(label) : `<${filled}|${inertText(label)}>`;
}

function fill(address: string, values: ReadonlyMap<string, string | null>): string | null {
  const names = [...address.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
  if (names.some((name) => (values.get(name) ?? null) === null)) return null;
  const filled = address.replace(/\{(\w+)\}/gu, (_, name) => encoded(values.get(name) ?? ''));
  const escaped = escapeMrkdwn(filled).replaceAll('|', '%7C');
  return escaped.length > ADDRESS_MAX ? null : escaped;
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
