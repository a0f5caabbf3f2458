import { parseAst } from 'vitest/node';
import { readProgram } from './source-imports.ts';

/** A regular expression as it is written in the source. */
export interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

/** Those of a text in TypeScript. */
export function patternsIn(text: string): Pattern[] {
  const found: Pattern[] = [];
  const visit = (node: object): void => {
    // as: a regular expression in the syntax tree (ESTree)
    if ('regex' in node) found.push(node.regex as Pattern);
    for (const member of Object.values(node))
      if (typeof member === 'object' && member !== null) visit(member);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return found;
}

/** Each one once, as it is written, in order; and where it is found. */
export async function patternsInSrc(): Promise<Map<string, Pattern & { readonly path: string }>> {
  const sources = await readProgram();
  const found = sources.flatMap(({ path, text }) =>
    patternsIn(text).map((each) => [writtenAs(each), { ...each, path }] as const),
  );
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function writtenAs({ pattern, flags }: Pattern): string {
  return `/${pattern}/${flags}`;
}

/** The limits count steps, not time: a busy machine finds what an idle one does. */
const COUNTED = { timeout: null, attackTimeout: null, incubationTimeout: null };

/** Proves it, which takes up to seconds for one. */
export async function isLinear({ pattern, flags }: Pattern): Promise<boolean> {
  const { check } = await import('recheck');
  const { status } = await check(pattern, flags, { ...COUNTED, attackLimit: 100_000_000 });
  return status === 'safe';
}
