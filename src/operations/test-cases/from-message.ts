import { cleanLine } from '../../core/lib/clean-line.ts';
import { characterCount } from '../../core/lib/clip.ts';
import { cutPlain } from '../../core/slack/text.ts';
import type { Thread } from '../../core/slack/thread.ts';
import { DESCRIPTION_MAX, type Entered } from './fields.ts';
import { TITLE_MAX } from './form-view.ts';

/** Creates a test case from a message, from its thread, or from the text after the command. */

/** Returns the names of members by id; unknown names are missing. */
export type NamesOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Slack answers for about a hundred people a minute, and button presses need those calls first. */
const NAMES_MAX = 30;

/** The ids of members mentioned without names. */
function mentionedIn(text: string): readonly string[] {
  return [...text.matchAll(/<@([UW][A-Z0-9]+)>/gu)].map(([, id = '']) => id);
}

async function namesFor(
  ids: readonly string[],
  names: NamesOf,
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(ids)].slice(0, NAMES_MAX);
  return asked.length === 0 ? new Map() : names(asked);
}

/** Where a message is. Slack may not say. */
export interface MessageLinks {
  readonly message: string | undefined;
  /** Of the first message of its thread, if that is another one. */
  readonly thread?: string | undefined;
}

/** `text`: in Slack's markup. The description ends with links to the message and its thread. */
export async function fromMessage(
  text: string,
  { names, links }: { readonly names: NamesOf; readonly links: MessageLinks },
): Promise<Entered> {
  const known = await namesFor(mentionedIn(text), names);
  return fromText(plainText(text, known), sourceOf(links));
}

function sourceOf({ message, thread }: MessageLinks): string {
  const written = [message && `From: ${message}`, thread && `Thread: ${thread}`];
  return written.filter(Boolean).join('\n');
}

/**
 * Everything people wrote, in order, each with their name; the title is the first line. What does not fit is counted.
 * undefined: nobody wrote anything.
 */
export async function fromThread(
  { messages, isWhole }: Thread,
  { names, links }: { readonly names: NamesOf; readonly links: MessageLinks },
): Promise<Entered | undefined> {
  const [first] = messages;
  if (first === undefined) return undefined;
  const mentioned = messages.flatMap(({ markup }) => mentionedIn(markup));
  const known = await namesFor(
    [...messages.flatMap(({ user }) => user ?? []), ...mentioned],
    names,
  );
  const { title } = fromText(plainText(first.markup, known), '');
  const said = messages.map(({ user, name, markup }) => {
    const who = user === null ? (name ?? 'An app') : (known.get(user) ?? 'Somebody');
    return `${cleanLine(who)}: ${plainText(markup, known).trim()}`;
  });
  return { ...(title && { title }), description: cutThread(said, isWhole, sourceOf(links)) };
}

/** As much as fits, how much is missing, and the source. */
function cutThread(said: readonly string[], isWhole: boolean, source: string): string {
  const whole = said.join('\n\n');
  const room = DESCRIPTION_MAX - source.length - 2;
  if (whole.length <= room && isWhole) return [whole, source].filter(Boolean).join('\n\n');
  const [shown, rest] = cutPlain(whole, room - MISSING_MAX);
  // The rest starts with an ellipsis.
  const missing = rest === '' ? LONGER : missingText(said, rest.slice(1), isWhole);
  return [shown, missing, source].filter(Boolean).join('\n\n');
}

const MISSING_MAX = 100;
const LONGER = '[Cut here: the thread is longer than Gatepost reads]';

/** `rest`: the end of what was said. */
function missingText(said: readonly string[], rest: string, isWhole: boolean): string {
  let [from, units] = [said.length, rest.length];
  while (units > 0 && from > 0) {
    from -= 1;
    units -= (said[from]?.length ?? 0) + 2;
  }
  const count = said.length - from;
  const messages = `${count} ${count === 1 ? 'message' : 'messages'}`;
  const least = isWhole ? '' : 'at least ';
  return `[Cut here: ${least}${characterCount(rest)} more characters in ${messages}]`;
}

/** The text after the command: a title, or a description if it is too long for one. */
export function fromWords(words: string): Entered {
  const isTitle = words.length <= TITLE_MAX && !/[\r\n]/u.test(words);
  if (!isTitle) return fromText(words, '');
  return words === '' ? {} : { title: words };
}

/** The first line is the title, the rest the description, which ends with its source. */
function fromText(text: string, source: string): Entered {
  const [head = '', ...others] = linesFrom(text);
  const isList = STEP.test(head) && others.some((line) => STEP.test(line));
  const whole = cleanLine((isList ? STEP.exec(head)?.groups?.words : undefined) ?? head);
  const title = cutPlain(whole, TITLE_MAX / 2)[0];
  // A title that was cut, or is the first step of a list, is repeated in the description.
  const rest = title !== whole || isList ? [head, ...others] : others;
  const description = descriptionOf(rest, source);
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

function descriptionOf(rest: readonly string[], source: string): string {
  const body = withSteps(rest)
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
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
