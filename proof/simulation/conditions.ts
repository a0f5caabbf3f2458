import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { type ESTree, parseSync, Visitor } from 'vite';
import { MOST_CONDITIONS } from './condition-counts.ts';

/** The rules: files below `src` whose conditions are counted. */
export const RULES = [
  'approvals/electorate/eligible.ts',
  'approvals/electorate/needs.ts',
  'approvals/electorate/own-request.ts',
  'approvals/electorate/self-approval.ts',
  'approvals/electorate/tally.ts',
  'approvals/electorate/votes.ts',
  'approvals/decision/authorize.ts',
  'approvals/decision/reauthorize.ts',
  'approvals/decision/decision.ts',
  'approvals/decision/transitions.ts',
  'approvals/decision/receive.ts',
  'approvals/decision/withdraw.ts',
] as const;

/** An expression that is true or false each time it is evaluated. */
export interface Condition {
  /** Below `src`. */
  readonly file: string;
  readonly line: number;
  /** The nearest function that has a name. */
  readonly within: string;
  /** One line. `a ?? …` and `a?.` are true if `a` is there; a case, if it is the one chosen. */
  readonly text: string;
}

export interface Instrumented {
  readonly text: string;
  readonly conditions: readonly Condition[];
}

const COUNTS = fileURLToPath(new URL('condition-counts.ts', import.meta.url));
const COMPARISONS = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>=', 'instanceof', 'in']);
/** Always true, or always false, at the end of an `&&` or `||`. */
const CONSTANT = new Set([
  'ObjectExpression',
  'ArrayExpression',
  'Literal',
  'TemplateLiteral',
  'ArrowFunctionExpression',
]);
const LONGEST_TEXT = 90;

/** A plugin that builds the rules with counters, and their conditions by number. */
export async function instrumentRules(): Promise<{ plugin: Plugin; conditions: Condition[] }> {
  const texts = new Map<string, string>();
  const conditions: Condition[] = [];
  for (const file of RULES) {
    const path = fileURLToPath(new URL(`../../src/${file}`, import.meta.url));
    const instrumented = instrument(file, await readFile(path, 'utf8'), conditions.length);
    texts.set(path, instrumented.text);
    conditions.push(...instrumented.conditions);
  }
  if (conditions.length > MOST_CONDITIONS) throw new Error(`${conditions.length} conditions`);
  const plugin: Plugin = {
    name: 'conditions',
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const contents = texts.get(path);
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
    },
  };
  return { plugin, conditions };
}

/**
 * The text with each condition counted, numbered from `first` on: the test of an `if`, a loop or `? :`, both sides of
 * `&&` and `||` instead of the whole, every comparison and negation, what is before `??` and `?.`, and each case. Each
 * is evaluated when and as often as before. In `a?.b?.c` the second is false if the first is.
 */
export function instrument(file: string, text: string, first: number): Instrumented {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const conditions: Condition[] = [];
  const known = new Set<string>();
  const before = new Map<number, string>();
  const after = new Map<number, string>();
  const functions: string[] = [];

  new Visitor({
    FunctionDeclaration: ({ id }) => void functions.push(id?.name ?? ''),
    'FunctionDeclaration:exit': () => void functions.pop(),
    Property: (node) => void (node.method && functions.push(sourceOf(node.key))),
    'Property:exit': (node) => void (node.method && functions.pop()),
    IfStatement: ({ test }) => truth(test),
    ConditionalExpression: ({ test }) => truth(test),
    WhileStatement: ({ test }) => truth(test),
    DoWhileStatement: ({ test }) => truth(test),
    ForStatement: ({ test }) => void (test && truth(test)),
    LogicalExpression: ({ operator, left, right }) => {
      if (operator === '??') return presence(left, ' ?? …');
      truth(left);
      if (!CONSTANT.has(bare(right).type)) truth(right);
    },
    BinaryExpression: (node) => void (COMPARISONS.has(node.operator) && truth(node)),
    UnaryExpression: (node) => void (node.operator === '!' && truth(node)),
    MemberExpression: ({ optional, object }) => void (optional && presence(object, '?.')),
    SwitchStatement: ({ discriminant, cases }) => {
      const tests = cases.flatMap(({ test }) => (test === null ? [] : [test]));
      if (!tests.every(({ type }) => type === 'Literal'))
        throw new Error(`${file}: a case that is not a literal`);
      const numbers = tests.map((test) => add(test, `case ${sourceOf(test)}`));
      const values = `[${tests.map(sourceOf).join(', ')}]`;
      wrap(discriminant, `__countCases(${numbers[0] ?? 0}, ${values}, `);
    },
  }).visit(program);
  return { text: `${IMPORT}${rewritten()}`, conditions };

  function truth(node: ESTree.Expression | ESTree.PrivateInExpression): void {
    const own = bare(node);
    // Its sides are counted.
    if (own.type === 'LogicalExpression' && own.operator !== '??') return;
    once(own, 'countTruth', sourceOf(own));
  }

  function presence(node: ESTree.Expression | ESTree.Super, mark: string): void {
    once(node, 'countPresence', `${sourceOf(node)}${mark}`);
  }

  function once(node: ESTree.Span, how: string, shown: string): void {
    const key = `${node.start} ${node.end} ${how}`;
    if (known.has(key)) return;
    known.add(key);
    wrap(node, `__${how}(${add(node, shown)}, `);
  }

  /** An outer expression is wrapped before the inner ones here. */
  function wrap({ start, end }: ESTree.Span, call: string): void {
    before.set(start, `${before.get(start) ?? ''}${call}(`);
    after.set(end, `${after.get(end) ?? ''}))`);
  }

  function add(node: ESTree.Span, shown: string): number {
    const line = text.slice(0, node.start).split('\n').length;
    const within = functions.at(-1) ?? '';
    conditions.push({ file, line, within, text: inOneLine(shown) });
    return first + conditions.length - 1;
  }

  function sourceOf({ start, end }: ESTree.Span): string {
    return text.slice(start, end);
  }

  function rewritten(): string {
    const places = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
    const ends = [...places.slice(1), text.length];
    const pieces = places.map((at, index) => {
      return `${after.get(at) ?? ''}${before.get(at) ?? ''}${text.slice(at, ends[index])}`;
    });
    return `${text.slice(0, places[0] ?? text.length)}${pieces.join('')}`;
  }
}

/** On the first line, so that line numbers stay the same. */
const IMPORT = `import { ${['countTruth', 'countPresence', 'countCases']
  .map((name) => `${name} as __${name}`)
  .join(', ')} } from ${JSON.stringify(COUNTS)}; `;

/** Without wrappers that do not change a value. */
function bare<T extends ESTree.Node>(node: T): ESTree.Node {
  const isWrapper =
    node.type === 'ParenthesizedExpression' ||
    node.type === 'TSAsExpression' ||
    node.type === 'TSSatisfiesExpression' ||
    node.type === 'TSNonNullExpression';
  return isWrapper ? bare(node.expression) : node;
}

function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1)}…` : line;
}
