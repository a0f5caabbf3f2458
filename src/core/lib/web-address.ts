/** An address in a text, and its position. */
interface FoundAddress {
  readonly address: string;
  readonly at: number;
}

/** The web addresses in a text, without punctuation and markup around them. */
export function addressesIn(text: string): readonly FoundAddress[] {
  const found: FoundAddress[] = [];
  const scheme = /https?:\/\//giu;
  for (let match = scheme.exec(text); match !== null; match = scheme.exec(text)) {
    const address = addressAt(text, match.index);
    found.push({ address, at: match.index });
    scheme.lastIndex = Math.max(scheme.lastIndex, match.index + address.length);
  }
  return found;
}

/**
 * The address at `at`. Ends before white space, quotes, angle brackets, punctuation of other scripts, an unopened
 * closing bracket, and punctuation at the end of a sentence; in `<address|label>` before the bar. In a text of a
 * script without blanks, it ends before the next word.
 */
export function addressAt(text: string, at: number): string {
  const isLabelled = text[at - 1] === '<';
  const open: string[] = [];
  let end = at;
  for (; end < text.length; end += 1) {
    const sign = text.charAt(end);
    if (ENDS.test(sign) || (isLabelled && sign === '|')) break;
    const opener = OPENERS.get(sign);
    if (opener !== undefined && open.pop() !== opener) break;
    if (CLOSED.has(sign)) open.push(sign);
  }
  return withoutWords(text.slice(at, end).replace(AFTER, ''));
}

/** Scripts without blanks around words, so that the text may go on directly behind an address. */
const WORD =
  /(?<=[a-z\d])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/iu;
/** Up to the next address, nothing shows that such letters are part of a host or path. */
const ONLY_WORDS = /^[^./:?#&=%@_~-]*(?:$|:\/\/)/u;

function withoutWords(address: string): string {
  const at = address.search(WORD);
  return at !== -1 && ONLY_WORDS.test(address.slice(at)) ? address.slice(0, at) : address;
}

/**
 * U+00B7 occurs within words; U+27E8 spells out invisible characters (`clean-line.ts`), which makes an address invalid.
 */
const ENDS = /[\s`"<>]|(?![\0-\x7f\xb7\u27e8\u27e9])[\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\u2014\u2015]/u;
const OPENERS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const CLOSED: ReadonlySet<string> = new Set(OPENERS.values());
/** Matches only at the start of a run, which keeps the search linear. */
const AFTER = /(?<![.,;:!?'*_~|])[.,;:!?'*_~|]+$/u;
