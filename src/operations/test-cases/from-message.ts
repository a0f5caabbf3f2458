import { cleanLine } from '../../core/lib/clean-line.ts';
import { cutPlain } from '../../core/slack/text.ts';
import { DESCRIPTION_MAX, type Entered } from './fields.ts';
import { TITLE_MAX } from './form-view.ts';

/** Creates a test case from a message, or from the text after the command. */

/** Returns the names of members by id; unknown names are missing. */
export type NamesOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** A form has room for this many names, and more would take too long. */
const NAMES_MAX = 20;

/** The ids of members mentioned without names. */
function mentionedIn(text: string): readonly string[] {
  const ids = [...text.matchAll(/<@([UW][A-Z0-9]+)>/gu)].map(([, id = '']) => id);
  return [...new Set(ids)].slice(0, NAMES_MAX);
}

/** `text`: in Slack's markup. The description ends with a link to the message. */
export async function fromMessage(
  text: string,
  { names, permalink }: { readonly names: NamesOf; readonly permalink: string | undefined },
): Promise<Entered> {
  const mentioned = mentionedIn(text);
  const known = mentioned.length === 0 ? new Map<string, string>() : await names(mentioned);
  return fromText(plainText(text, known), permalink);
}

/** The text after the command: a title, or a description if it is too long for one. */
export function fromWords(words: string): Entered {
  const isTitle = words.length <= TITLE_MAX && !/[\r\n]/u.test(words);
  if (!isTitle) return fromText(words, undefined);
  return words === '' ? {} : { title: words };
}

/** The first line is the title, the rest the description. */
function fromText(text: string, permalink: string | undefined): Entered {
  const [head = '', ...others] = linesFrom(text);
  const isList = STEP.test(head) && others.some((line) => STEP.test(line));
  const whole = cleanLine((isList ? STEP.exec(head)?.groups?.words : undefined) ?? head);
  const title = cutPlain(whole, TITLE_MAX / 2)[0];
  // A title that was cut, or is the first step of a list, is repeated in the description.
  const rest = title !== whole || isList ? [head, ...others] : others;
  const description = descriptionOf(rest, permalink);
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
  };
}

/** Without empty lines at the start. */
function linesFrom(text: string): readonly string[] {
  const lines = text.split(/\r\n|[\n\r]/u);
  const first = lines.findIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first);
}

function descriptionOf(rest: readonly string[], permalink: string | undefined): string {
  const body = withSteps(rest)
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
  const source = permalink === undefined ? '' : `From: ${permalink}`;
  const room = DESCRIPTION_MAX - source.length - 2;
  return [cutPlain(body, room)[0], source].filter((part) => part !== '').join('\n\n');
}

/** "1. Open", "1) Open", "(1) Open", "1.Open", "1.2. Open", "Step 1: Open"; not "10:30" or "404: not found". */
const STEP =
  /^\s*(?:\(?\d{1,3}(?:\.\d{1,3})*[.)](?!\d)|step\s+\d{1,3}\s?[.):–-])\s*(?<words>\S.*)$/iu;
const BULLET = /^\s*[•◦▪‣*–-]\s+(?<words>\S.*)$/u;
const HEADING = /^\s*(?:steps|steps to reproduce|how to reproduce)(?:\s*:)?\s*$/iu;
const EXPECTED = /^\s*expected\b[^:\n]{0,40}:/iu;

/**
 * The lines with their steps below a heading. Numbered lines are steps, and stay as they are. If there are none, steps
 * are the bulleted lines before a line "Expected: …", and there all lines below a heading: these are numbered.
 */
function withSteps(lines: readonly string[]): readonly string[] {
  const expectedAt = lines.findIndex((line) => EXPECTED.test(line));
  const headingAt = lines.findIndex((line) => HEADING.test(line));
  const isBelow = (at: number) => headingAt !== -1 && at > headingAt;
  const isNumbered = lines.some((line) => STEP.test(line));
  const wordsOf = (line: string, at: number): string => {
    if (isNumbered || at >= expectedAt) return '';
    return (BULLET.exec(line)?.groups?.words ?? (isBelow(at) ? line : '')).trim();
  };
  const first = lines.findIndex((line, at) => STEP.test(line) || wordsOf(line, at) !== '');
  if (first === -1) return lines;
  const begin = isBelow(first) ? headingAt : first;
  let count = 0;
  return lines.flatMap((line, at) => {
    const head = at === begin ? ['', 'Steps:'] : [];
    if (at === begin && at === headingAt) return head;
    if (at === expectedAt && at > first) return ['', line];
    const words = at < begin ? '' : wordsOf(line, at);
    if (words === '') return [...head, line];
    count += 1;
    return [...head, `${count}. ${words}`];
  });
}

/** Slack's markup as plain text: links with their address, names for ids, without marks and escapes. */
function plainText(text: string, names: ReadonlyMap<string, string>): string {
  const tokens: string[] = [];
  // Text in angle brackets has no marks: an address may contain underscores.
  const marked = text.replace(/<[^<>\n]*>/gu, (token) => `\ue000${tokens.push(token) - 1}\ue001`);
  return withoutFences(marked)
    .replace(/\ue000(\d+)\ue001/gu, (_, index) => tokenText(tokens[Number(index)] ?? '', names))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Text between two fences is verbatim; the line of a fence is dropped. */
function withoutFences(text: string): string {
  const parts = text.split('```');
  return parts
    .map((part, index) => {
      const [before = '', after] = [parts[index - 1], parts[index + 1]];
      const isCode = index % 2 === 1 && after !== undefined;
      if (!isCode) return part.split('\n').map(withoutMarks).join('\n');
      const begun = /(?:^|\n)$/u.test(before) ? part.replace(/^\n/u, '') : part;
      return after.startsWith('\n') ? begun.replace(/\n$/u, '') : begun;
    })
    .join('');
}

/** A link, a mention or a time, which Slack writes in angle brackets. */
function tokenText(token: string, names: ReadonlyMap<string, string>): string {
  const [target = '', label = ''] = token.slice(1, -1).split('|');
  const id = target.slice(1);
  switch (target.charAt(0)) {
    case '@':
      return at('@', label || names.get(id) || 'somebody');
    case '#':
      return at('#', label || 'channel');
    case '!':
      if (id.startsWith('date^')) return label;
      return at('@', label || (id.startsWith('subteam^') ? 'group' : id));
    default:
      if (/^(?:mailto|tel):/u.test(target)) return label || target.replace(/^\w+:/u, '');
      return label === '' || label === target ? target : `${label} (${target})`;
  }
}

function at(sign: string, word: string): string {
  return word.startsWith(sign) ? word : `${sign}${word}`;
}

/** Removes the style marks of a line where Slack interprets them: paired, and at the edges of words. */
function withoutMarks(line: string): string {
  const unquoted = line.replace(/^\s*(?:&gt;){1,3}\s?/u, '');
  // Text in backticks is verbatim.
  return unquoted
    .split(/(`[^`]+`)/u)
    .map((part) => (/^`[^`]+`$/u.test(part) ? part.slice(1, -1) : withoutStyles(part)))
    .join('');
}

const STYLE = /(?<![\p{L}\p{N}])([*_~])(?=\S)(?<inner>(?:(?!\1).)*\S)\1(?![\p{L}\p{N}])/gu;

function withoutStyles(text: string): string {
  let [before, after] = ['', text];
  while (before !== after) [before, after] = [after, after.replace(STYLE, '$<inner>')];
  return after;
}
