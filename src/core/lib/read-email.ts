import { INVISIBLE, isCleanLine } from './clean-line.ts';

/** An e-mail address as somebody wrote it. */
interface WrittenEmail {
  /** Only the address, composed (NFC). Not validated: see `emailProblem`. */
  readonly address: string;
  /** Whether a name precedes it. */
  readonly isNamed: boolean;
}

const IN_BRACKETS = /^([^<>]*)<([^<>]*)>$/u;
/** In a link, the address ends before a subject or Slack's label. */
const LINK = /^mailto:([^?|]*)/iu;

/** Reads `ana@example.com`, `<ana@example.com>`, `Ana <ana@example.com>`, `mailto:ana@example.com` and Slack's links. */
export function readEmail(text: string): WrittenEmail {
  const whole = text.trim();
  const [, name = '', inside = whole] = IN_BRACKETS.exec(whole) ?? [];
  const linked = LINK.exec(inside.trim())?.[1];
  const address = linked === undefined ? inside : decoded(linked);
  return { address: address.trim().normalize('NFC'), isNamed: name.trim() !== '' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The text is not an address at all. */
export const NO_EMAIL = 'must be an e-mail address';

/**
 * The rule that an address breaks, to follow a field's name; null: none. Does not contain the address. Addresses are
 * compared and stay in accounts, so each character has to be what it looks like.
 */
export function emailProblem(address: string): string | null {
  if (address.search(INVISIBLE) !== -1 || !isCleanLine(address)) {
    return 'must not contain invisible characters: type it again';
  }
  if (address.normalize('NFKC') !== address || STRANGE_SIGN.test(address)) {
    return 'must not contain full-width letters, or signs that are not on the keyboard: type it again';
  }
  if (!FORM.test(address)) return NO_EMAIL;
  if (isMixed(address)) {
    return 'must not contain letters that look like those of another alphabet: type it again';
  }
  return null;
}

/** Allows for names that systems give to robots, guests and local accounts, but not for lists, names or links. */
const FORM = /^[^\s@()<>,;:\\"]+@[^\s@()<>,;:\\".]+(?:\.[^\s@()<>,;:\\".]+)*$/u;

/** Signs that word processors substitute, and pictures. `FORM` excludes blanks. */
const STRANGE_SIGN = /[^\p{ASCII}\p{L}\p{M}\p{N}]/u;

/** Alphabets with look-alike letters, and what each is mixed with: Chinese, Japanese and Korean go with Latin. */
const ALPHABETS: readonly (readonly [string, ...string[]])[] = [
  ['Latn', 'Hani', 'Hira', 'Kana', 'Hang', 'Bopo'],
  ['Cyrl'],
  ['Grek'],
];
/** Slow to compile, and rarely needed. */
let alphabets: readonly ReturnType<typeof alphabet>[] | undefined;

function alphabet([script, ...beside]: readonly [string, ...string[]]) {
  const allowed = [script, ...beside].map((each) => String.raw`\p{scx=${each}}`).join('');
  return {
    own: new RegExp(String.raw`\p{sc=${script}}`, 'u'),
    others: new RegExp(String.raw`[\p{L}--[${allowed}]]`, 'v'),
  };
}

/** Cyrillic, Greek and Armenian letters that look like Latin ones. */
const LIKE_LATIN =
  /^[\p{ASCII}\p{M}асеһіїјӏорѕухԁԛԝүАВЕЅІЇЈКМНОРСТУХҺԚԜαικνορυχϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϲօսոհցքՕՍ]+$/u;

/**
 * Checked between dots, like host names: a part mixes alphabets, or consists of Latin look-alikes next to Latin parts.
 */
function isMixed(address: string): boolean {
  if (/^\p{ASCII}*$/u.test(address)) return false;
  alphabets ??= ALPHABETS.map(alphabet);
  const known = alphabets;
  const hasLatin = /\p{sc=Latn}/u.test(address);
  return address.split(/[@.]/u).some((part) => {
    const isOfTwo = known.some(({ own, others }) => own.test(part) && others.test(part));
    return isOfTwo || (hasLatin && /[^\p{ASCII}]/u.test(part) && LIKE_LATIN.test(part));
  });
}
