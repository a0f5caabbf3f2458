import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import {
  conditionTable,
  isExcusedWrongly,
  passedIn,
  sumOf,
} from '../../../proof/simulation/condition-table.ts';
import { instrument, instrumentRules, RULES } from '../../../proof/simulation/conditions.ts';
import { EXCUSED, type Excuse, placesOf } from '../../../proof/simulation/excused-conditions.ts';

const COUNTS = fileURLToPath(
  new URL('../../../proof/simulation/condition-counts.ts', import.meta.url),
);

/** What runs a snippet, which exports `run`: its evaluations go into `seen`, in order. */
interface Snippet {
  readonly run: (seen: unknown[]) => unknown;
  readonly takeCounts: () => number[];
}

async function load(contents: string): Promise<Snippet> {
  const { outputFiles } = await build({
    stdin: {
      contents: `${contents}\nexport { takeCounts } from ${JSON.stringify(COUNTS)};`,
      loader: 'ts',
      resolveDir: '/',
    },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node20',
  });
  const script = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return import(`data:text/javascript;base64,${script}`);
}

/** What a snippet gives and evaluates, which has to be the same when it is instrumented; and its counts. */
async function counted(body: string) {
  const source = `export async function run(seen: unknown[]) {
    const say = <T>(value: T): T => { seen.push(value); return value; };
    ${body}
  }`;
  const { text, conditions } = instrument('snippet.ts', source, 0);
  const [plain, instrumented] = await Promise.all([load(source), load(text)]);
  const [seenPlainly, seen]: [unknown[], unknown[]] = [[], []];
  const result = await instrumented.run(seen);
  expect(result).toEqual(await plain.run(seenPlainly));
  expect(seen).toEqual(seenPlainly);
  const counts = instrumented.takeCounts();
  const of = conditions.map(
    (each, number) => [each.text, counts[2 * number] ?? 0, counts[2 * number + 1] ?? 0] as const,
  );
  return { result, seen, counts: of.filter(([shown]) => !shown.startsWith('seen')) };
}

test('&& and || keep their values, and each side is counted', async () => {
  const { result, counts } = await counted(`
    const pick = (a: unknown, b: unknown) => (a && b) || (b && [a]);
    return [pick(0, ''), pick(1, 'x'), pick(0, 'x'), { ...(pick(1, 1) !== undefined && { is: true }) }];
  `);
  expect(result).toEqual(['', 'x', [0], { is: true }]);
  expect(counts).toEqual([
    ['a', 2, 2],
    ['b', 2, 0],
    ['b', 1, 1],
    ['pick(1, 1) !== undefined', 1, 0],
  ]);
});

test('operands that are not evaluated are not counted, and the order is kept', async () => {
  const { seen, counts } = await counted(`
    if (say(false) && say('never')) say('body');
    else if (say(0) || (say(1) && !say(2))) say('body');
    else say('else');
  `);
  expect(seen).toEqual([false, 0, 1, 2, 'else']);
  expect(counts).toEqual([
    ['say(false)', 0, 1],
    ["say('never')", 0, 0],
    ['say(0)', 0, 1],
    ['say(1)', 1, 0],
    ['!say(2)', 0, 1],
  ]);
});

test('?? and ?. are counted by whether a value is present', async () => {
  const { result, counts } = await counted(`
    const named = (it?: { name?: string | null; say?: { of(): string } }) => it?.name ?? it?.say?.of() ?? 'nobody';
    return [named(), named({ name: null }), named({ name: '' }), named({ say: { of: () => 'said' } })];
  `);
  expect(result).toEqual(['nobody', 'nobody', '', 'said']);
  expect(counts.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
    ['it?.', 3, 1],
    ['it?.', 2, 1],
    ['it?.name ?? it?.say?.of() ?? …', 2, 2],
    ['it?.name ?? …', 1, 3],
    ['it?.say?.', 1, 2],
  ]);
});

test('a ternary in a template, loops and arrow functions are counted', async () => {
  const { result, counts } = await counted(`
    const words = [1, 2, 3].filter((each) => each !== 2).map((each) => \`\${each > 1 ? 'many' : 'one'}\`);
    let left = 2;
    while (left > 0) left -= 1;
    for (let at = 0; at < 2; at += 1) words.push(\`\${at}\`);
    return words;
  `);
  expect(result).toEqual(['one', 'many', '0', '1']);
  expect(counts).toEqual([
    ['each !== 2', 2, 1],
    ['each > 1', 1, 1],
    ['left > 0', 2, 1],
    ['at < 2', 2, 1],
  ]);
});

