/** An address in a text, and where it begins. */
interface FoundAddress {
  readonly address: string;
  readonly at: number;
}

/** The web addresses in a text, each without what belongs to the sentence or the markup around it. */
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
 * The address that begins at `at`. It ends before white space, quotes, angle brackets and the punctuation of
 * other scripts, before a bracket that it does not open, and before the marks that end a sentence; in
 * `<address|label>` before the bar.
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
  return text.slice(at, end).replace(AFTER, '');
}

/** U+00B7 is within words; U+27E8 spells what cannot be seen (`clean-line.ts`), and such an address is none. */
const ENDS = /[\s`"<>]|(?![\0-\x7f\xb7\u27e8\u27e9])[\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\u2014\u2015]/u;
const OPENERS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const CLOSED: ReadonlySet<string> = new Set(OPENERS.values());
/** Looked for where a run of such characters begins: otherwise it would be for each of them. */
const AFTER = /(?<![.,;:!?'*_~|])[.,;:!?'*_~|]+$/u;
