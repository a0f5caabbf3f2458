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
      export const rest = ({ a, ...others }: Record<string, unknown>) => others;
    `;
    await writeFile(join(folder, 'copies.ts'), source);
    await bundle([{ in: join(folder, 'copies.ts'), out: 'copies' }], folder);
    const { copy, rest } = await import(join(folder, 'copies.js'));
    expect(copy({ a: 2, b: 3 })).toEqual({ a: 2, b: 3, z: 1 });
    expect(Object.keys(copy({ z: 2, b: 3 }))).toEqual(['a', 'z', 'b']);
    expect([copy(false), copy(undefined)]).toEqual([
      { a: 0, z: 1 },
      { a: 0, z: 1 },
    ]);
    expect(rest({ a: 1, b: 2, c: undefined })).toStrictEqual({ b: 2, c: undefined });
    const hostile = JSON.parse('{ "a": 1, "__proto__": { "isAdmin": true } }');
    for (const made of [copy(hostile), rest(hostile)]) {
      expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
      expect(made.isAdmin).toBeUndefined();
      expect(Object.hasOwn(made, '__proto__')).toBe(true);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
