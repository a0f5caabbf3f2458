/** Control characters, line and paragraph separators, lone surrogates, and marks that change the text's direction. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Starts a terminal command. */
export const ESCAPE = '\x1b';

/**
 * Sequences that only change how a terminal shows text: colours (SGR) and links (OSC 8). None of them is a shell
 * command or the start of an argument: "&" occurs only after ";;", which is a syntax error.
 */
export const TERMINAL_STYLE = new RegExp(
  [
    String.raw`\x1b\[[\d:;]*m`,
    String.raw`\x1b\]8;(?:;[\w.~:\/?#@!+,=%&\-]*|id=[\w.:\-]*;[\w.~:\/?#@!+,=%\-]*)(?:\x1b\\|\x07)`,
  ].join('|'),
  'g',
);

/**
 * Other people's text as one line, such as a name in a sentence of ours: terminal colours and invisible characters are
 * removed, unfit characters become spaces, and white space is collapsed.
 */
export function cleanLine(text: string): string {
  return withoutInvisible(unstyled(text).replace(UNFIT, ' ')).replace(/\s+/gu, ' ').trim();
}

/** Whether a text is one line without control characters. Any white space is allowed. */
export function isCleanLine(text: string): boolean {
  return text.search(UNFIT) === -1;
}

/** Invisible characters: ignored by fonts, blanks other than spaces, or noncharacters. */
const NOT_SEEN = String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufff9-\ufffc\u{13430}-\u{1343f}\u{16fe4}\u{1d159}`;
/** Removed from lines and spelled out in texts, so `redact` has to look past all of them. */
export const INVISIBLE = new RegExp(`[${NOT_SEEN}]`, 'gu');
/** Line separators in some programs, in addition to CR and LF, so `redact` has to treat them as such. */
export const LINE_SEPARATOR = /[\u0085\p{Zl}\p{Zp}]/gu;

/** Whether a text has any visible character. */
export function isSeen(text: string): boolean {
  return text.replaceAll(INVISIBLE, '').trim() !== '';
}

/** Fast path: most texts contain nothing to check. */
const PLAIN = /^[\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff]*$/;
/** More marks than a letter has in any script would cover the lines around it. */
const MARKS = /(\p{M}{6})\p{M}+/gu;
/** Starts a spelled-out character. */
const OPENING = '⟨';

/** Scripts whose letters change shape when joined. */
const JOINED = ['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya']
  .concat(['Sinh', 'Taml', 'Telu', 'Khmr', 'Mymr'])
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const LETTER = String.raw`[[[${JOINED}]&&[\p{L}\p{M}]]--[${NOT_SEEN}]]`;
const MARK = String.raw`[\p{M}--[${NOT_SEEN}]]`;

/**
 * A cheap check for sequences that may be emoji, which can contain otherwise invisible characters. The full table is
 * slow to search, and only used for these. None has more parts.
 */
const PICTURE = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?`;
const MAYBE_EMOJI = [
  String.raw`(?=\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0f\u200d])${PICTURE}(?:\u200d${PICTURE}){0,4}`,
  String.raw`[\d#*]\ufe0f\u20e3`,
  String.raw`\u{1f3f4}[\u{e0020}-\u{e007f}]{1,8}`,
].join('|');
/** Invisible characters that change the letters around them: kept. */
const JOINS_LETTERS = [
  String.raw`(?<=${LETTER}${MARK}{0,6})[\u200c\u200d](?=${LETTER})`,
  // Malayalam and Bengali letters in their older encoding, also at the end of a word.
  String.raw`(?<=[\u0d15\u0d23\u0d28\u0d30\u0d32\u0d33]\u0d4d|\u09a4\u09cd)\u200d`,
].join('|');
const SEEN_IN_WORDS = [
  JOINS_LETTERS,
  String.raw`(?<=[\p{Script=Mong}&&\p{L}])[\u180b-\u180f]`,
  String.raw`(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
].join('|');

/** Invisible characters, and those that turn, end or overwrite a line. LF and tabs are harmless. */
const IN_WORDS = finding(
  String.raw`[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}${NOT_SEEN}]--[\t\n]]`,
  SEEN_IN_WORDS,
);
/** Also blanks that look like a space. */
const IN_CODE = finding(
  String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Z}${NOT_SEEN}]--[\t\n\x20\u3000]]`,
  JOINS_LETTERS,
);

interface Finding {
  /** A fast check whether there is anything to find. */
  readonly any: RegExp;
  /** Groups: a possible emoji; the character of an invisible run; a lookalike of a spelled-out character. */
  readonly each: RegExp;
}

