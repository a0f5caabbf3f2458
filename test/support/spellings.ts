import fc from 'fast-check';

/** Every byte URL-encoded. */
export function percent(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '%$&');
}

/** Every unit escaped for JSON. */
export function unicode(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Quoted-printable: every byte, in lines of at most 76. */
export function quoted(text: string): string {
  const bytes = Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '=$&');
  return bytes.replace(/.{75}/g, '$&=\r\n');
}

/** The same for everything but plain characters, in short lines. */
function quotedWhereNeeded(text: string): string {
  const escaped = text.replace(/[^ -<>-~]/gu, quoted);
  return escaped.replace(/(?:=..|.){20}/g, '$&=\n');
}

/** Tokens as services create them. */
export const secretToken = fc.oneof(
  fc
    .uint8Array({ minLength: 9, maxLength: 33 })
    .map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.uint8Array({ minLength: 8, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc.string({ minLength: 10, maxLength: 40, unit: fc.constantFrom(...'abXYZ0189-_.~') }),
  fc.string({ minLength: 10, maxLength: 40, unit: fc.constantFrom(...'abXY019-_.~%/+=') }),
);

/** Common ways to encode a text in another. */
export const ENCODERS: readonly (readonly [name: string, encode: (text: string) => string])[] = [
  ['encodeURIComponent', encodeURIComponent],
  ['encodeURI', encodeURI],
  ['quote', (text) => encodeURIComponent(text).replaceAll('%2F', '/')],
  ['form', (text) => encodeURIComponent(text).replaceAll('%20', '+')],
  ['percent', percent],
  ['percent in capitals', (text) => percent(text).toUpperCase()],
  ['percent of some', (text) => text.replace(/./gsu, (c) => (/[a-m%]/.test(c) ? percent(c) : c))],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64 in lines', (text) => inLines(Buffer.from(text).toString('base64'), '\n')],
  ['base64 in a diff', (text) => `+${inLines(Buffer.from(text).toString('base64'), '\n+')}`],
  ['base64url', (text) => Buffer.from(text).toString('base64url')],
  ['hex', (text) => Buffer.from(text).toString('hex')],
  ['quoted-printable', quotedWhereNeeded],
  ['quoted-printable wholly', quoted],
  ['unicode', unicode],
  ['json', (text) => JSON.stringify(text)],
  ['tags', tagged],
  ['html', (text) => text.replace(/[&<>"'/+=]/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`)],
];

/** In invisible letters, which are shown as code points. */
function tagged(text: string): string {
  return text.replace(/[ -~]/g, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0)));
}

const fromTag = (tag: string) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000);

function inLines(code: string, end: string): string {
  return code.replace(/.{20}/g, `$&${end}`);
}

/** Tries each decoder on the result of every other one, as an attacker would. */
export function isRecoverable(shown: string, hidden: string, depth = 4): boolean {
  if (shown.toLowerCase().includes(hidden.toLowerCase())) return true;
  if (depth === 0) return false;
  const found = DECODERS.flatMap((decode) => decode(shown)).filter((text) => text !== shown);
  return [...new Set(found)].some((text) => isRecoverable(text, hidden, depth - 1));
}

const fromHex = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

const DECODERS: readonly ((text: string) => readonly string[])[] = [
  (text) => [text.replace(/%([0-9a-f]{2})/gi, fromHex)],
  (text) => [text.replace(/\\u([0-9a-f]{4})/gi, fromHex).replace(/\\(["\\/])/g, '$1')],
  (text) => [text.replace(/&#x([0-9a-f]+);/gi, fromHex)],
  (text) => [text.replace(/[\u{e0020}-\u{e007e}]/gu, fromTag)],
  (text) => [text.replace(/=[ \t]*\r?\n/g, '').replace(/=([0-9a-f]{2})/gi, fromHex)],
  (text) => [text.replaceAll('+', ' ')],
  (text) => [text.replace(/\\n/g, '\n').replace(/\s*\n\+?\s*/g, '')],
  (text) => runs(text, /[\w+/-]{11,}/g, 'base64', [0, 1, 2, 3]),
  (text) => runs(text, /[0-9a-f]{16,}/gi, 'hex', [0, 1]),
];

function runs(
  text: string,
  run: RegExp,
  code: 'base64' | 'hex',
  skip: readonly number[],
): string[] {
  const found = text.match(run) ?? [];
  return found.flatMap((each) =>
    skip.map((at) => Buffer.from(each.slice(at), code).toString('latin1')),
  );
}
