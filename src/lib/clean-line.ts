/** Control characters, line and paragraph separators, lone surrogates, and marks that turn the text's direction. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Other people's text as one line: what is unfit becomes a space, runs of white space become one. */
export function cleanLine(text: string): string {
  return text.replace(UNFIT, ' ').replace(/\s+/gu, ' ').trim();
}

/** Whether a text is one line without anything that `cleanLine` would take out. White space may be as it likes. */
export function isFit(text: string): boolean {
  return text.search(UNFIT) === -1;
}
