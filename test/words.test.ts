import { parseSync } from 'vite';
import { expect, test } from 'vitest';
import { readProgram } from './support/source-imports.ts';

/**
 * Everything the program says to people, as one list to read aloud: messages in Slack, problems of the
 * configuration, answers of the intake, the command line. `npx vitest run test/words.test.ts --update`
 * updates it; read the diff before you commit.
 */
const sources = await readProgram();
const said = sources
  // What people type.
  .filter(({ path }) => path !== 'approvals/ways-in/end-grammar.ts')
  .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  .map(({ path, text }) => ({ path, sentences: sentencesIn(path, text) }))
  .filter(({ sentences }) => sentences.length > 0);

test('the texts that people read match words.snapshot', async () => {
  const list = said.map(({ path, sentences }) => [`# ${path}`, ...sentences].join('\n'));
  await expect(`${list.join('\n\n')}\n`).toMatchFileSnapshot('words.snapshot');
});

/** Phrases that a native speaker would not use, or that claim more than is known. */
const FOREIGN = [
  /\blet in\b/i,
  /\bparted by\b/i,
  /\bstands (there|on|in)\b(?! for\b)/i,
  // Perhaps something was lost: that is what it may say.
  /\bmay not\b(?! have\b)/i,
  /\bgoes? on (asking|trying|to)\b/i,
  /\bgives way\b/i,
  /\bis not right\b|\bare not right\b/i,
  /\blooks? first\b/i,
  /\bfrom the beginning\b/i,
  /\bever more\b/i,
  /\bthemself\b/i,
  /\bno more[.:]/i,
  /\bwaits for a decision\b/i,
  /\bnothing is decided\b/i,
  /\bchanged nothing\b/i,
  /\bwins over\b/i,
  /\bmay stand\b/i,
  /\ba proxy on the way\b/i,
  /\b(follow|follows) by (themselves|itself)\b/i,
  /\bquarter of an hour\b/i,
  /\bis no (address|reviewer)\b/i,
  /\bMend (its|that)\b/,
];

test.each(FOREIGN)('nothing that people read says %s', (phrase) => {
  const found = said.flatMap(({ path, sentences }) =>
    sentences.filter((sentence) => phrase.test(sentence)).map((sentence) => `${path}: ${sentence}`),
  );
  expect(found).toEqual([]);
});

/** Texts of at least two words, in their order; placeholders are in braces. */
function sentencesIn(path: string, source: string): string[] {
  const found: string[] = [];
  visit(parseSync(path, source).program, source, found);
  return found;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function visit(value: unknown, source: string, found: string[]): void {
  if (Array.isArray(value)) for (const each of value) visit(each, source, found);
  if (!isNode(value) || isUnread(value)) return;
  const text = textOf(value, source);
  if (text !== undefined && isSentence(text)) found.push(text.replaceAll('\n', '\\n'));
  for (const member of Object.values(value)) visit(member, source, found);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Our own errors are for developers; types and file names are not texts. */
function isUnread({ type, callee }: Node): boolean {
  if (type.startsWith('Import') || type.startsWith('TS'))
    return (
      type !== 'TSSatisfiesExpression' &&
      type !== 'TSAsExpression' &&
      type !== 'TSNonNullExpression'
    );
  return type === 'NewExpression' && isNode(callee) && callee.name === 'Error';
}

function textOf({ type, value, quasis, expressions }: Node, source: string): string | undefined {
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  if (type !== 'TemplateLiteral') return undefined;
  // as: what a template is made of
  const [pieces, inside] = [quasis, expressions] as [{ value: { cooked: string } }[], Node[]];
  return pieces
    .map(({ value: { cooked } }, at) => {
      const between = inside[at];
      return between === undefined
        ? cooked
        : `${cooked}{${source.slice(between.start, between.end)}}`;
    })
    .join('');
}

function isSentence(text: string): boolean {
  return /\p{L}{2,}[\p{L}’',.:;?!*`”"]* +\S*\p{L}/u.test(text.replace(/\{[^}]*\}/g, 'x'));
}
