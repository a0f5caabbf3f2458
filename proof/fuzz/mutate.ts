import type { Chance } from '../simulation/chance.ts';

/**
 * Changes valid input a little: input that is wrong everywhere is refused by the first check, and tests nothing behind
 * it.
 */

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A copy in which one to four parts are changed, removed, moved, duplicated or renamed. */
export function spoiledValue(value: unknown, chance: Chance): unknown {
  // as: fuzzed values are JSON
  const root: { value: Json } = { value: structuredClone(value) as Json };
  for (let count = chance.whole(1, 4); count > 0; count -= 1) spoilOnce(root, chance);
  return root.value;
}

interface Place {
  readonly holder: Json[] | { [name: string]: Json };
  readonly key: string | number;
}

function spoilOnce(root: { value: Json }, chance: Chance): void {
  const places: Place[] = [];
  collect(root, places);
  const place = chance.pick(places);
  const other = chance.pick(places);
  if (place === undefined || other === undefined) return;
  put(place, inPlaceOf(valueAt(place) ?? null, valueAt(other), chance));
}

/** undefined: it is left out. */
function inPlaceOf(value: Json, other: Json | undefined, chance: Chance): Json | undefined {
  switch (chance.whole(0, 8)) {
    case 0:
      return undefined;
    case 1:
      return structuredClone(other);
    case 2:
      return [value];
    case 3:
      return { [chance.pick(NAMES)]: value };
    case 4:
      if (Array.isArray(value)) return [...value, ...structuredClone(value).slice(0, 200)];
      if (typeof value !== 'object' || value === null) return odd(chance);
      return { ...value, [chance.often(0.5) ? chance.pick(NAMES) : oddText(chance)]: odd(chance) };
    case 5:
    case 6:
      return typeof value === 'string' ? spoiledText(value, chance) : odd(chance);
    default:
      return odd(chance);
  }
}

function collect(holder: Json[] | { [name: string]: Json }, places: Place[]): void {
  for (const [key, value] of Object.entries(holder)) {
    places.push({ holder, key: Array.isArray(holder) ? Number(key) : key });
    if (typeof value === 'object' && value !== null && places.length < 2_000)
      collect(value, places);
  }
}

function valueAt({ holder, key }: Place): Json | undefined {
  return Array.isArray(holder) ? holder[Number(key)] : holder[key];
}

function put({ holder, key }: Place, value: Json | undefined): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1, ...(value === undefined ? [] : [value]));
  else if (value === undefined) delete holder[key];
  else if (Object.hasOwn(holder, key)) holder[key] = value;
}

