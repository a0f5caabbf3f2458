import { closest } from '../../core/lib/closest.ts';
import { DASH, foldTyped, isHelp, QUOTE } from '../../core/lib/fold-typed.ts';
import { unescapeMrkdwn } from '../../core/slack/text.ts';
import { ALL_FIELDS, FLAGS, type Flag } from './fields.ts';
import { TITLE_MAX } from './form-view.ts';

/** What people write after `/new-case`. */
type CaseWords =
  | { readonly kind: 'help' }
  /** Without options: opens the form with the typed text. */
  | { readonly kind: 'form'; readonly text: string }
  | ({ readonly kind: 'create' } & TypedCase);

/** A test case typed with options, to be created immediately. Values are as typed. */
export interface TypedCase {
  /** Empty: missing. */
  readonly title: string;
  /** The text below the title, verbatim. */
  readonly lines: string;
  /** Empty values are missing. */
  readonly flags: Flags;
  /** Everything that was not understood; title and flags are then as probably meant. */
  readonly faults: readonly WordsFault[];
}

type Flags = Readonly<Partial<Record<Flag, string>>>;

/** Something that was not understood. */
export type WordsFault =
  | { readonly code: 'unknown-flag'; readonly word: string; readonly near: Flag | undefined }
  | {
      readonly code: 'no-value' | 'twice' | 'stray' | 'open-quote' | 'no-title' | 'long-title';
      /** What it is about; empty for the title. */
      readonly word: string;
    };

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
  /** The dashes and the name of an option are separate. */
  readonly isApart: boolean;
  /** Its start and end in the text. */
  readonly at: number;
  readonly end: number;
  readonly isOpen: boolean;
}

/** Two dashes separate from an option's name, or the dash that a phone made of them. */
const APART = String.raw`(?<!\S)(?:${DASH}{2,}|[\u2014\u2015])[^\S\r\n]+(?:${FLAGS.join('|')})(?=\s|$)`;
/** A quoted run can contain spaces; phones write curly quotes. */
const WORDS = new RegExp(
  String.raw`(?<apart>${APART})|(?<key>${DASH}[^\s=]+=)?(?:${QUOTE}(?<quoted>(?:(?!${QUOTE})[^])*)(?<end>${QUOTE}?)|(?<bare>\S+))`,
  'giu',
);
const FLAG = /^(?<dashes>-+) ?(?<name>\p{L}[\p{L}\p{N}-]*)$/u;

/**
 * Parses `Title words --priority high --suite "Big smoke"`, with Slack's escapes. The title is the first line up to the
 * first option, verbatim; the other lines are the description.
 */
export function readWords(escaped: string): CaseWords {
  const text = unescapeMrkdwn(escaped).trim();
  if (isHelp(text)) return { kind: 'help' };
  const words = wordsIn(text);
  const starts = words.flatMap((word, index) => (isFlag(word) ? [index] : []));
  const [first] = starts;
  if (first === undefined) return { kind: 'form', text };
  const options = starts.map((start, index) => words.slice(start, starts[index + 1]));
  const isTitle = first > 0 && options.every((option) => isSentence(text, option));
  if (isTitle) return { kind: 'form', text };
  const [head = '', ...below] = text.slice(0, words[first]?.at).trim().split(LINE_END);
  const read = readOptions(text, options);
  const title = [unquoted(head.trim()), ...read.title].filter((each) => each !== '').join(' ');
  const lines = [below.join('\n').trim(), ...read.lines].filter((each) => each !== '').join('\n');
  const faults = [...titleFaults(title), ...read.faults];
  return { kind: 'create', title, lines, flags: read.flags, faults };
}

const LINE_END = /\r\n|[\n\r]/u;

/**
 * Whether dashes belong to the title: "--fails here" resembles no option, and in "-- type the PIN" the option's name is
 * an ordinary word, because no valid value follows, or more than one word does.
 */
function isSentence(text: string, [word, value, next]: readonly Word[]): boolean {
  if (word === undefined) return false;
  const { name } = optionIn(word.text);
  if (!word.isApart) return closest(name, FLAGS) === undefined;
  if (value === undefined) return true;
  const names = wordsOf(flagNamed(name));
  if (names !== undefined)
    return closest(foldTyped(value.text.normalize('NFKC')), names) === undefined;
  return next !== undefined && !LINE_END.test(text.slice(value.end, next.at));
}

/** Choices that do not depend on the catalogue. */
function wordsOf(flag: Flag | undefined): readonly string[] | undefined {
  const { words } = ALL_FIELDS.find((field) => field.flag === flag) ?? {};
  return words && Object.values(words);
}

