import type { RichTextBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import { spellWords } from '../lib/clean-line.ts';
import { clipWords } from '../lib/clip.ts';
import { addressAt } from '../lib/web-address.ts';

/**
 * Other people's text as `rich_text`, where text stays text: it cannot mention anybody, hide an address behind other
 * words, or pass for a control of Slack's.
 */

/** A piece of text in one style. `link` shows its own address; `pre` is a block of its own. */
export interface Run {
  readonly kind: 'text' | 'bold' | 'code' | 'link' | 'pre';
  readonly text: string;
}

/** Text with code and addresses: no other markup is interpreted. */
export function runsOf(text: string): Run[] {
  return markedRuns(spellWords(text).text);
}

/** The same for text that `spellWords` has already cleaned. */
export function markedRuns(clean: string): Run[] {
  return foundRuns(clean, MARKED);
}

/** Cleaned text without any markup, letter by letter; addresses in it can be opened. */
export function plainRuns(clean: string): Run[] {
  return foundRuns(clean, ADDRESSES);
}

function foundRuns(clean: string, pattern: RegExp): Run[] {
  const found: Run[] = [];
  if (clean.search(MAYBE_MARKED) === -1) return tidied([{ kind: 'text', text: clean }]);
  let from = 0;
  const marked = new RegExp(pattern);
  // Each run is sent as a separate element.
  while (found.length < MARKED_MAX) {
    const match = marked.exec(clean);
    if (match === null) break;
    const run = runOf(match);
    if (run === undefined) continue;
    found.push({ kind: 'text', text: clean.slice(from, match.index) }, run);
    // Text after an address may be marked again.
    if (run.kind === 'link') marked.lastIndex = match.index + run.text.length;
    from = marked.lastIndex;
  }
  found.push({ kind: 'text', text: clean.slice(from) });
  return tidied(found);
}

/** The whole cleaned text, in a monospaced block. */
export function preformatted(clean: string): Run[] {
  return tidied([{ kind: 'pre', text: clean }]);
}

/** A fenced block (up to its closing fence or the end), `code` in one line, or an address. */
const MARKED = /```(?<pre>[\s\S]*?)(?:```|$)|`(?<code>[^`\n]+)`|https?:\/\/[^\s`]+/giu;
const ADDRESSES = /https?:\/\/[^\s`]+/giu;
const MAYBE_MARKED = /`|:\/\//u;
const MARKED_MAX = 200;
/** The language of a fence, with its line break. */
const LANGUAGE = /^[a-z][a-z\d+#-]{0,15}\n/iu;

function runOf({ groups, index, input }: RegExpExecArray): Run | undefined {
  if (groups?.pre !== undefined) {
    const text = groups.pre.replace(LANGUAGE, '').replace(/^\n|\n$/gu, '');
    return text.trim() === '' ? undefined : { kind: 'pre', text };
  }
  if (groups?.code !== undefined) {
    return groups.code.trim() === '' ? undefined : { kind: 'code', text: groups.code };
  }
  const address = addressAt(input, index);
  // Slack's markup for a link can show something other than its address: it stays text.
  const isLabelled = input[index - 1] === '<' && input[index + address.length] === '|';
  return isPlainAddress(address) && !isLabelled ? { kind: 'link', text: address } : undefined;
}

/** It cannot be mistaken for another host: no name before an `@`, no look-alike letters. */
// Not /i, because with it a range that contains ſ and K excludes s and k as well.
const ADDRESS =
  /^[Hh][Tt]{2}[Pp][Ss]?:\/\/[\w.-]+(?::\d+)?(?:[/?#][^\s"<>\\^`{|}\x7f-\u{10ffff}]*)?$/u;
const ADDRESS_MAX = 2_000;

/** Other addresses are shown as text. */
function isPlainAddress(text: string): boolean {
  return text.length <= ADDRESS_MAX && ADDRESS.test(text) && URL.canParse(text);
}

/** Without empty runs, and without the line break that a block adds anyway. */
function tidied(runs: readonly Run[]): Run[] {
  return runs.flatMap((run, at) => {
    if (run.kind !== 'text') return run.text === '' ? [] : [run];
    const isAfter = runs[at - 1]?.kind === 'pre';
    const isBefore = runs[at + 1]?.kind === 'pre';
    const start = isAfter ? run.text.replace(/^ *\n/u, '') : run.text;
    const text = isBefore ? start.replace(/\n *$/u, '') : start;
    return text === '' || ((isAfter || isBefore) && text.trim() === '') ? [] : [{ ...run, text }];
  });
}

/** The number of lines shown; preformatted text starts and ends its own. */
export function linesIn(runs: readonly Run[]): number {
  const ends = runs.map(({ kind, text }, at) => {
    const before = runs[at - 1];
    const isBlock = before !== undefined && (kind === 'pre' || before.kind === 'pre');
    return (text.match(/\n/gu)?.length ?? 0) + (isBlock ? 1 : 0);
  });
  return runs.length === 0 ? 0 : ends.reduce((sum, each) => sum + each, 1);
}

/** In UTF-16 units. */
export function lengthOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * Cuts after at most `max` UTF-16 units, at the end of a line or a word, never inside a character: what fits (marked as
 * cut), and the rest.
 */
export function cutRuns(runs: readonly Run[], max: number): [head: Run[], rest: Run[]] {
  if (lengthOf(runs) <= max) return [[...runs], []];
  const head: Run[] = [];
  let left = max;
  for (const [at, run] of runs.entries()) {
    const isLast = at === runs.length - 1;
    // Leave room for the mark of the cut.
    if (run.text.length < left || (isLast && run.text.length === left)) {
      head.push(run);
      left -= run.text.length;
      continue;
    }
    // Half an address would lead elsewhere.
    const kind = run.kind === 'link' ? 'text' : run.kind;
    const [fits, more] = clipWords(run.text, left - 1);
    const begun = { kind, text: `${fits}…` };
    return [
      [...head, begun],
      [{ kind, text: `…${more}` }, ...runs.slice(at + 1)],
    ];
  }
  return [head, []];
}

/** In pieces of at most `max` UTF-16 units. */
export function piecesOf(runs: readonly Run[], max: number): Run[][] {
  const found: Run[][] = [];
  for (let rest: Run[] = [...runs]; rest.length > 0; ) {
    const [head, tail] = cutRuns(rest, max);
    found.push(head);
    rest = tail;
  }
  return found;
}

/**
 * Other people's text as a quotation, so that no line of it can pass for Gatepost's. Preformatted text has its own
 * frame.
 */
export function quotedWords(runs: readonly Run[]): RichTextBlock {
  const parts: RichTextBlockElement[] = [];
  let open: RichTextElement[] | undefined;
  for (const { kind, text } of runs) {
    if (kind === 'pre') {
      parts.push({ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] });
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = [];
      parts.push({ type: 'rich_text_quote', elements: open });
    }
    open.push(elementOf(kind, text));
  }
  return { type: 'rich_text', elements: parts };
}

function elementOf(kind: Exclude<Run['kind'], 'pre'>, text: string): RichTextElement {
  switch (kind) {
    case 'text':
      return { type: 'text', text };
    case 'link':
      return { type: 'link', url: text };
    default:
      return { type: 'text', text, style: kind === 'bold' ? { bold: true } : { code: true } };
  }
}

/** A line of Gatepost's own: a bold label, then the content. */
export function labelled(label: string, elements: readonly RichTextElement[]): RichTextBlock {
  const name = { type: 'text', text: `${label} `, style: { bold: true } } as const;
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [name, ...elements] }],
  };
}
