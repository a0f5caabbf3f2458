import { ESCAPE, INVISIBLE, isSeen, LINE_SEPARATOR, TERMINAL_STYLE } from './clean-line.ts';

export const MASK = '[token]';

/** A decoded form of a text, one character per byte, with each byte's position in the original. */
interface Spelling {
  readonly bytes: string;
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

/** A shorter secret is searched for only verbatim and escaped: too much text decodes to a few bytes. */
const DECODED_MIN_BYTES = 6;
/** The work allowed per byte of text. A text that needs more was made to be slow, and is masked completely. */
const EFFORT = 40;
const EFFORT_MIN_BYTES = 65_536;
/** A limit for secrets that are themselves escaped repeatedly. */
const NEEDLES_MAX = 8;

/**
 * Replaces each secret with `[token]`, in every spelling that decodes to it: escaped for URLs, JSON, HTML or
 * quoted-printable, wholly or partly; as base64 or hexadecimal at any alignment and across lines; in invisible
 * characters that stand for letters; in nested encodings, in any case, with or without white space at its ends. Takes
 * linear time. Secrets without visible characters are ignored.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return redactor(secrets)(text);
}

/** `redact` for many texts. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const search = searchFor(secrets);
  return (text) => {
    const work = search(text);
    let step = work.next();
    while (step.done !== true) step = work.next();
    return step.value;
  };
}

/** The same for texts that may be long or hostile: `pause` lets other requests go on between pieces of the search. */
export function patientRedactor(
  secrets: readonly string[],
  pause: () => Promise<void>,
): (text: string) => Promise<string> {
  const search = searchFor(secrets);
  return async (text) => {
    const work = search(text);
    let bytes = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) {
      bytes += step.value;
      if (bytes < PIECE_BYTES) continue;
      bytes = 0;
      await pause();
    }
    return step.value;
  };
}

/** Takes a few milliseconds. */
const PIECE_BYTES = 65_536;

/** A search yields after each piece how many bytes it read, and returns the redacted text. */
type Search = (text: string) => Generator<number, string>;

function searchFor(secrets: readonly string[]): Search {
  const seen = secrets.filter(isSeen);
  const [secret = ''] = seen;
  const isPossible = seen.length === 1 ? plainSearch(secret) : undefined;
  let search: Search | undefined;
  return function* (text) {
    if (seen.length === 0 || isPossible?.(text) === false) return text;
    search ??= thoroughSearch(seen);
    return yield* search(text);
  };
}

/**
 * Whether a text may contain a plain secret, which most do not. Every spelling of it is a disguise, or contains the
 * longest run of its letters and digits. undefined: this secret needs the thorough search.
 */
function plainSearch(secret: string): ((text: string) => boolean) | undefined {
  // Its first two digits can be misread as an escape, which makes it shorter.
  const shortest = secret.length - 2;
  if (shortest < DECODED_MIN_BYTES || !PLAIN.test(secret)) return undefined;
  const isDisguise = disguiseOf(shortest);
  const runs = secret
    .slice(2)
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const [run = ''] = runs.toSorted((a, b) => b.length - a.length);
  return (text) => isDisguise(text) || text.toLowerCase().includes(run);
}

function thoroughSearch(secrets: readonly string[]): Search {
  const trimmed = secrets.map((secret) => secret.trim());
  const forms = trimmed.flatMap((secret) => [secret, secret.replaceAll(INVISIBLE, '').trim()]);
  const needles = [...new Set([...new Set(forms)].flatMap(needlesOf))];
  const shortest = Math.min(...needles.map((needle) => needle.length));
  const isDisguise = disguiseOf(shortest);
  return function* (text) {
    if (!isDisguise(text) && !isIn(fold(text), needles)) return text;
    const hits = yield* hitsIn(textSpellings(text), needles, shortest);
    return hits === undefined ? MASK : masked(text, hits);
  };
}

/**
 * Whether a text may contain a needle of `shortest` bytes in another spelling: non-ASCII characters, the start of an
 * escape, or a run of base64 or hexadecimal digits. Most texts have none.
 */
function disguiseOf(shortest: number): (text: string) => boolean {
  if (shortest < DECODED_MIN_BYTES) return (text) => ESCAPED.test(text);
  const onOneLine = digitsOnOneLine(digitsFor(shortest));
  return (text) =>
    ESCAPED.test(text) ||
    (LINE_END.test(text) ? !runsIn(text, shortest).next().done : onOneLine.test(text));
}