/** Names with a special meaning somewhere. */
const NAMES = [
  ...['constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'length', ''],
  ...['id', 'type', 'token', 'key', 'value', 'data', 'status', 'text', 'blocks', 'user', 'channel'],
  ...['0', 'a/b~c', 'ünï', '\u0000', 'a'.repeat(300)],
] as const;

const VALUES: readonly [Json, ...Json[]] = [
  null,
  ...[true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 5e-324, 4_294_967_296],
  ...[
    '',
    ' ',
    '0',
    'null',
    '[]',
    '{}',
    '-1',
    'NaN',
    '1e999',
    '2026-02-30T25:61:61Z',
    '9'.repeat(40),
  ],
  [],
  {},
  [[]],
  [null],
  { '': null },
];

function odd(chance: Chance): Json {
  return chance.often(0.5) ? structuredClone(chance.pick(VALUES)) : oddText(chance);
}

const PIECES = [
  ...[
    '\u0000',
    '\ud800',
    '\udfff',
    '\ufeff',
    '\u202e',
    '\u2028',
    '\u200b',
    '\r\n',
    '\t',
    '\u0085',
    '\u001b[31m',
  ],
  ...[
    '😀',
    'e\u0301',
    '\u{e0001}',
    'İ',
    'ß',
    'ﬀ',
    '\uffff',
    '%',
    '%00',
    '%zz',
    '%25',
    '../',
    '..',
    '/',
    '\\',
  ],
  ...[
    '<!channel>',
    '<@U0ANA>',
    '<https://example.com|x>',
    '&lt;',
    '```',
    '*',
    '`',
    '"',
    "'",
    '{{',
    '$&',
  ],
  ...[
    '[token]',
    '\\u0041',
    '&#65;',
    '=cmd',
    ',',
    ';',
    ':',
    '|',
    '--',
    '-',
    '#',
    '?',
    '&',
    '=',
    '@',
  ],
] as const;

/** Sometimes very long. */
export function oddText(chance: Chance): string {
  const piece = chance.pick(PIECES);
  if (chance.often(0.06)) return piece.repeat(chance.whole(1_000, 30_000)).slice(0, 40_000);
  let text = '';
  for (let count = chance.whole(1, 4); count > 0; count -= 1) {
    text += chance.often(0.5)
      ? chance.pick(PIECES)
      : chance.bytes(chance.whole(1, 9)).toString('latin1');
  }
  return text;
}

/** A text with something inserted, removed, duplicated or cut off. */
export function spoiledText(text: string, chance: Chance): string {
  const at = chance.whole(0, text.length);
  const to = Math.min(text.length, at + chance.whole(1, 12));
  switch (chance.whole(0, 5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(to);
    case 2:
      return text.slice(0, to) + text.slice(at, to).repeat(chance.whole(1, 50)) + text.slice(to);
    case 3:
      return text + oddText(chance);
    default:
      return text.slice(0, at) + oddText(chance) + text.slice(chance.often(0.5) ? at : to);
  }
}

/** The JSON of a value, sometimes written unusually, cut off, or nested very deeply. */
export function writtenJson(value: unknown, chance: Chance): string {
  const text = JSON.stringify(value) ?? '';
  if (chance.often(0.7)) return text;
  const opening = [...text.matchAll(/[{,]"/g)].map(({ index }) => index);
  const at = chance.pick(opening);
  switch (chance.whole(0, 7)) {
    case 0:
      return spoiledText(text, chance);
    case 1:
    case 2: {
      if (at === undefined) return text;
      const name = chance.pick(['__proto__', 'constructor', 'token', 'title', 'id', 'type']);
      const member = `"${name}":${chance.pick(['{"isAdmin":true}', '"x"', 'null', '1'])}`;
      return text[at] === '{'
        ? `${text.slice(0, at + 1)}${member},${text.slice(at + 1)}`
        : `${text.slice(0, at)},${member}${text.slice(at)}`;
    }
    case 3: {
      const depth = chance.pick([60, 1_000, 12_000, 30_000]);
      const [open, close] = chance.often(0.5) ? ['[', ']'] : ['{"a":', '}'];
      const deep = `${open.repeat(depth)}${chance.often(0.9) ? `1${close.repeat(depth)}` : ''}`;
      return text.replace(/:("[^"\\]*"|\d+|null|true|false)/, () => `:${deep}`);
    }
    case 4:
      return text.replace(/[a-z]/gi, (letter) =>
        chance.often(0.3) ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
      );
    case 5:
      return `\ufeff${text}`;
    case 6:
      return text.replaceAll(/([:,])/g, '$1 \n\t');
    default:
      return chance.pick([
        '',
        'null',
        '""',
        '0',
        '[]',
        '{}',
        'undefined',
        '{"a":1}{"b":2}',
        text + text,
      ]);
  }
}

/** Bytes, some of which are not valid in any encoding. */
export function spoiledBytes(bytes: Buffer, chance: Chance): Buffer {
  const at = chance.whole(0, bytes.length);
  const added = chance.pick([
    [0xff, 0xfe],
    [0xc3, 0x28],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0x80],
    [0x00],
    [0xe2, 0x82],
  ]);
  const to = chance.often(0.5) ? at : Math.min(bytes.length, at + added.length);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(to)]);
}

/** Without halves of surrogate pairs, which UTF-8 cannot represent. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\ufffd');
}
