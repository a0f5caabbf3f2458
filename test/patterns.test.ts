import { fileURLToPath } from 'node:url';
import { checkSync } from 'recheck';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { readSources } from './support/source-imports.ts';

/** A regular expression as it is written in the source. */
interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

/** Those of a text in TypeScript. */
function patternsIn(text: string): Pattern[] {
  const found: Pattern[] = [];
  JSON.stringify(parseAst(text, { lang: 'ts' }), (key, value: unknown) => {
    // as: a regular expression in the syntax tree (ESTree)
    if (key === 'regex') found.push(value as Pattern);
    return value;
  });
  return found;
}

/** The limits count steps, not time: a busy machine finds what an idle one does. */
const COUNTED = { timeout: null, attackTimeout: null, incubationTimeout: null };

const isLinear = ({ pattern, flags }: Pattern) =>
  checkSync(pattern, flags, { ...COUNTED, attackLimit: 100_000_000 }).status === 'safe';

test('every regular expression in src takes linear time', async () => {
  const sources = await readSources(fileURLToPath(new URL('../src', import.meta.url)));
  const patterns = sources.flatMap(({ path, text }) =>
    patternsIn(text).map((each) => ({ ...each, place: `${path}: ${each.pattern}` })),
  );
  expect(patterns.length).toBeGreaterThan(100);
  expect(patterns.filter((each) => !isLinear(each)).map(({ place }) => place)).toEqual([]);
});

test('a regular expression that takes more than linear time is detected', () => {
  const [pattern, ...others] = patternsIn('const key: RegExp = /^\\P{Cc}*\\S\\P{Cc}*$/u;');
  expect(others).toEqual([]);
  expect(pattern && isLinear(pattern)).toBe(false);
});
