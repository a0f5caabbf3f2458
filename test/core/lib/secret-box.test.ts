import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { createSecretBox, SecretBoxError } from '../../../src/core/lib/secret-box.ts';

const old = { id: 'k1', key: randomBytes(32) };
const current = { id: 'k2', key: randomBytes(32) };

function codeOf(open: () => string): string {
  try {
    open();
  } catch (error) {
    if (error instanceof SecretBoxError) return error.code;
    throw error;
  }
  throw new Error('it opened');
}

describe('a secret box', () => {
  it('opens what it sealed, whatever the text and the context', () => {
    const box = createSecretBox([current], systemRandom);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        expect(box.open(box.seal(plain, context), context)).toBe(plain);
      }),
    );
  });

  it('seals the same text differently each time, and never shows it', () => {
    const box = createSecretBox([current], systemRandom);
    const sealed = box.seal('tok-visible', 'approval');
    expect(box.seal('tok-visible', 'approval')).not.toBe(sealed);
    expect(sealed).toMatch(/^v1\.k2\.[A-Za-z0-9_-]+$/);
    expect(Buffer.from(sealed.slice(6), 'base64url').includes('tok-visible')).toBe(false);
  });

  it('encrypts with the first key and decrypts with all, so that keys can be rotated', () => {
    const sealedBefore = createSecretBox([old], systemRandom).seal('text', 'c');
    const rotated = createSecretBox([current, old], systemRandom);
    expect(rotated.open(sealedBefore, 'c')).toBe('text');
    expect(rotated.seal('text', 'c')).toMatch(/^v1\.k2\./);
    expect(codeOf(() => createSecretBox([current], systemRandom).open(sealedBefore, 'c'))).toBe(
      'unknown_key',
    );
  });

  it('refuses another context, another key of the same id and another key id', () => {
    const box = createSecretBox([current], systemRandom);
    const sealed = box.seal('text', 'approval');
    const renamed = sealed.replace('v1.k2.', 'v1.k3.');
    const samesId = createSecretBox([{ id: 'k2', key: randomBytes(32) }], systemRandom);
    const sameKey = createSecretBox([current, { id: 'k3', key: current.key }], systemRandom);
    expect(codeOf(() => box.open(sealed, 'task'))).toBe('tampered');
    expect(codeOf(() => samesId.open(sealed, 'approval'))).toBe('tampered');
    expect(codeOf(() => sameKey.open(renamed, 'approval'))).toBe('tampered');
  });

  it('refuses every text in which one character was changed, dropped or added', () => {
    const box = createSecretBox([current], systemRandom);
    const sealed = box.seal('text', 'c');
    for (let at = 0; at < sealed.length; at++) {
      const swapped = sealed[at] === 'A' ? 'B' : 'A';
      expect(() => box.open(sealed.slice(0, at) + swapped + sealed.slice(at + 1), 'c')).toThrow(
        SecretBoxError,
      );
      expect(() => box.open(sealed.slice(0, at) + sealed.slice(at + 1), 'c')).toThrow(
        SecretBoxError,
      );
    }
    expect(() => box.open(`${sealed}A`, 'c')).toThrow(SecretBoxError);
  });

  it.each(['', 'v1', 'v1.k2.', 'v1.k2.AAAA', 'v2.k2.AAAA', 'v1.k2.****', 'v1..AAAA'])(
    'calls %j malformed',
    (sealed) => {
      expect(codeOf(() => createSecretBox([current], systemRandom).open(sealed, 'c'))).toBe(
        'malformed',
      );
    },
  );

  it('shows neither the sealed text nor a key in its errors', () => {
    const sealed = createSecretBox([old], systemRandom).seal('tok-visible', 'c');
    try {
      createSecretBox([current], systemRandom).open(sealed, 'c');
    } catch (error) {
      const shown = inspect(error, { depth: 10 });
      expect(shown).toContain('unknown_key');
      expect(shown).not.toContain(sealed.slice(6));
      expect(shown).not.toContain(current.key.toString('base64'));
    }
    expect.assertions(3);
  });

  it.each([
    ['no key', []],
    ['a short key', [{ id: 'a', key: randomBytes(16) }]],
    ['one id twice', [old, { id: 'k1', key: randomBytes(32) }]],
    ['an id that could not be read back', [{ id: 'a.b', key: randomBytes(32) }]],
  ])('cannot be created with %s', (_what, keys) => {
    expect(() => createSecretBox(keys, systemRandom)).toThrow(RangeError);
  });
});
