import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requirements } from './requirements.ts';

const FOLDER = import.meta.dirname;

/** Ids that the stories of this folder cite, by file. */
async function citations(): Promise<{ readonly file: string; readonly id: string }[]> {
  const names = await readdir(FOLDER, { recursive: true });
  const files = names.filter((name) => name.endsWith('.test.ts'));
  const cited = files.map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8');
    const ids = [...text.matchAll(/\bstory(?:\.\w+)?\(\s*'([^']+)'/g)].map(
      (match) => match[1] ?? '',
    );
    return ids.flatMap((each) => each.split(' ').map((id) => ({ file, id })));
  });
  return (await Promise.all(cited)).flat();
}

test('every requirement has a story', async () => {
  const told = new Set((await citations()).map(({ id }) => id));
  expect(requirements.filter(({ id }) => !told.has(id)).map(({ id }) => id)).toEqual([]);
});

test('every story cites requirements that exist', async () => {
  const known = new Set<string>(requirements.map(({ id }) => id));
  const cited = await citations();
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter(({ id }) => !known.has(id))).toEqual([]);
});

test('no two requirements have the same id', () => {
  expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
});
