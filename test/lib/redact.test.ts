import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/lib/redact.ts';

const secret = 'tö k"e/n&+<1>';

describe('redact', () => {
  it.each([
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded in small letters', encodeURIComponent(secret).toLowerCase()],
    ['as a form value', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['escaped for JSON', JSON.stringify(secret).slice(1, -1)],
    [
      'escaped for JSON with its slashes',
      JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    ],
    ['escaped for HTML', 'tö k"e/n&amp;+&lt;1&gt;'],
  ])('replaces a secret %s', (_how, form) => {
    expect(redact(`a ${form} b ${form}`, [secret])).toBe('a [token] b [token]');
  });

  it('leaves nothing of the longer of two secrets that begin alike', () => {
    expect(redact('abc abcdef', ['abc', 'abcdef'])).toBe('[token] [token]');
  });

  it('takes a secret literally, and the mask too', () => {
    expect(redact('aXb a.b $&', ['a.b', '$&'])).toBe('aXb [token] [token]');
  });

  it('leaves other texts and empty secrets alone', () => {
    expect(redact('nothing here', ['', 'secret'])).toBe('nothing here');
  });

  it('leaves no secret in any text', () => {
    const token = fc.string({ minLength: 8, unit: fc.constantFrom(...'abXY019-_.~%/+=') });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), token)), token, (parts, hidden) => {
        const text = parts.flatMap((part) => [part, hidden, encodeURIComponent(hidden)]).join(' ');
        const shown = redact(text, [hidden]);
        expect(shown).not.toContain(hidden);
        expect(shown).not.toContain(encodeURIComponent(hidden));
      }),
    );
  });
});
