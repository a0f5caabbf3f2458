/** A part of a line of mrkdwn. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'emoji'; readonly name: string }
  | { readonly kind: 'bold' | 'italic' | 'strike'; readonly inside: readonly Inline[] }
  | { readonly kind: 'user' | 'channel' | 'group'; readonly id: string; readonly label: string }
  | { readonly kind: 'broadcast'; readonly name: string }
  | { readonly kind: 'link'; readonly href: string; readonly label: string }
  | DateInline;

export interface DateInline {
  readonly kind: 'date';
  /** Since 1970; NaN if it was not a number. */
  readonly seconds: number;
  /** Text with `{tokens}`. */
  readonly form: string;
  readonly href: string;
  readonly fallback: string;
}

/** Consecutive lines of mrkdwn. */
export type Passage =
  | { readonly kind: 'lines' | 'quote'; readonly inside: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string };

/** Slack's mrkdwn as a tree. It contains no HTML; entities are decoded. */
export function parseMrkdwn(text: string): Passage[] {
  // Odd indexes are what was between two fences.
  return text.split(/```([\s\S]+?)```/).flatMap((part, place): Passage[] => {
    if (place % 2 === 1) return [{ kind: 'code', text: withoutEntities(part.replace(/^\n/, '')) }];
    return parseLines(part);
  });
}

/** Runs of quoted and of other lines. */
function parseLines(text: string): Passage[] {
  const runs: { isQuote: boolean; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const isQuote = quoted.test(line);
    const words = line.replace(quoted, '');
    const last = runs.at(-1);
    if (last?.isQuote === isQuote) last.lines.push(words);
    else runs.push({ isQuote, lines: [words] });
  }
  return runs
    .filter(({ lines }) => lines.some((line) => line !== ''))
    .map(({ isQuote, lines }) => ({
      kind: isQuote ? 'quote' : 'lines',
      inside: parseInline(trimmed(lines).join('\n')),
    }));
}

const quoted = /^(>|&gt;) ?/;

/** Without the empty lines that a fence or a quote leaves at the edges. */
function trimmed(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line !== '');
  const end = lines.findLastIndex((line) => line !== '');
  return lines.slice(start, end + 1);
}

/** Code, angle brackets, emoji, line breaks, and the three styles; in this order. */
const marks =
  /`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+'-]+):|(\n)|(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|(?<!\w)_([^\s_](?:[^_\n]*[^\s_])?)_(?!\w)|(?<![\w~])~([^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])/g;

function parseInline(text: string): Inline[] {
  const found: Inline[] = [];
  let done = 0;
  for (const match of text.matchAll(marks)) {
    found.push(...plainText(text.slice(done, match.index)), inlineOf(match));
    done = match.index + match[0].length;
  }
  return [...found, ...plainText(text.slice(done))];
}

function plainText(text: string): Inline[] {
  return text === '' ? [] : [{ kind: 'text', text: withoutEntities(text) }];
}

function inlineOf([, code, angled, emoji, line, bold, italic, strike]: RegExpExecArray): Inline {
  if (code !== undefined) return { kind: 'code', text: withoutEntities(code) };
  if (angled !== undefined) return angledInline(angled);
  if (emoji !== undefined) return { kind: 'emoji', name: emoji };
  if (line !== undefined) return { kind: 'break' };
  if (bold !== undefined) return { kind: 'bold', inside: parseInline(bold) };
  if (italic !== undefined) return { kind: 'italic', inside: parseInline(italic) };
  return { kind: 'strike', inside: parseInline(strike ?? '') };
}

function angledInline(text: string): Inline {
  const bar = text.indexOf('|');
  const target = bar === -1 ? text : text.slice(0, bar);
  const label = withoutEntities(bar === -1 ? '' : text.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith('!date^')) return dateInline(target, label);
  if (target.startsWith('!subteam^')) {
    return { kind: 'group', id: target.slice('!subteam^'.length), label };
  }
  if (target.startsWith('!')) return { kind: 'broadcast', name: label || id };
  if (target.startsWith('@')) return { kind: 'user', id, label };
  if (target.startsWith('#')) return { kind: 'channel', id, label };
  const href = withoutEntities(target);
  return { kind: 'link', href, label: label || href };
}

/** `!date^seconds^text with {tokens}^link`. */
function dateInline(target: string, fallback: string): DateInline {
  const [, seconds, form = '', href = ''] = target.split('^').map(withoutEntities);
  return { kind: 'date', seconds: Number(seconds), form, href, fallback };
}

function withoutEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
