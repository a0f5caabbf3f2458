/** Control characters, line and paragraph separators, lone surrogates, and marks that turn the text's direction. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Begins what a terminal carries out. */
export const ESCAPE = '\x1b';

/**
 * What only changes how a terminal shows a text: its colours (SGR), and where its links lead (OSC 8). No shell
 * takes one of them for a command: "&" only behind ";;", which none runs, and nothing that begins an argument.
 */
export const TERMINAL_STYLE = new RegExp(
  [
    String.raw`\x1b\[[\d:;]*m`,
    String.raw`\x1b\]8;(?:;[\w.~:\/?#@!+,=%&\-]*|id=[\w.:\-]*;[\w.~:\/?#@!+,=%\-]*)(?:\x1b\\|\x07)`,
  ].join('|'),
  'g',
);

/**
 * Other people's text as one line, such as a name in a sentence of ours: colours of a terminal go, what is unfit becomes a space,
 * runs of white space become one, what cannot be seen is left out.
 */
export function cleanLine(text: string): string {
  return withoutInvisible(unstyled(text).replace(UNFIT, ' ')).replace(/\s+/gu, ' ').trim();
}

/** Whether a text is one line without control characters. White space may be as it likes. */
export function isFit(text: string): boolean {
  return text.search(UNFIT) === -1;
}

/** What nobody sees: ignored by fonts, a blank that is no space, or no character at all. */
const NOT_SEEN = String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufff9-\ufffc\u{13430}-\u{1343f}\u{16fe4}\u{1d159}`;
/** Left out of lines and spelled out in texts, so that `redact` has to look past all of it. */
export const INVISIBLE = new RegExp(`[${NOT_SEEN}]`, 'gu');
/** What ends a line in some programs besides CR and LF, so that `redact` has to read it so too. */
export const LINE_SEPARATOR = /[\u0085\p{Zl}\p{Zp}]/gu;

/** Whether anything of a text can be seen. */
export function isSeen(text: string): boolean {
  return text.replaceAll(INVISIBLE, '').trim() !== '';
}

/** Most texts: nothing in them has to be looked at. */
const PLAIN = /^[\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff]*$/;
/** More marks than one letter carries in any script cover the lines around it. */
const MARKS = /(\p{M}{6})\p{M}+/gu;
/** What a character that is spelled out begins with. */
const OPENING = '⟨';

/** Scripts whose letters change their form with what joins them. */
const JOINED = ['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya']
  .concat(['Sinh', 'Taml', 'Telu', 'Khmr', 'Mymr'])
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const LETTER = String.raw`[[[${JOINED}]&&[\p{L}\p{M}]]--[${NOT_SEEN}]]`;
const MARK = String.raw`[\p{M}--[${NOT_SEEN}]]`;

/**
 * Emoji that hold what nobody sees elsewhere, and what only looks like one: a table of all of them is slow
 * to search, and is asked only about these. None has more parts.
 */
const PICTURE = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?`;
const MAYBE_EMOJI = [
  String.raw`(?=\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0f\u200d])${PICTURE}(?:\u200d${PICTURE}){0,4}`,
  String.raw`[\d#*]\ufe0f\u20e3`,
  String.raw`\u{1f3f4}[\u{e0020}-\u{e007f}]{1,8}`,
].join('|');
/** What may be seen by what it does to the characters beside it: it stays. */
const JOINS_LETTERS = [
  String.raw`(?<=${LETTER}${MARK}{0,6})[\u200c\u200d](?=${LETTER})`,
  // Letters of Malayalam and Bengali as they were written before they had code points, also at a word's end.
  String.raw`(?<=[\u0d15\u0d23\u0d28\u0d30\u0d32\u0d33]\u0d4d|\u09a4\u09cd)\u200d`,
].join('|');
const SEEN_IN_WORDS = [
  JOINS_LETTERS,
  String.raw`(?<=[\p{Script=Mong}&&\p{L}])[\u180b-\u180f]`,
  String.raw`(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
].join('|');

/** Besides what is not seen: what turns, ends or overwrites a line. LF and tabs are as they seem. */
const IN_WORDS = finding(
  String.raw`[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}${NOT_SEEN}]--[\t\n]]`,
  SEEN_IN_WORDS,
);
/** And whatever is a blank that looks like a space. */
const IN_CODE = finding(
  String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Z}${NOT_SEEN}]--[\t\n\x20\u3000]]`,
  JOINS_LETTERS,
);

interface Finding {
  /** Quick: whether there is anything to find. */
  readonly any: RegExp;
  /** Groups: what may be an emoji; the character of a run of what is not seen; what would look like one that is spelled out. */
  readonly each: RegExp;
}

function finding(unseen: string, seen: string): Finding {
  // So many marks one letter carries in any script; more of them cover the lines around it.
  const found = String.raw`${unseen}|\p{M}(?<=\p{M}{7})`;
  const alike = String.raw`${OPENING}(?=U\+)`;
  return {
    any: new RegExp(String.raw`${unseen}|\p{M}{7}|${alike}`, 'v'),
    each: new RegExp(`(${MAYBE_EMOJI})|${seen}|(${found})\\2*|(${alike})`, 'gv'),
  };
}

