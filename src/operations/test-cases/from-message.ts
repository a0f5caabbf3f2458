import { cleanLine } from '../../core/lib/clean-line.ts';
import { cutPlain } from '../../core/slack/text.ts';
import { DESCRIPTION_MAX, type Entered } from './fields.ts';
import { TITLE_MAX } from './form-view.ts';

/** What a message, or what is written behind the command, makes of a test case. */

/** Gives the names of members by their ids; who is not named stays unnamed. */
export type NamesOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** A form has room for so many names, and nobody waits for more. */
const NAMES_MAX = 20;

/** The ids of the members whom a message mentions without their names. */
function mentionedIn(text: string): readonly string[] {
  const ids = [...text.matchAll(/<@([UW][A-Z0-9]+)>/gu)].map(([, id = '']) => id);
  return [...new Set(ids)].slice(0, NAMES_MAX);
}

/** `text`: in Slack's markup. The last line of the description leads back to the message. */
export async function fromMessage(
  text: string,
  { names, permalink }: { readonly names: NamesOf; readonly permalink: string | undefined },
): Promise<Entered> {
  const mentioned = mentionedIn(text);
  const known = mentioned.length === 0 ? new Map<string, string>() : await names(mentioned);
  return fromText(plainText(text, known), permalink);
}

/** What stands behind the command: a title, unless that is more than a title holds. */
export function fromWords(words: string): Entered {
  const isTitle = words.length <= TITLE_MAX && !/[\r\n]/u.test(words);
  if (!isTitle) return fromText(words, undefined);
  return words === '' ? {} : { title: words };
}

/** The first line is the title; everything else is the description, in its order. */
function fromText(text: string, permalink: string | undefined): Entered {
  const [head = '', ...others] = linesFrom(text);
  const whole = cleanLine(STEP.exec(head)?.groups?.words ?? head);
  const title = cutPlain(whole, TITLE_MAX / 2)[0];
  // Nothing is lost of a line that is cut, and a list of steps begins with the first.
  const isList = STEP.test(head) && others.some((line) => STEP.test(line));
  const rest = title !== whole || isList ? [head, ...others] : others;
  const description = descriptionOf(rest, permalink);
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
  };
}

/** From the first that is not empty. */
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

const STEP = /^\s*\d{1,3}[.)]\s+(?<words>\S.*)$/u;
const BULLET = /^\s*[•◦▪‣*–-]\s+(?<words>\S.*)$/u;
const HEADING = /^\s*(?:steps|steps to reproduce|how to reproduce)(?:\s*:)?\s*$/iu;
const EXPECTED = /^\s*expected\b[^:\n]{0,40}:/iu;

/**
 * The lines with their steps numbered below a heading. Numbered lines are steps; before a line
 * "Expected: …" bulleted ones are too, and below a heading of their own any. All stay in their order.
 */
function withSteps(lines: readonly string[]): readonly string[] {
  const expectedAt = lines.findIndex((line) => EXPECTED.test(line));
  const headingAt = lines.findIndex((line) => HEADING.test(line));
  const wordsOf = (line: string, at: number): string | undefined => {
    const isBefore = at < expectedAt;
    const isBelow = isBefore && headingAt !== -1 && at > headingAt;
    const marked = STEP.exec(line) ?? (isBefore ? BULLET.exec(line) : null);
    const words = marked?.groups?.words ?? (isBelow ? line : '');
    return words.trim() === '' ? undefined : words.trim();
  };
  const first = lines.findIndex((line, at) => wordsOf(line, at) !== undefined);
  if (first === -1) return lines;
  let count = 0;
  return lines.flatMap((line, at) => {
    if (at === headingAt && at < first) return [];
    const words = wordsOf(line, at);
    if (words === undefined) return at === expectedAt ? ['', line] : [line];
    count += 1;
    const step = `${count}. ${words}`;
    return count === 1 ? ['', 'Steps:', step] : [step];
  });
}

/** Slack's markup as plain words: links with their address, names for ids, marks and escapes undone. */
function plainText(text: string, names: ReadonlyMap<string, string>): string {
  const tokens: string[] = [];
  // What stands between angle brackets has no marks: an address may hold underscores.
  const marked = text.replace(/<[^<>\n]*>/gu, (token) => `\ue000${tokens.push(token) - 1}\ue001`);
  return withoutFences(marked)
    .replace(/\ue000(\d+)\ue001/gu, (_, index) => tokenText(tokens[Number(index)] ?? '', names))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** What stands between two fences is meant to the letter; a line of a fence alone goes with it. */
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

/** A link, a mention or a time, as Slack writes it between angle brackets. */
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

/** The marks of one line, as Slack takes them for marks: at the edges of words, and in pairs. */
function withoutMarks(line: string): string {
  const unquoted = line.replace(/^\s*(?:&gt;){1,3}\s?/u, '');
  // What is between back ticks is meant to the letter.
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
