import { describe, expect, it } from 'vitest';
import {
  type NewLine,
  readLines,
  writeLine,
} from '../../../../src/operations/test-cases/several/read-lines.ts';

const only = (text: string) => readLines(text).map((read) => ('line' in read ? read.line : read));

describe('a line', () => {
  it.each<[string, NewLine]>([
    ['Pay by card', { title: 'Pay by card' }],
    ['  Pay by card  ', { title: 'Pay by card' }],
    ['Pay | high', { title: 'Pay', priority: 'HIGH' }],
    ['Pay|HIGH|manual', { title: 'Pay', priority: 'HIGH', type: 'MANUAL' }],
    ['Pay | automated | low', { title: 'Pay', priority: 'LOW', type: 'AUTOMATED' }],
    ['Pay | | exploratory', { title: 'Pay', type: 'EXPLORATORY' }],
    ['Pay |', { title: 'Pay' }],
    ['Pay\tCritical\tManual', { title: 'Pay', priority: 'CRITICAL', type: 'MANUAL' }],
    ['Pay | twice\tLow', { title: 'Pay | twice', priority: 'LOW' }],
    ['Pay | twice\t', { title: 'Pay | twice' }],
    ['- Pay, then --wait; <b>', { title: '- Pay, then --wait; <b>' }],
  ])('“%s” is understood', (text, line) => {
    expect(only(text)).toEqual([line]);
    expect(only(writeLine(line))).toEqual([line]);
  });

  it.each([
    ['| high', 'no-title', ''],
    ['\tHigh', 'no-title', ''],
    ['\u202e\u0000 | high', 'no-title', ''],
    [`${'x'.repeat(501)} | high`, 'too-long', ''],
    ['Pay | urgent', 'unknown-word', 'urgent'],
    ['Pay | high | low', 'twice', 'low'],
    ['Pay | manual | manual', 'twice', 'manual'],
  ])('“%s” is not understood', (text, code, word) => {
    expect(only(text)).toMatchObject([{ number: 1, words: text.trim(), fault: { code, word } }]);
  });
});

it('reads lines in order, and numbers those that are not empty', () => {
  const read = readLines('One\r\n\r\n  \nTwo\u2028Three | no\n\t\n');
  expect(read.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(read[2]).toMatchObject({ words: 'Three | no' });
  expect(readLines(' \n\t\n')).toEqual([]);
});

it.each([
  ['- Pay\n* Refund | high\n  • Wait', ['Pay', 'Refund', 'Wait']],
  ['1. Pay\n2) Refund\n\n10. Wait', ['Pay', 'Refund', 'Wait']],
  ['1. Pay\nRefund', ['1. Pay', 'Refund']],
  ['3.5 % fee\n-5 degrees', ['3.5 % fee', '-5 degrees']],
])('removes list markers if every line has one: %j', (text, titles) => {
  expect(only(text)).toMatchObject(titles.map((title) => ({ title })));
});

const pay = { title: 'Pay by card', priority: 'HIGH', type: 'MANUAL' };
const refund = { title: 'Refund', priority: 'LOW' };

it.each([
  [
    'Markdown',
    '| Title | Priority | Type |\n|:------|:--:|---|\n| Pay by card | High | Manual |\n| Refund | Low | |',
  ],
  [
    'Markdown without outer bars',
    'Name | Prio\n--- | ---\nPay by card | high | manual\nRefund | low',
  ],
  [
    'a ruled table',
    '+------+----+\n| Case | P |\n+======+====+\n| Pay by card | high | manual |\n| Refund | low |\n+----+----+',
  ],
  ['rows of Markdown alone', '| Pay by card | High | Manual |\n| Refund | Low |'],
  ['wiki markup', '||Test||Prio||Kind||\n|Pay by card|High|Manual|\n|Refund|Low| |'],
  [
    'MediaWiki',
    '{| class="wikitable"\n|+ Cases\n! Title !! Priority\n|-\n| Pay by card || High || Manual\n|-\n| Refund\n| Low\n|}',
  ],
  ['a spreadsheet', 'Test case\tPriority\tType\r\nPay by card\tHigh\tManual\r\nRefund\tLow\t\r\n'],
])('reads a table in %s without its heading', (_what, text) => {
  expect(only(text)).toEqual([pay, refund]);
  expect(readLines(text).map(({ number }) => number)).toEqual([1, 2]);
});

it.each([
  ['"Pay\nby card"\tHigh\tManual\nRefund\tLow', [pay, refund]],
  ['"Pay\r\n by  \r\ncard"\tHigh\t"Manual\r\n"\r\nRefund\tLow', [pay, refund]],
  ['Refund\tLow\n"Pay\tby\ncard"\tHigh\tManual', [refund, pay]],
  ['"Press ""Pay"""\tHigh', [{ title: 'Press "Pay"', priority: 'HIGH' }]],
  ['"Press ""Pay"",\nthen wait"', [{ title: 'Press "Pay", then wait' }]],
  ['"Pay now"\tHigh', [{ title: '"Pay now"', priority: 'HIGH' }]],
  ['"Pay" and\nsay "Thanks"', [{ title: '"Pay" and' }, { title: 'say "Thanks"' }]],
  ['Screen 19" is\nread', [{ title: 'Screen 19" is' }, { title: 'read' }]],
])('reads cells quoted by a spreadsheet: %j', (text, lines) => {
  expect(only(text)).toEqual(lines);
});

it.each([
  ['| Choose A \\| B | High |', ['Choose A | B']],
  ['Title\nPay', ['Title', 'Pay']],
  ['---\nPay', ['---', 'Pay']],
  ['Name | high\nPay | low', ['Name', 'Pay']],
])('does not mistake a row for a heading: %j', (text, titles) => {
  expect(only(text)).toMatchObject(titles.map((title) => ({ title })));
});

it('reports unknown columns of a table', () => {
  expect(only('| Title | Owner |\n|---|---|\n| Pay | Ana |')).toMatchObject([
    { number: 1, fault: { code: 'unknown-word', word: 'Ana' } },
  ]);
});
