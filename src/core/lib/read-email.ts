import { INVISIBLE, isFit } from './clean-line.ts';

/** An e-mail address as somebody wrote it. */
interface WrittenEmail {
  /** Alone, composed (NFC). Not checked: see `emailProblem`. */
  readonly address: string;
  /** Whether a name stood before it. */
  readonly isNamed: boolean;
}

const IN_BRACKETS = /^([^<>]*)<([^<>]*)>$/u;
/** Of a link: what follows is a subject, or what Slack shows of it. */
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

/** What is no address at all. */
export const NO_EMAIL = 'must be an e-mail address';

/**
 * The rule that an address breaks, after the name of its field in a sentence; null: none. Never the address. It is
 * compared, and in an account it stays: each of its characters has to be the one that it looks like.
 */
export function emailProblem(address: string): string | null {
  if (address.search(INVISIBLE) !== -1 || !isFit(address)) {
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

/** Whatever a system may call a robot, a guest or a local account; nothing that a list, a name or a link is made with. */
const FORM = /^[^\s@()<>,;:\\"]+@[^\s@()<>,;:\\".]+(?:\.[^\s@()<>,;:\\".]+)*$/u;

/** What word processors put in place of the signs on the keyboard, and pictures. A blank is for `FORM` to find. */
const STRANGE_SIGN = /[^\p{ASCII}\p{L}\p{M}\p{N}]/u;

/** Alphabets that share shapes, and what else is written with each: Chinese, Japanese and Korean together with Latin. */
const ALPHABETS = [
  alphabet('Latn', ['Hani', 'Hira', 'Kana', 'Hang', 'Bopo']),
  alphabet('Cyrl'),
  alphabet('Grek'),
] as const;

function alphabet(script: string, beside: readonly string[] = []) {
  const allowed = [script, ...beside].map((each) => String.raw`\p{scx=${each}}`).join('');
  return {
    own: new RegExp(String.raw`\p{sc=${script}}`, 'u'),
    others: new RegExp(String.raw`[\p{L}--[${allowed}]]`, 'v'),
  };
}

/** Cyrillic, Greek and Armenian letters that can be taken for Latin ones. */
const LIKE_LATIN =
  /^[\p{ASCII}\p{M}асеһіїјӏорѕухԁԛԝүАВЕЅІЇЈКМНОРСТУХҺԚԜαικνορυχϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϲօսոհցքՕՍ]+$/u;

/** Between dots, as names of hosts are judged: in one of them either alphabets are mixed, or all letters only look Latin beside Latin ones. */
function isMixed(address: string): boolean {
  const hasLatin = /\p{sc=Latn}/u.test(address);
  return address.split(/[@.]/u).some((part) => {
    const isOfTwo = ALPHABETS.some(({ own, others }) => own.test(part) && others.test(part));
    return isOfTwo || (hasLatin && /[^\p{ASCII}]/u.test(part) && LIKE_LATIN.test(part));
  });
}
