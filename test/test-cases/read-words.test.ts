import { describe, expect, it } from 'vitest';
import { readWords } from '../../src/test-cases/read-words.ts';

describe('the words after the command', () => {
  const create = (title: string, flags: object) => ({ kind: 'create', title, flags });
  it.each([
    ['', { kind: 'form', title: '' }],
    ['help', { kind: 'help' }],
    [' HELP ', { kind: 'help' }],
    ['Pay by card', { kind: 'form', title: 'Pay by card' }],
    ['Pay "by card" - fast', { kind: 'form', title: 'Pay "by card" - fast' }],
    ['Totals &lt;= 5 &amp; &gt; 1', { kind: 'form', title: 'Totals <= 5 & > 1' }],
    ['Login —fails here', { kind: 'form', title: 'Login —fails here' }],
    ['Pay by card --priority high', create('Pay by card', { priority: 'high' })],
    [
      'Pay --PRIORITY high --type manual --suite Smoke --project Checkout',
      create('Pay', { priority: 'high', type: 'manual', suite: 'Smoke', project: 'Checkout' }),
    ],
    ['Pay --suite "Big smoke"', create('Pay', { suite: 'Big smoke' })],
    ['Pay --suite “Big smoke”', create('Pay', { suite: 'Big smoke' })],
    [
      'Pay --suite="Big smoke" --type=manual',
      create('Pay', { suite: 'Big smoke', type: 'manual' }),
    ],
    ['Pay --priority=low', create('Pay', { priority: 'low' })],
    ['Pay —priority low', create('Pay', { priority: 'low' })],
    ['"Pay by card" --priority low', create('Pay by card', { priority: 'low' })],
    ['Pay "--by" card --priority low', create('Pay "--by" card', { priority: 'low' })],
    ['Pay  by -- card --priority low', create('Pay  by -- card', { priority: 'low' })],
  ])('“%s”', (text, words) => {
    expect(readWords(text)).toEqual(words);
  });
});

describe('what is not understood is named', () => {
  it.each([
    ['Pay --prio high', 'unknown-flag', '--prio'],
    ['Pay --priority high --colour red', 'unknown-flag', '--colour'],
    ['Pay --priority', 'no-value', '--priority'],
    ['Pay --priority --type manual', 'no-value', '--priority'],
    ['Pay --suite ""', 'no-value', '--suite'],
    ['Pay --priority= --type manual', 'no-value', '--priority'],
    ['Pay --priority high --priority low', 'twice', '--priority'],
    ['Pay --suite Big smoke', 'stray', 'smoke'],
    ['Pay --priority=high now', 'stray', 'now'],
    ['Pay --suite "Big smoke', 'open-quote', 'Big smoke'],
    ['--priority high', 'no-title', ''],
    ['"" --priority high', 'no-title', ''],
    [`${'x'.repeat(501)} --priority high`, 'long-title', ''],
  ])('“%s”', (text, code, word) => {
    expect(readWords(text)).toEqual({ kind: 'fault', fault: { code, word } });
  });
});
