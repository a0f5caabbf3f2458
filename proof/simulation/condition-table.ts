import type { Condition } from './conditions.ts';
import type { Excuse } from './excused-conditions.ts';

/** A condition and how often it was evaluated. */
export interface Passed extends Condition {
  readonly true: number;
  readonly false: number;
  readonly excuse?: Excuse;
}

/** The conditions with their counts in all worlds; `counts` as `takeCounts` returns them. */
export function passedIn(
  conditions: readonly Condition[],
  counts: readonly number[],
  excuses: ReadonlyMap<Condition, Excuse>,
): Passed[] {
  return conditions.map((condition, number) => {
    const excuse = excuses.get(condition);
    return {
      ...condition,
      true: counts[2 * number] ?? 0,
      false: counts[2 * number + 1] ?? 0,
      ...(excuse !== undefined && { excuse }),
    };
  });
}

export function isBothWays(passed: Passed): boolean {
  return passed.true > 0 && passed.false > 0;
}

/** It had the value that it never has. */
export function isExcusedWrongly({ excuse, ...passed }: Passed): boolean {
  if (excuse === undefined) return false;
  const isTrue = excuse.never !== 'false' && passed.true > 0;
  return isTrue || (excuse.never !== 'true' && passed.false > 0);
}

/** Excused, and it had every value that it can have. */
function isExcused({ excuse, ...passed }: Passed): boolean {
  if (excuse === undefined) return false;
  if (excuse.never === 'either') return true;
  return excuse.never === 'true' ? passed.false > 0 : passed.true > 0;
}

/** How many had which values. */
export function sumOf(all: readonly Passed[]) {
  const both = all.filter(isBothWays).length;
  const excused = all.filter((each) => !isBothWays(each) && isExcused(each)).length;
  return { all: all.length, both, excused, left: all.length - both - excused };
}

/** For people: how many conditions of each file had both values, and which did not. */
export function conditionTable(all: readonly Passed[]): string {
  const oneWay = all
    .filter((each) => !isBothWays(each))
    .toSorted((a, b) => (a.file === b.file ? a.line - b.line : 0));
  const files = [...new Set(all.map(({ file }) => file))];
  const rows = files.map((file) => rowOf(file, sumOf(all.filter((each) => each.file === file))));
  const wrong = all.filter(isExcusedWrongly);
  const parts = [
    [HEAD, ...rows, rowOf('all', sumOf(all))],
    part('Only one way, or never:', oneWay.filter((each) => !isExcused(each)).map(lineOf)),
    part(
      'Excused:',
      oneWay.filter(isExcused).flatMap((each) => [lineOf(each), reasonOf(each)]),
    ),
    part(
      'Excused, and it happened:',
      wrong.flatMap((each) => [lineOf(each), reasonOf(each)]),
    ),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

const FILE_WIDTH = 34;
const COUNT_WIDTH = 11;

const HEAD = columns('conditions', ['all', 'both ways', 'excused', 'left']);

function rowOf(name: string, { all, both, excused, left }: ReturnType<typeof sumOf>): string {
  return columns(name, [all, both, excused, left].map(String));
}

function columns(name: string, values: readonly string[]): string {
  return `${name.padEnd(FILE_WIDTH)}${values.map((each) => each.padStart(COUNT_WIDTH)).join('')}`;
}

function part(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [head, ...lines];
}

function lineOf({ file, line, within, text, ...passed }: Passed): string {
  const place = `${file}:${line}`.padEnd(FILE_WIDTH + 2);
  return `${place} true ${passed.true}, false ${passed.false}: ${text} (${within})`;
}

function reasonOf({ excuse }: Passed): string {
  return `    never ${excuse?.never}: ${excuse?.reason}`;
}
