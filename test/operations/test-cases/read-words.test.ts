import { describe, expect, it } from 'vitest';
import { readWords, writeWords } from '../../../src/operations/test-cases/read-words.ts';

describe('the text after the command', () => {
  const create = (title: string, flags: object, lines = '') => ({
    kind: 'create',
    title,
    lines,
    flags,
    faults: [],
  });
  it.each([
    ['', { kind: 'form', text: '' }],
    ['help', { kind: 'help' }],
    [' HELP ', { kind: 'help' }],
    ['Pay by card', { kind: 'form', text: 'Pay by card' }],
    ['Pay "by card" - fast', { kind: 'form', text: 'Pay "by card" - fast' }],
    ['Totals &lt;= 5 &amp; &gt; 1', { kind: 'form', text: 'Totals <= 5 & > 1' }],
    ['Login —fails here', { kind: 'form', text: 'Login —fails here' }],
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
    ['Pay\n1. Open\n2. Pay', { kind: 'form', text: 'Pay\n1. Open\n2. Pay' }],
    ['Pay\n1. Open\n--priority low', create('Pay', { priority: 'low' }, '1. Open')],
    ['Pay --priority low\n1. Open\n2. Pay', create('Pay', { priority: 'low' }, '1. Open\n2. Pay')],
    [
      'Pay --priority low\nOpen it\n--type manual',
      create('Pay', { priority: 'low', type: 'manual' }, 'Open it'),
    ],
    ['Pay --description "1. Open\n2. Pay"', create('Pay', { description: '1. Open\n2. Pay' })],
    ['Pay  by -- card --priority low', create('Pay  by -- card', { priority: 'low' })],
    ['--help', { kind: 'help' }],
    ['—help', { kind: 'help' }],
    ['-h', { kind: 'help' }],
    ['?', { kind: 'help' }],
    ['Login – type the PIN', { kind: 'form', text: 'Login – type the PIN' }],
  ])('reads “%s”', (text, words) => {
    expect(readWords(text)).toEqual(words);
  });
});

describe('every error in the options is listed, with a corrected command', () => {
  const LONG = 'x'.repeat(501);
  it.each([
    ['Pay --prio high', ['unknown-flag --prio'], '/new-case Pay --priority high'],
    [
      'Pay --priority high --colour red',
      ['unknown-flag --colour'],
      '/new-case Pay --priority high',
    ],
    ['Pay --priority', ['no-value --priority'], '/new-case Pay --priority …'],
    [
      'Pay --priority --type manual',
      ['no-value --priority'],
      '/new-case Pay --priority … --type manual',
    ],
    ['Pay --suite ""', ['no-value --suite'], '/new-case Pay --suite …'],
    [
      'Pay --priority= --type manual',
      ['no-value --priority'],
      '/new-case Pay --priority … --type manual',
    ],
    ['Pay --priority high --priority low', ['twice --priority'], '/new-case Pay --priority high'],
    ['Pay --suite Big smoke', ['stray smoke'], '/new-case Pay --suite "Big smoke"'],
    ['Pay --priority=high by card', ['stray by card'], '/new-case Pay by card --priority high'],
    ['Pay --suite "Big smoke', ['open-quote Big smoke'], '/new-case Pay --suite "Big smoke"'],
    ['--priority high', ['no-title '], '/new-case … --priority high'],
    ['"" --priority high', ['no-title '], '/new-case … --priority high'],
    [`${LONG} --priority high`, ['long-title '], `/new-case ${LONG} --priority high`],
    [
      'Pay --prio --desc Open it --suite Big smoke',
      ['unknown-flag --prio', 'no-value --prio', 'unknown-flag --desc', 'stray it', 'stray smoke'],
      '/new-case Pay --priority … --suite "Big smoke" --description "Open it"',
    ],
  ])('“%s”', (text, faults, corrected) => {
    const read = readWords(text);
    if (read.kind !== 'create') throw new Error('it has options');
    expect(read.faults.map(({ code, word }) => `${code} ${word}`)).toEqual(faults);
    expect(writeWords(read)).toBe(corrected);
  });

  it('a text of only dashes is parsed without hanging', () => {
    expect(readWords('-'.repeat(300_000)).kind).toBeTypeOf('string');
  });

  it('the corrected command is valid', () => {
    const read = readWords('"Pay --by card" --priority low --type manual\n1. Open');
    if (read.kind !== 'create') throw new Error('it has options');
    expect(readWords(writeWords(read).replace('/new-case ', ''))).toEqual(read);
  });
});

describe('an option with any kind of dash is recognized', () => {
  it.each([
    'Pay by card \u2212\u2212priority high --type manual',
    'Pay by card -priority high --type manual',
    'Pay by card -- priority high --type manual',
    'Pay by card — priority high --type manual',
    'Pay by card \u2011\u2011priority high –type=manual',
    'Pay by card \uff0d\uff0dpriority high \uff0d\uff0dtype\uff1dmanual',
    'Pay by card \u2010\u2010priority high \u2015type manual',
    'Pay by card -\u2060-priority high `--type` manual',
    'Pay by card --priority: high --type manual',
  ])('%s', (text) => {
    const flags = { priority: 'high', type: 'manual' };
    expect(readWords(text)).toMatchObject({ kind: 'create', flags, faults: [] });
  });

  it.each([
    'Pay \u2212\u2212colour red --type manual',
    'Pay \u2212prio high --type manual',
    'Pay —prio high --type manual',
  ])('or is an error, and nothing is created: %s', (text) => {
    const words = readWords(text);
    if (words.kind !== 'create') throw new Error('it has an option');
    expect(words.faults.map(({ code }) => code)).toContain('unknown-flag');
  });
});

describe('dashes in a title', () => {
  it.each([
    'Login -- type the PIN',
    'Login — type the PIN',
    'Login -- enter the PIN',
    'Login \u2212\u2212 type the PIN',
    'Export -- project overview opens',
    'Sort -- priority',
    'Sort by -- type, then date',
    'Edit -- description of a page',
    'Login --- type the PIN',
    'Login --fails here',
    'Login --fails — type the PIN',
  ])('“%s” opens the form, and nothing is created', (text) => {
    expect(readWords(text)).toEqual({ kind: 'form', text });
  });

  it.each([
    ['Login -- priority high', { priority: 'high' }],
    ['Login -- priority hgih', { priority: 'hgih' }],
    ['Login -- type Manual', { type: 'Manual' }],
    ['Login — suite Smoke', { suite: 'Smoke' }],
  ])('“%s” is an option', (text, flags) => {
    expect(readWords(text)).toMatchObject({ kind: 'create', title: 'Login', flags, faults: [] });
  });

  it.each(['Login -- type the PIN --priority high', '-- type the PIN', '-- priority high'])(
    '“%s” is an error, and nothing is created',
    (text) => {
      const read = readWords(text);
      if (read.kind !== 'create') throw new Error('it has options');
      expect(read.faults).not.toEqual([]);
    },
  );
});