function digitsOnOneLine(count: number): RegExp {
  const known = ON_ONE_LINE.get(count) ?? new RegExp(`[\\w+/-]{${count}}`);
  ON_ONE_LINE.set(count, known);
  return known;
}

/** Most secrets are of a few lengths. */
const ON_ONE_LINE = new Map<number, RegExp>();

const ESCAPED = new RegExp(
  String.raw`\P{ASCII}|[%&\\${ESCAPE}]|=(?:[\dA-Fa-f]{2}|[ \t]*[\r\n])`,
  'u',
);
const LINE_END = /[\r\n]/;

/** Base64 digits for this many bytes; hexadecimal takes more. */
function digitsFor(bytes: number): number {
  return Math.ceil((bytes * 8) / 6);
}

function isIn(folded: string, needles: readonly string[]): boolean {
  return needles.some((needle) => folded.includes(needle));
}

/** [from, to) in the original text. */
type Hit = readonly [from: number, to: number];

/** Every place that decodes to a needle; undefined when the search takes too long. */
function* hitsIn(
  shown: readonly Spelling[],
  needles: readonly string[],
  shortest: number,
): Generator<number, Hit[] | undefined> {
  const hits: Hit[] = [];
  const spellings: (() => Spelling | undefined)[] = shown.map((each) => () => each);
  let effort = shown.reduce((sum, { bytes }) => sum + EFFORT * bytes.length, EFFORT_MIN_BYTES);
  for (let next = spellings.pop(); next !== undefined; next = spellings.pop()) {
    const spelling = next();
    if (spelling === undefined) continue;
    effort -= spelling.bytes.length;
    if (effort < 0) return undefined;
    for (const needle of needles) addHits(hits, needle, spelling);
    spellings.push(...plainer(spelling));
    if (shortest >= DECODED_MIN_BYTES) spellings.push(...decoded(spelling, shortest));
    yield spelling.bytes.length;
  }
  return hits;
}

function addHits(hits: Hit[], needle: string, { bytes, from, to }: Spelling): void {
  const folded = fold(bytes);
  let at = folded.indexOf(needle);
  while (at !== -1) {
    hits.push([from[at] ?? 0, to[at + needle.length - 1] ?? 0]);
    at = folded.indexOf(needle, at + needle.length);
  }
}

function masked(text: string, hits: readonly Hit[]): string {
  let shown = '';
  let done = 0;
  for (const [from, to] of hits.toSorted(([a], [b]) => a - b)) {
    // A hit that overlaps the previous one is masked with it.
    if (from >= done) shown += text.slice(done, from) + MASK;
    done = Math.max(done, to);
  }
  return shown + text.slice(done);
}

/** What to search for: the secret, what its own escapes decode to, and both in each base64 alphabet. */
function needlesOf(secret: string): string[] {
  if (PLAIN.test(secret)) return alphabetsOf(secret);
  const stages = [spellingOf(secret, utf8)];
  for (const stage of stages) {
    if (stages.length >= NEEDLES_MAX) break;
    const plain = plainer(stage).flatMap((read) => read() ?? []);
    stages.push(...plain.filter(({ bytes }) => bytes.length >= DECODED_MIN_BYTES));
  }
  return stages.flatMap(({ bytes }) => alphabetsOf(bytes));
}

/** ASCII without escapes: it decodes to nothing else. */
const PLAIN = /^[\w.~+/-]+$/;

/** The bytes in each base64 alphabet, and misread as an escape after a "=". */
function alphabetsOf(bytes: string): string[] {
  const unpadded = bytes.replace(/(?<!=)=+$/, '');
  const value = unpadded.length < DECODED_MIN_BYTES ? bytes : unpadded;
  const standard = value.replaceAll('-', '+').replaceAll('_', '/');
  const urlSafe = value.replaceAll('+', '-').replaceAll('/', '_');
  // After a "=" in the text, its first two digits look like an escape.
  const misread = bytes.replace(/^[0-9a-f]{2}/i, (digits) => meaningOf({ byte: digits }) ?? '');
  return [bytes, misread, value, standard, urlSafe].map(fold);
}

/** Ignores case; a plus or line break may stand for a space. */
function fold(bytes: string): string {
  return bytes.toLowerCase().replaceAll(/[+\r\n]/g, ' ');
}

/** The text without invisible characters and, if it has any, also with them. */
function textSpellings(text: string): Spelling[] {
  const without = spellingOf(text, (char) => utf8(char.replace(INVISIBLE, '')));
  return text.search(INVISIBLE) === -1 ? [without] : [without, spellingOf(text, utf8)];
}

