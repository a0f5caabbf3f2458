import { describe, expect, it } from 'vitest';
import { foldEmail } from '../../../src/core/lib/fold-email.ts';

describe('foldEmail', () => {
  it.each([
    [' Ana@Example.COM\n', 'ana@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['a.b+c@example.com', 'a.b+c@example.com'],
    ['ÀNA@example.com', 'àna@example.com'],
    ['x@XN--bcher-kva.example', 'x@bücher.example'],
    ['x@bücher.example', 'x@bücher.example'],
    ['xn--bcher-kva@example.com', 'xn--bcher-kva@example.com'],
    ['x@xn--a', 'x@xn--a'],
    ['ana', 'ana'],
  ])('folds %j', (address, folded) => {
    expect(foldEmail(address)).toBe(folded);
    expect(foldEmail(folded)).toBe(folded);
  });
});