function titleFaults(title: string): readonly WordsFault[] {
  if (title === '') return [{ code: 'no-title', word: '' }];
  return title.length > TITLE_MAX ? [{ code: 'long-title', word: '' }] : [];
}

interface ReadOptions {
  readonly flags: Partial<Record<Flag, string>>;
  /** Words after an option that takes only one probably belong to the title. */
  readonly title: string[];
  readonly lines: string[];
  readonly faults: WordsFault[];
}

function readOptions(text: string, options: readonly (readonly Word[])[]): ReadOptions {
  const read: ReadOptions = { flags: {}, title: [], lines: [], faults: [] };
  for (const [index, words] of options.entries()) {
    const end = options[index + 1]?.[0]?.at ?? text.length;
    readOption(read, text.slice(0, end), words);
  }
  return read;
}

/** Parses one option with everything up to the next; `text` ends where that starts. */
function readOption(read: ReadOptions, text: string, [word, ...others]: readonly Word[]): void {
  if (word === undefined) return;
  const { name, value: inline } = optionIn(word.text);
  const isInline = inline.trim() !== '';
  const behind = isInline ? others : others.slice(1);
  const below = behind.findIndex((each, index) =>
    LINE_END.test(text.slice((behind[index - 1] ?? others[0] ?? word).end, each.at)),
  );
  const stray = (below === -1 ? behind : behind.slice(0, below)).map((each) => each.text).join(' ');
  if (below !== -1) read.lines.push(text.slice(behind[below]?.at).trim());
  const value = (isInline ? inline : (others[0]?.text ?? '')).trim();
  const known = flagNamed(name);
  const near = known ?? closest(name, FLAGS);
  if (known === undefined) read.faults.push({ code: 'unknown-flag', word: `--${name}`, near });
  if (value === '') read.faults.push({ code: 'no-value', word: `--${name}` });
  const open = [word, ...others].find(({ isOpen }) => isOpen);
  if (open !== undefined) read.faults.push({ code: 'open-quote', word: open.text });
  if (stray !== '') read.faults.push({ code: 'stray', word: stray });
  if (near === undefined) return;
  if (read.flags[near] !== undefined) {
    read.faults.push({ code: 'twice', word: `--${near}` });
    return;
  }
  const isOneWord = wordsOf(near) !== undefined;
  if (isOneWord && stray !== '') read.title.push(stray);
  read.flags[near] = isOneWord || stray === '' ? value : `${value} ${stray}`;
}

function wordsIn(text: string): readonly Word[] {
  return [...text.matchAll(WORDS)].map(({ groups = {}, index, 0: whole }) => {
    const { apart, key = '', quoted, end, bare } = groups;
    return {
      text: apart ?? `${key}${quoted ?? bare ?? whole}`,
      isQuoted: quoted !== undefined && key === '',
      isApart: apart !== undefined,
      at: index,
      end: index + whole.length,
      isOpen: quoted !== undefined && end === '',
    };
  });
}

/** The name is folded; the value stays as typed. Without a name it is not an option. */
function optionIn(text: string) {
  const at = text.search(/[=\uff1d]/u);
  const head = foldTyped((at === -1 ? text : text.slice(0, at)).normalize('NFKC'));
  const { dashes = '', name = '' } = FLAG.exec(head)?.groups ?? {};
  return { dashes, name, value: at === -1 ? '' : text.slice(at + 1) };
}

/** A single dash counts only before a known or similar name: it may belong to a title. */
function isFlag({ text, isQuoted }: Word): boolean {
  if (isQuoted) return false;
  const { dashes, name } = optionIn(text);
  return name !== '' && (dashes.length > 1 || closest(name, FLAGS) !== undefined);
}

function flagNamed(name: string): Flag | undefined {
  return FLAGS.find((flag) => flag === name.toLowerCase());
}

const QUOTED = new RegExp(`^${QUOTE}((?:(?!${QUOTE})[^])*)${QUOTE}$`, 'u');

function unquoted(text: string): string {
  return QUOTED.exec(text)?.[1]?.trim() ?? text;
}

const BLANK_OR_DASH = new RegExp(String.raw`\s|^${DASH}`, 'u');

/** The command for these values, to be copied; `…` where a value has to be chosen. */
export function writeWords({ title, lines, flags }: Omit<TypedCase, 'faults'>): string {
  const written = FLAGS.flatMap((flag) => {
    const value = flags[flag];
    if (value === undefined) return [];
    return [`--${flag} ${BLANK_OR_DASH.test(value) ? `"${value}"` : value || '…'}`];
  });
  const isPlain = !wordsIn(title).some(isFlag);
  const head = title === '' ? '…' : isPlain ? title : `"${title}"`;
  const first = ['/new-case', head, ...written].join(' ');
  return lines === '' ? first : `${first}\n${lines}`;
}