/** The bytes of each character, according to `read`, with every line end as one. */
function spellingOf(text: string, read: (char: string) => string): Spelling {
  let bytes = '';
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const char of text) {
    const end = at + char.length;
    const added = char < '\x80' ? char : read(char.replace(LINE_SEPARATOR, '\n'));
    for (let byte = 0; byte < added.length; byte++) {
      from.push(at);
      to.push(end);
    }
    bytes += added;
    at = end;
  }
  return { bytes, from, to };
}

function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const ESCAPES = new RegExp(
  [
    '(?:%|\\\\x)(?<byte>[0-9a-f]{2})',
    '\\\\u(?<high>d[89ab][0-9a-f]{2})\\\\u(?<low>d[c-f][0-9a-f]{2})',
    '[%\\\\]u(?<unit>[0-9a-f]{4})',
    '(?:\\\\u\\{|&#x)0*(?<point>[0-9a-f]{1,6})[};]',
    '&#0*(?<decimal>[0-9]{1,7});',
    '&(?<name>[a-z]{2,6});',
    '\\\\(?<char>["\'/\\\\bfnrt])',
    // In UTF-8: tag characters and variation selectors.
    '(?<unseen>\\xf3\\xa0[\\x80\\x81\\x84-\\x87][\\x80-\\xbf]|\\xef\\xb8[\\x80-\\x8f])',
  ].join('|'),
  'gi',
);

/** Every escape starts with one of these. */
const ESCAPE_BEGINS = /[%&\\\xef\xf3]/;

/**
 * Quoted-printable; a line break after "=" is dropped. Requires text on at least one side: escapes that occur by chance
 * in other data are not worth decoding everything again.
 */
const QUOTED =
  /(?:(?<![^\t\n\r -~].{0,2})|(?!=...{0,2}[^\t\n\r -~]))=(?:(?<byte>[0-9a-f]{2})|(?<end>[ \t]*(?:\r\n?|\n)))/gis;

/** Terminal styles are removed where the text is shown. */
const STYLE = new RegExp(`(?<end>${TERMINAL_STYLE.source})`, 'g');

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  sol: '/',
  plus: '+',
  equals: '=',
  percnt: '%',
  lowbar: '_',
  period: '.',
  colon: ':',
  comma: ',',
  semi: ';',
  num: '#',
  commat: '@',
  bsol: '\\',
};

/** One level of unescaping. Quoted-printable is a separate spelling, because "=" is usually not an escape. */
function plainer(spelling: Spelling): (() => Spelling | undefined)[] {
  const { bytes } = spelling;
  // Most texts contain no escapes, and the full search is slow.
  return [
    ...(ESCAPE_BEGINS.test(bytes) ? [() => unescaped(spelling, ESCAPES)] : []),
    ...(bytes.includes('=') ? [() => unescaped(spelling, QUOTED)] : []),
    ...(bytes.includes(ESCAPE) ? [() => unescaped(spelling, STYLE)] : []),
  ];
}

/** Decodes all of these escapes once; undefined when there are none. */
function unescaped({ bytes, from, to }: Spelling, escapes: RegExp): Spelling | undefined {
  const plain: string[] = [];
  // An escape is never shorter than what it decodes to.
  const starts = new Int32Array(bytes.length);
  const ends = new Int32Array(bytes.length);
  let length = 0;
  let done = 0;
  const add = (text: string, first: number, last: number, each: 0 | 1) => {
    plain.push(text);
    for (let at = 0; at < text.length; at++, length++) {
      starts[length] = from[first + at * each] ?? 0;
      ends[length] = to[last + at * each] ?? 0;
    }
  };
  for (const { 0: written, index, groups = {} } of bytes.matchAll(escapes)) {
    const meant = meaningOf(groups);
    if (meant === undefined || isParameter(written, bytes.slice(Math.max(0, index - 17), index))) {
      continue;
    }
    add(bytes.slice(done, index), done, done, 1);
    done = index + written.length;
    add(meant, index, done - 1, 0);
  }
  if (done === 0) return undefined;
  add(bytes.slice(done), done, done, 1);
  return { bytes: plain.join(''), from: starts, to: ends };
}

/** The "=" after a parameter's name is not an escape. */
function isParameter(written: string, before: string): boolean {
  return written.startsWith('=') && /[?&]\w{1,16}$/.test(before);
}