function finding(unseen: string, seen: string): Finding {
  // No script has more marks on a letter; more would cover the lines around it.
  const found = String.raw`${unseen}|\p{M}(?<=\p{M}{7})`;
  const alike = String.raw`${OPENING}(?=U\+)`;
  // Slow to compile, and not needed by every program.
  let any: RegExp | undefined;
  let each: RegExp | undefined;
  return {
    get any() {
      any ??= new RegExp(String.raw`${unseen}|\p{M}{7}|${alike}`, 'v');
      return any;
    },
    get each() {
      each ??= new RegExp(`(${MAYBE_EMOJI})|${seen}|(${found})\\2*|(${alike})`, 'gv');
      return each;
    },
  };
}

/** Replaces each invisible run (`unseen`), and each lookalike of a spelled-out character, with the result of `by`. */
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

/** The length of the emoji at the start of a text; without one, of its first character. */
function emojiLength(text: string): number {
  const known = EMOJI_LENGTHS.get(text);
  if (known !== undefined) return known;
  // The expression is slow to compile, and rarely needed.
  emojis ??= new RegExp(ONE_CHARACTER, 'v');
  const length = emojis.exec(text)?.[0].length ?? 1;
  if (EMOJI_LENGTHS.size === EMOJIS_MAX) EMOJI_LENGTHS.clear();
  EMOJI_LENGTHS.set(text, length);
  return length;
}

/** A text uses few different emoji, many times. */
const EMOJI_LENGTHS = new Map<string, number>();
const EMOJIS_MAX = 1_000;
const ONE_CHARACTER = String.raw`^(?:\p{RGI_Emoji}|.)`;
let emojis: RegExp | undefined;

function withoutInvisible(line: string): string {
  if (PLAIN.test(line) || !IN_WORDS.any.test(line)) return line;
  const marked = line.replace(MARKS, '$1\ufffd');
  return replaced(marked, IN_WORDS, (found, unseen) => (unseen === undefined ? found : ''));
}

/** Other people's text with its invisible characters spelled out. */
export interface Spelled {
  readonly text: string;
  /** The number of invisible characters. */
  readonly invisible: number;
  /** How many of them are shown only as �. */
  readonly unspelled: number;
  /** Terminal colours or links were removed. */
  readonly isUnstyled?: true;
}

/**
 * Text in lines: characters that are invisible, or turn or overwrite a line, are spelled out as code points, a run as
 * one: ⟨U+200B × 40⟩. ESC becomes �; terminal colours and links are removed, but their text stays. Code in the text is
 * spelled like code. Equal results mean equal texts, except for the CR of line ends and for texts with `unspelled` or
 * `isUnstyled`. Different results may still look the same: blanks other than spaces stay, and so does what joins
 * letters or emoji, even if a font does not show it.
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

/** Code blocks and inline code: spelling out adds no backticks or line breaks, so it does not change them. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]+`/gu;

/** The same for text that is executed verbatim: code, a command, a plan. */
export function spellCode(text: string): Spelled {
  return unstyledBy(text, (plain) => {
    const lines = linesOf(plain);
    return spelledOut(lines, [[lines, IN_CODE]]);
  });
}

/** Other people's text with plain line ends. */
export function linesOf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Text as one line, with single spaces. */
export function spellLine(text: string): Spelled {
  return unstyledBy(text, (plain) =>
    spelledWords(plain.replace(BLANKS, ' ').replace(/^ | $/gu, '')),
  );
}

/** `\s` without the byte order mark, which is invisible. */
const BLANKS = /(?:(?!\ufeff)[\s\u0085])+/gu;

/** Spells the text as a terminal would show it: removing a sequence may join the characters around it. */
function unstyledBy(text: string, spell: (plain: string) => Counted): Spelled {
  const plain = unstyled(text);
  return { ...spell(plain), ...(plain.length < text.length && { isUnstyled: true }) };
}

function unstyled(text: string): string {
  return text.includes(ESCAPE) ? text.replaceAll(TERMINAL_STYLE, '') : text;
}

/** Whether spelling out may make a text longer. */
export function mayGrow(text: string): boolean {
  // Everything that is spelled out in words is also spelled out in code.
  return !PLAIN.test(text) && IN_CODE.any.test(text);
}

/** With more, a text would be unreadable, and what matters must not be pushed out of sight. */
const SPELLED_MAX = 1_000;

type Counted = Omit<Spelled, 'isUnstyled'>;

type Piece = readonly [text: string, where: Finding];

function spelledOut(whole: string, pieces: readonly Piece[]): Counted {
  // Everything that is spelled out in words is also spelled out in code.
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
