import { expect, test } from 'vitest';
import { ENCODERS, holds, shows } from '../../../proof/fuzz/spellings.ts';

const TOKENS = ['tok-0123456789abcdef', 'tok-0123456789abcdefg', 'tok-0123456789abcdefgh'];

test.each(TOKENS)('%s is found in base64 at any offset, whatever follows', (token) => {
  for (const before of ['', 'x', 'xy']) {
    for (const after of ['', '\u0000', 'a', '\u007f~']) {
      const text = Buffer.from(`${before}${token}${after}`).toString('base64url');
      expect(holds(`?run=${text}`, token)).toBe(true);
    }
  }
});

test.each(TOKENS)('%s without its last letter is not found in base64', (token) => {
  for (const before of ['', 'x', 'xy']) {
    for (const after of ['', 'a', '~~~~']) {
      const text = Buffer.from(`${before}${token.slice(0, -1)}${after}`).toString('base64');
      expect(holds(text, token)).toBe(false);
    }
  }
});

test.each(TOKENS)(
  '%s without its first bits is not found in base64, and with them without the rest',
  (token) => {
    for (const [before, letters] of [
      ['x', 1],
      ['xy', 2],
    ] as const) {
      const text = Buffer.from(`${before}${token}`).toString('base64');
      expect(holds(`~${text.slice(letters)}`, token)).toBe(true);
      expect(holds(`~${text.slice(letters + 1)}`, token)).toBe(false);
    }
  },
);

test('a text without the token contains none of its encodings', () => {
  const token = 'tok-"0123456789"/é';
  for (const encode of ENCODERS) expect(holds(encode('tok-9876543210'), token)).toBe(false);
});

test('an escape of JSON is no letter of a token, in a record neither', () => {
  const stored = (title: string) => [{ kind: 'x', data: JSON.stringify({ title }) }, title];
  const written = JSON.stringify(stored('tok-0123456789"'));
  expect(shows(written, 'tok-0123456789\\')).toBe(false);
  expect(shows(written, 'tok-0123456789"')).toBe(true);
  expect(shows(JSON.stringify({ 'tok-0123456789': 1 }), 'tok-0123456789')).toBe(true);
  expect(shows('{"title":"tok-0123456789', 'tok-0123456789')).toBe(true);
});