function meaningOf(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const { byte, high, low, unit, point, decimal, name, char, unseen, end } = groups;
  if (end !== undefined) return '';
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
  if (high !== undefined && low !== undefined) {
    return utf8(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
  }
  if (unseen !== undefined) return unseenMeaning(Buffer.from(unseen, 'latin1').toString());
  if (name !== undefined) return ENTITIES[name.toLowerCase()];
  if (char !== undefined) return CONTROLS[char.toLowerCase()] ?? char;
  const code = decimal === undefined ? Number.parseInt(unit ?? point ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? utf8(String.fromCodePoint(code)) : undefined;
}

/** After a backslash. */
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', b: ' ', f: ' ', t: ' ' };

/** Tag characters stand for ASCII, and each of the 256 variation selectors for a byte. */
function unseenMeaning(char: string): string | undefined {
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xe0020 && code <= 0xe007e) return String.fromCharCode(code - 0xe0000);
  if (code >= 0xfe00 && code <= 0xfe0f) return String.fromCharCode(code - 0xfe00);
  if (code >= 0xe0100 && code <= 0xe01ef) return String.fromCharCode(code - 0xe0100 + 16);
  return undefined;
}

/**
 * Base64 digits of either alphabet, and the gap after them. A single plus or minus, as on an empty line of a diff,
 * belongs to the gap.
 */
const PIECES = /(?<digits>[\w+/-]+)(?<gap>[^\w+/-]*(?:[+-](?![\w+/-])[^\w+/-]*)*)/g;

/** Pieces of one encoded text, which may continue on the next line after any indentation or quoting. */
interface Run {
  readonly pieces: readonly { readonly digits: string; readonly index: number }[];
}

/** Runs of base64 or hexadecimal digits that may contain this many bytes. */
function* runsIn(bytes: string, minBytes: number): Generator<Run> {
  const least = digitsFor(minBytes);
  let pieces: { digits: string; index: number }[] = [];
  let length = 0;
  for (const { index, groups: { digits = '', gap = '' } = {} } of bytes.matchAll(PIECES)) {
    pieces.push({ digits, index });
    length += digits.length;
    if (LINE_END.test(gap)) continue;
    if (length >= least) yield { pieces };
    pieces = [];
    length = 0;
  }
  if (length >= least) yield { pieces };
}

/** The run as it is, and without the `+` or `-` at the start of diff lines, which may also be digits. */
function readingsOf({ pieces }: Run): Run[] {
  const unmarked = pieces.map(({ digits, index }, at) => {
    const isMarked = at > 0 && /^[+-]/.test(digits);
    return isMarked ? { digits: digits.slice(1), index: index + 1 } : { digits, index };
  });
  const hasMarks = unmarked.some(({ index }, at) => index !== pieces[at]?.index);
  return hasMarks ? [{ pieces }, { pieces: unmarked }] : [{ pieces }];
}

/** Decodes runs of base64 and hexadecimal digits, also across lines. */
function decoded(spelling: Spelling, minBytes: number): (() => Spelling)[] {
  const hex = new RegExp(`[0-9a-f]{${minBytes * 2},}`, 'gi');
  return [...runsIn(spelling.bytes, minBytes)].flatMap(readingsOf).flatMap(({ pieces }) => {
    const digits = pieces.map((piece) => piece.digits).join('');
    const places = new Int32Array(digits.length);
    let at = 0;
    for (const piece of pieces) {
      for (let each = 0; each < piece.digits.length; each++) places[at++] = piece.index + each;
    }
    const inHex = [...digits.matchAll(hex)].flatMap(({ 0: run, index }) =>
      decodedRun(spelling, run, places.subarray(index), 'hex', 4),
    );
    return [...decodedRun(spelling, digits, places, 'base64', 6), ...inHex];
  });
}

/**
 * The encoded text may start anywhere in a run, also within a group whose first digits are missing: decodes at every
 * distinct alignment, with some digits put before the run.
 */
function decodedRun(
  { from, to }: Spelling,
  digits: string,
  places: Int32Array,
  code: 'base64' | 'hex',
  bitsEach: number,
): (() => Spelling)[] {
  const alignments = bitsEach === 6 ? [0, 1, 2, 3] : [0, 1];
  return alignments.map((added) => () => {
    const bytes = Buffer.from(`${'A'.repeat(added)}${digits}`, code).toString('latin1');
    const placeOf = (bit: number) => places[Math.max(0, Math.floor(bit / bitsEach) - added)] ?? 0;
    const starts = new Int32Array(bytes.length);
    const ends = new Int32Array(bytes.length);
    for (let at = 0; at < bytes.length; at++) {
      starts[at] = from[placeOf(at * 8)] ?? 0;
      ends[at] = to[placeOf(at * 8 + 7)] ?? 0;
    }
    return { bytes, from: starts, to: ends };
  });
}