/** Writes what `by` says in place of each run of what is not seen (`unseen`), and of what looks spelled out. */
function replaced(
  text: string,
  { each }: Finding,
  by: (found: string, unseen: string | undefined) => string,
): string {
  let read = '';
  let from = 0;
  each.lastIndex = 0;
  for (let match = each.exec(text); match !== null; match = each.exec(text)) {
    const { 0: found, 1: emoji, 2: unseen, 3: alike, index } = match;
    if (emoji !== undefined) each.lastIndex = index + emojiLength(emoji);
    if (unseen === undefined && alike === undefined) continue;
    read += text.slice(from, index) + by(found, unseen);
    from = index + found.length;
  }
  return read + text.slice(from);
}

/** How much of a text, from its start, is one emoji; of one that is none its first character. */
function emojiLength(text: string): number {
  const known = EMOJI_LENGTHS.get(text);
  if (known !== undefined) return known;
  // All emoji take a while to compile, and most processes see no text that needs them.
  emojis ??= new RegExp(ONE_CHARACTER, 'v');
  const length = emojis.exec(text)?.[0].length ?? 1;
  if (EMOJI_LENGTHS.size === EMOJIS_MAX) EMOJI_LENGTHS.clear();
  EMOJI_LENGTHS.set(text, length);
  return length;
}

/** One text has few of them, many times. */
const EMOJI_LENGTHS = new Map<string, number>();
const EMOJIS_MAX = 1_000;
const ONE_CHARACTER = String.raw`^(?:\p{RGI_Emoji}|.)`;
let emojis: RegExp | undefined;

function withoutInvisible(line: string): string {
  if (PLAIN.test(line) || !IN_WORDS.any.test(line)) return line;
  const marked = line.replace(MARKS, '$1\ufffd');
  return replaced(marked, IN_WORDS, (found, unseen) => (unseen === undefined ? found : ''));
}

/** Other people's text as people read it: with nothing in it that they cannot see. */
export interface Spelled {
  readonly text: string;
  /** How many characters of it nobody would see. */
  readonly invisible: number;
  /** How many of them are shown as � alone. */
  readonly unspelled: number;
  /** Colours or links of a terminal are left out of it. */
  readonly isUnstyled?: true;
}

/**
 * Words in their lines: what nobody sees, and what turns or overwrites a line, is spelled out as its code
 * point, a run of the same once: ⟨U+200B × 40⟩. ESC is �; colours and links of a terminal go, and their text
 * stays. What is code in them is spelled as that. Two texts are spelled the same only if they differ in the CR
 * of their line ends alone, or if characters are unspelled or one is unstyled. They may still look the same: other blanks than a space stay, and what joins letters or emoji, also
 * where a font does not show it.
 */
export function spellWords(text: string): Spelled {
  return unstyledBy(text, spelledWords);
}

function spelledWords(text: string): Counted {
  const lines = linesOf(text);
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: code, index } of lines.matchAll(CODE)) {
    pieces.push([lines.slice(from, index), IN_WORDS], [code, IN_CODE]);
    from = index + code.length;
  }
  return spelledOut(lines, [...pieces, [lines.slice(from), IN_WORDS]]);
}

/** Fences and code in one line: what is spelled out adds no backtick and no line, and so changes neither. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]+`/gu;

/** The same of what is carried out as it is written: code, a command, a plan. */
export function spellCode(text: string): Spelled {
  return unstyledBy(text, (plain) => {
    const lines = linesOf(plain);
    return spelledOut(lines, [[lines, IN_CODE]]);
  });
}

/** Other people's text with the line ends that people see. */
export function linesOf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Words as one line, with single spaces. */
export function spellLine(text: string): Spelled {
  return unstyledBy(text, (plain) =>
    spelledWords(plain.replace(BLANKS, ' ').replace(/^ | $/gu, '')),
  );
}

/** `\s` but for the mark of an encoding, which nobody sees. */
const BLANKS = /(?:(?!\ufeff)[\s\u0085])+/gu;

/** What a terminal, too, would show is spelled: where what is left out stood may be one character then. */
function unstyledBy(text: string, spell: (plain: string) => Counted): Spelled {
  const plain = unstyled(text);
  return { ...spell(plain), ...(plain.length < text.length && { isUnstyled: true }) };
}

function unstyled(text: string): string {
  return text.includes(ESCAPE) ? text.replaceAll(TERMINAL_STYLE, '') : text;
}

/** Whether a text may become longer when it is spelled out. */
export function mayGrow(text: string): boolean {
  // What is spelled out in words is in code too.
  return !PLAIN.test(text) && IN_CODE.any.test(text);
}

/** Of more, no text is a text any more, and what matters must not be pushed out of sight. */
const SPELLED_MAX = 1_000;

type Counted = Omit<Spelled, 'isUnstyled'>;

type Piece = readonly [text: string, where: Finding];

function spelledOut(whole: string, pieces: readonly Piece[]): Counted {
  // What is spelled out in words is in code too.
  if (!mayGrow(whole)) return { text: whole, invisible: 0, unspelled: 0 };
  let spelled = 0;
  let invisible = 0;
  let unspelled = 0;
  const spell = (found: string, unseen: string | undefined) => {
    spelled += 1;
    const isSpelled = spelled <= SPELLED_MAX && unseen !== ESCAPE;
    if (unseen === undefined) return isSpelled ? codePoint(found, 1) : found;
    const count = found.length / unseen.length;
    invisible += count;
    if (isSpelled) return codePoint(unseen, count);
    unspelled += count;
    return '\ufffd'.repeat(count);
  };
  const text = pieces.map(([piece, where]) => replaced(piece, where, spell)).join('');
  return { text, invisible, unspelled };
}

function codePoint(char: string, count: number): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const times = count === 1 ? '' : ` × ${count.toLocaleString('en')}`;
  return `${OPENING}U+${hex}${times}⟩`;
}
