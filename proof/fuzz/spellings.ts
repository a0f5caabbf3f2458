import { wellFormed } from './mutate.ts';

/** Shorter ones occur in other texts by chance, and have too few base64 letters to be recognized. */
const LEAST = 8;

/**
 * Whether an output contains the secret: a text, or JSON that the program wrote. JSON is searched as it is read, for its
 * own escapes are no letters of a secret.
 */
export function shows(output: string, secret: string): boolean {
  return textsIn(output).some((text) => holds(text, secret));
}

/** The names and the texts of JSON, also of a record in it; another text as it is. */
function textsIn(output: string): readonly string[] {
  let read: unknown;
  try {
    read = JSON.parse(output);
  } catch {
    return [output];
  }
  return leavesOf(read);
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'data' && typeof each === 'string'
      ? [name, ...textsIn(each)]
      : [name, ...leavesOf(each)],
  );
}

/** Whether a text contains the secret, plain or in a spelling that programs use. */
export function holds(text: string, secret: string): boolean {
  if (secret.length < LEAST) return false;
  const { small, base64 } = spellingsOf(secret);
  return [text, unescapedForm(text), untaggedForm(text)].some((each) => {
    const inSmallLetters = inSmall(each);
    const inBase64 = inOneAlphabet(each);
    return (
      small.some((spelling) => inSmallLetters.includes(spelling)) ||
      base64.some((spelling) => isIn(inBase64, spelling))
    );
  });
}

/** Lower-cases only what programs write in either case: a token with other capitals is another token. */
function inSmall(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function unescapedForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Replaces invisible letters, raw or as code points, by the letters they represent. */
function untaggedForm(text: string): string {
  return text
    .replaceAll(/⟨U\+(E00[2-7][0-9A-F])⟩/g, (_, hex) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    )
    .replaceAll(/[\u{e0020}-\u{e007e}]/gu, (tag) =>
      String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000),
    );
}

interface Spellings {
  /** In lower case. */
  readonly small: readonly string[];
  readonly base64: readonly InBase64[];
}

/** The letters that may be its first one, those that are certain, and those that may be its last one. */
interface InBase64 {
  readonly first: readonly string[];
  readonly middle: string;
  readonly last: readonly string[];
}

let last: { readonly secret: string; readonly spellings: Spellings } | undefined;

function spellingsOf(secret: string): Spellings {
  if (last?.secret === secret) return last.spellings;
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const spelt = [
    secret,
    encodeURIComponent(wellFormed(secret)),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.replaceAll(/../g, '%$&'),
    [...secret].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ];
  const spellings = {
    small: [...new Set(spelt.map(inSmall))].filter((each) => each.length >= LEAST),
    base64: [0, 1, 2].map((skipped) => base64Of(bytes, skipped)),
  };
  last = { secret, spellings };
  return spellings;
}

/**
 * The base64 of these bytes, when `skipped` bytes precede them in a group of three. The first and the last letter may
 * share their bits with what precedes and follows; a text without them has lost a part.
 */
function base64Of(bytes: Buffer, skipped: number): InBase64 {
  const spare = (3 - ((skipped + bytes.length) % 3)) % 3;
  const among = (before: number, after: number) =>
    Buffer.concat([Buffer.alloc(skipped, before), bytes, Buffer.alloc(spare, after)])
      .toString('base64')
      .slice(skipped, spare === 0 ? undefined : -spare);
  return {
    first: NEIGHBOURS.map((bits) => among(bits, 0).slice(0, 1)),
    middle: among(0, 0).slice(1, -1),
    last: NEIGHBOURS.map((bits) => among(0, bits << 4).slice(-1)),
  };
}

/** The four bits at most that a letter shares with another byte. */
const NEIGHBOURS = Array.from({ length: 16 }, (_, bits) => bits);

function isIn(base64: string, { first, middle, last }: InBase64): boolean {
  for (let at = base64.indexOf(middle); at !== -1; at = base64.indexOf(middle, at + 1)) {
    const [before = '', after = ''] = [base64[at - 1], base64[at + middle.length]];
    if (first.includes(before) && last.includes(after)) return true;
  }
  return false;
}

/** base64url has two other letters. */
function inOneAlphabet(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}

/** The encodings of a token that are tried. */
export const ENCODERS: readonly [(text: string) => string, ...((text: string) => string)[]] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(`x:${text}`).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify({ token: text })),
  (text) => text.replaceAll(/[^a-z]/gi, (char) => `&#${char.charCodeAt(0)};`),
  (text) => [...text].join('\u200b'),
  (text) => text.replaceAll(/[ -~]/g, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))),
];