test('await works as before', async () => {
  const { seen, counts } = await counted(`
    const later = async (value: unknown) => { await Promise.resolve(); return say(value); };
    const first = (async () => ((await later(1)) && (await later(2)) ? say('yes') : say('no')))();
    const second = (async () => say((await later(null)) ?? 'nothing'))();
    await Promise.all([first, second]);
  `);
  expect(seen).toHaveLength(5);
  expect(counts).toEqual([
    ['await later(1)', 1, 0],
    ['await later(2)', 1, 0],
    ['(await later(null)) ?? …', 0, 1],
  ]);
});

test('each case of a switch is counted as matched or not', async () => {
  const { result, counts } = await counted(`
    const of = (word: string) => {
      switch (say(word)) {
        case 'a':
        case 'b': return 1;
        case 'c': return 2;
        default: return 3;
      }
    };
    return ['b', 'c', 'd', 'b'].map(of);
  `);
  expect(result).toEqual([1, 2, 3, 1]);
  expect(counts).toEqual([
    ["case 'a'", 0, 4],
    ["case 'b'", 2, 2],
    ["case 'c'", 1, 3],
  ]);
});

test('types, multi-byte text and multi-line code are handled', () => {
  const source = `// “ü” 🙂
type Of<T> = T extends string ? 1 : 2;
export function isOf(value: unknown, other?: string): value is string {
  const all = { count() { return (value as string) === 'x'; } };
  return (
    typeof value ===
      'string' && (other satisfies string | undefined) !== undefined && all.count()
  );
}`;
  const { conditions } = instrument('snippet.ts', source, 7);
  expect(conditions.map(({ line, within, text }) => [line, within, text])).toEqual([
    [4, 'count', "(value as string) === 'x'"],
    [7, 'isOf', 'all.count()'],
    [6, 'isOf', "typeof value === 'string'"],
    [7, 'isOf', '(other satisfies string | undefined) !== undefined'],
  ]);
});

test('every file of rules has conditions, and every excuse matches one of them', async () => {
  const { conditions } = await instrumentRules();
  for (const file of RULES) {
    expect(conditions.filter((each) => each.file === file).length).toBeGreaterThan(2);
  }
  expect(placesOf(EXCUSED, conditions).size).toBe(EXCUSED.length);
});

const [both, one, never, excused] = ['both', 'one', 'never', 'excused'].map((text, at) => ({
  file: at < 2 ? 'a.ts' : 'b.ts',
  line: 10 - at,
  within: 'rule',
  text,
}));
if (!both || !one || !never || !excused) throw new Error('four conditions');
const CONDITIONS = [both, one, never, excused];

const excuse = (more: Partial<Excuse>): Excuse => ({
  ...{ file: 'b.ts', within: 'rule', text: 'excused', never: 'true', reason: 'It cannot.' },
  ...more,
});

test('the table shows how many conditions went both ways, and which did not', () => {
  const excuses = placesOf([excuse({})], CONDITIONS);
  const passed = passedIn(CONDITIONS, [1, 2, 3, 0, 0, 0, 0, 5], excuses);
  expect(sumOf(passed)).toEqual({ all: 4, both: 1, excused: 1, left: 2 });
  expect(passed.some(isExcusedWrongly)).toBe(false);
  expect(conditionTable(passed)).toMatchInlineSnapshot(`
    "conditions                                all  both ways    excused       left
    a.ts                                        2          1          0          1
    b.ts                                        2          0          1          1
    all                                         4          1          1          2

    Only one way, or never:
    a.ts:9                               true 3, false 0: one (rule)
    b.ts:8                               true 0, false 0: never (rule)

    Excused:
    b.ts:7                               true 0, false 5: excused (rule)
        never true: It cannot.
    "
  `);
});

test('an excuse is wrong if its condition does what it excludes, and not enough if it never does the rest', () => {
  const with_ = (never: Excuse['never'], counts: number[]) => {
    const [passed] = passedIn([excused], counts, placesOf([excuse({ never })], [excused]));
    if (passed === undefined) throw new Error('one condition');
    return { isWrong: isExcusedWrongly(passed), left: sumOf([passed]).left };
  };
  expect(with_('true', [0, 3])).toEqual({ isWrong: false, left: 0 });
  expect(with_('true', [0, 0])).toEqual({ isWrong: false, left: 1 });
  expect(with_('true', [1, 3])).toEqual({ isWrong: true, left: 0 });
  expect(with_('false', [0, 3])).toEqual({ isWrong: true, left: 1 });
  expect(with_('either', [0, 0])).toEqual({ isWrong: false, left: 0 });
  expect(with_('either', [0, 1])).toEqual({ isWrong: true, left: 0 });
});

test('an excuse for a condition that does not exist, or exists twice, is an error', () => {
  const place = (excused: Excuse, conditions = CONDITIONS) => placesOf([excused], conditions);
  expect(() => place(excuse({ text: 'gone' }))).toThrow('b.ts has no "gone" in rule');
  expect(() => place(excuse({}), [excused, excused])).toThrow('more than one "excused" in rule');
});
