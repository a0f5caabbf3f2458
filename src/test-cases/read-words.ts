import { TITLE_MAX } from './form-view.ts';

/** What people write after `/new-case`. */
export type CaseWords =
  | { readonly kind: 'help' }
  /** Without flags: the modal, with a title or without. */
  | { readonly kind: 'form'; readonly title: string }
  /** With flags: created at once. Values as they were typed. */
  | { readonly kind: 'create'; readonly title: string; readonly flags: Flags }
  | { readonly kind: 'fault'; readonly fault: WordsFault };

export const FLAGS = ['priority', 'type', 'suite', 'project'] as const;
type Flag = (typeof FLAGS)[number];
type Flags = Readonly<Partial<Record<Flag, string>>>;

/** What is not understood, and the word that it is about. */
export type WordsFault =
  | { readonly code: 'unknown-flag'; readonly word: string }
  | { readonly code: 'no-value'; readonly word: string }
  | { readonly code: 'twice'; readonly word: string }
  | { readonly code: 'stray'; readonly word: string }
  | { readonly code: 'open-quote'; readonly word: string }
  | { readonly code: 'no-title'; readonly word: string }
  | { readonly code: 'long-title'; readonly word: string };

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
  /** Where it begins. */
  readonly at: number;
  readonly isOpen: boolean;
}

/** A quoted run may hold spaces; telephones write curly quotes. */
const WORDS = /(?<key>[-–—]+[^\s=]+=)?(?:["“”](?<quoted>[^"“”]*)(?<end>["“”]?)|(?<bare>\S+))/gu;
const FLAG = /^(?:--|–|—)(?<name>[\p{L}][\p{L}\p{N}-]*)(?:=(?<value>.*))?$/su;

/**
 * Reads `Title words --priority high --suite "Big smoke"`. The title is what stands before the first
 * flag, to the letter. Slack's own escapes are undone.
 */
export function readWords(escaped: string): CaseWords {
  const text = unescaped(escaped).trim();
  if (text.toLowerCase() === 'help') return { kind: 'help' };
  const words = wordsIn(text);
  const first = words.findIndex(isFlag);
  if (first === -1) return { kind: 'form', title: text };
  const title = unquoted(text.slice(0, words[first]?.at).trim());
  const read = readFlags(words.slice(first));
  if ('code' in read) return { kind: 'fault', fault: read };
  if (title === '') return { kind: 'fault', fault: { code: 'no-title', word: '' } };
  if (title.length > TITLE_MAX) return { kind: 'fault', fault: { code: 'long-title', word: '' } };
  return { kind: 'create', title, flags: read };
}

function readFlags(words: readonly Word[]): Flags | WordsFault {
  const flags: Partial<Record<Flag, string>> = {};
  let present: Flag | undefined;
  for (const word of words) {
    if (word.isOpen) return { code: 'open-quote', word: word.text };
    if (!isFlag(word)) {
      if (present === undefined || flags[present] !== undefined) {
        return { code: 'stray', word: word.text };
      }
      if (word.text.trim() === '') return { code: 'no-value', word: `--${present}` };
      flags[present] = word.text.trim();
      continue;
    }
    if (present !== undefined && flags[present] === undefined) {
      return { code: 'no-value', word: `--${present}` };
    }
    const { name = '', value } = FLAG.exec(word.text)?.groups ?? {};
    const flag = flagNamed(name);
    if (flag === undefined) return { code: 'unknown-flag', word: `--${name}` };
    if (flags[flag] !== undefined) return { code: 'twice', word: `--${flag}` };
    present = flag;
    if (value !== undefined && value.trim() !== '') flags[flag] = value.trim();
  }
  if (present !== undefined && flags[present] === undefined) {
    return { code: 'no-value', word: `--${present}` };
  }
  return flags;
}

function wordsIn(text: string): readonly Word[] {
  return [...text.matchAll(WORDS)].map(({ groups = {}, index, 0: whole }) => {
    const { key = '', quoted, end, bare } = groups;
    return {
      text: `${key}${quoted ?? bare ?? whole}`,
      isQuoted: quoted !== undefined && key === '',
      at: index,
      isOpen: quoted !== undefined && end === '',
    };
  });
}

/** A dash that a telephone made of two counts only before a name that is known: it may belong to a title. */
function isFlag({ text, isQuoted }: Word): boolean {
  if (isQuoted) return false;
  const name = FLAG.exec(text)?.groups?.name;
  return name !== undefined && (text.startsWith('--') || flagNamed(name) !== undefined);
}

function flagNamed(name: string): Flag | undefined {
  return FLAGS.find((flag) => flag === name.toLowerCase());
}

function unquoted(text: string): string {
  return /^["“”]([^"“”]*)["“”]$/u.exec(text)?.[1]?.trim() ?? text;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
