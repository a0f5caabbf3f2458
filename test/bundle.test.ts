import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../scripts/bundle.ts';

test('what is bundled copies objects as the language does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-bundle-'));
  try {
    const source = `
      export const copy = (it: object | false | undefined) => ({ a: 0, ...it, z: 1 });
      export const own = Symbol('own');
      export const lazy = (it: object, make: () => number) => ({
        ...it,
        [own]: 1,
        get made() {
          return make();
        },
      });
      export const rest = ({ a, ...others }: Record<string, unknown>) => others;
    `;
    await writeFile(join(folder, 'copies.ts'), source);
    await bundle([{ in: join(folder, 'copies.ts'), out: 'copies' }], folder);
    const { copy, lazy, own, rest } = await import(join(folder, 'copies.js'));
    expect(copy({ a: 2, b: 3 })).toEqual({ a: 2, b: 3, z: 1 });
    expect(Object.keys(copy({ z: 2, b: 3 }))).toEqual(['a', 'z', 'b']);
    expect([copy(false), copy(undefined)]).toEqual([
      { a: 0, z: 1 },
      { a: 0, z: 1 },
    ]);
    expect(rest({ a: 1, b: 2, c: undefined })).toStrictEqual({ b: 2, c: undefined });
    let made = 0;
    const counted = lazy({ a: 1 }, () => ++made);
    expect(made).toBe(0);
    expect([counted.made, counted.made, counted.a, counted[own]]).toEqual([1, 2, 1, 1]);
    expect(rest({ a: 1, [own]: 2 })).toEqual({ [own]: 2 });
    const hostile = JSON.parse('{ "a": 1, "__proto__": { "isAdmin": true } }');
    for (const each of [copy(hostile), rest(hostile)]) {
      expect(Object.getPrototypeOf(each)).toBe(Object.prototype);
      expect(each.isAdmin).toBeUndefined();
      expect(Object.hasOwn(each, '__proto__')).toBe(true);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
