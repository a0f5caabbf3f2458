import { wellFormed } from './mutate.ts';

/** Shorter ones stand in other texts by chance, and in base64 as too few letters to tell. */
const LEAST = 8;

/** Whether a text holds the secret, plain or as programs spell it in other texts. */
export function holds(text: string, secret: string): boolean {
  if (secret.length < LEAST) return false;
  const texts = [text, unescapedForm(text)];
  return texts.some((each) => {
    const small = inSmall(each);
    return spellingsOf(secret).some((spelling) => small.includes(spelling));
  });
}

/** Only what programs write in both: a token with other letters in capitals is another token. */
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

let last: { readonly secret: string; readonly spellings: readonly string[] } | undefined;

/** In small letters. */
function spellingsOf(secret: string): readonly string[] {
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
    // At the three places where it may begin in a run of three bytes, without the letters that others share.
    ...[0, 1, 2].map((skipped) =>
      Buffer.concat([Buffer.alloc(skipped), bytes])
        .toString('base64')
        .slice(skipped === 0 ? 0 : 4, -4),
    ),
  ];
  const spellings = [...new Set(spelt.map(inSmall))].filter((each) => each.length >= LEAST);
  last = { secret, spellings };
  return spellings;
}

/** The ways to hide a token in another text that are tried. */
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
];
