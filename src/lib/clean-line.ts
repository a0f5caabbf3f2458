/** Control characters, line and paragraph separators, lone surrogates, and marks that turn the text's direction. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Other people's text as one line: what is unfit becomes a space, runs of white space become one. */
export function cleanLine(text: string): string {
  return withoutInvisible(text.replace(UNFIT, ' ')).replace(/\s+/gu, ' ').trim();
}

/** Whether a text is one line without control characters. White space may be as it likes. */
export function isFit(text: string): boolean {
  return text.search(UNFIT) === -1;
}

/** The same, but for the ends of lines and tabs. */
const UNFIT_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Other people's text in its lines: what controls or turns text is shown as �, what cannot be seen is
 * left out. So what is shown is all that there is.
 */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.replace(/\r\n?/g, '\n').replace(LINE_SEPARATOR, '\n');
  return withoutInvisible(lines.replace(UNFIT_IN_LINES, '\ufffd'));
}

/** So many marks one letter carries in any script; more of them cover the lines around it. */
const MARKS = /(\p{M}{6})\p{M}+/gu;

/** Before and after what joins the pictures of one emoji. */
const PICTURE_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const PICTURE_AFTER = /^\p{Extended_Pictographic}/u;
/** Letters whose form depends on what they are joined with. */
const JOINING_BEFORE =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Deva}\p{Script=Beng}\p{Script=Gujr}\p{Script=Guru}\p{Script=Knda}\p{Script=Mlym}\p{Script=Orya}\p{Script=Sinh}\p{Script=Taml}\p{Script=Telu}\p{Script=Khmr}\p{Script=Mymr}]$/u;
const EMOJI_BEFORE = /\p{Emoji}$/u;
const HAN_BEFORE = /\p{Script=Han}$/u;
/** What ends a line besides CR and LF. Shown as the end of one, so that `redact` has to read it so too. */
export const LINE_SEPARATOR = /[\u0085\p{Zl}\p{Zp}]/gu;
/** What nobody sees. Left out of what is shown, so that `redact` has to look past all of it too. */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;
/** Most texts: nothing in them has to be looked at. */
const PLAIN = /^[\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff]*$/;

function withoutInvisible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, keepNeeded).replace(MARKS, '$1\ufffd');
}

/** What joins signs, or chooses how the one before it looks, stays where it does so. */
function keepNeeded(sign: string, index: number, text: string): string {
  const before = text.slice(Math.max(0, index - 2), index);
  const after = text.slice(index + sign.length, index + sign.length + 2);
  const isNeeded =
    sign === '\u200d' || sign === '\u200c'
      ? JOINING_BEFORE.test(before) ||
        (sign === '\u200d' && PICTURE_BEFORE.test(before) && PICTURE_AFTER.test(after))
      : (/[\ufe0e\ufe0f]/.test(sign) && (EMOJI_BEFORE.test(before) || HAN_BEFORE.test(before))) ||
        (/[\u{e0100}-\u{e01ef}]/u.test(sign) && HAN_BEFORE.test(before));
  return isNeeded ? sign : '';
}
