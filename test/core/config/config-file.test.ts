import { expect, it } from 'vitest';
import { ConfigFile } from '../../../src/core/config/config-file.ts';

function problemsOf(text: string): string[] {
  return new ConfigFile(text).problems.map(({ name, message }) => `${name} ${message}`);
}

it.each([
  ['a: [1, 2\nb: 3', 'gatepost.yaml:2:1 this is not valid YAML'],
  ['a: 1\n b: 2', 'gatepost.yaml:1:4 this is not valid YAML'],
  ['a:\n\tb: 1', 'gatepost.yaml:2:1 a tab is used for indentation: use spaces'],
  ['a: "x', 'gatepost.yaml:1:6 a quote or a bracket is not closed'],
  ['a: @x', 'gatepost.yaml:1:4 a value starts with a character that is reserved in YAML'],
  ['a: 1\n---\nb: 2', 'gatepost.yaml:2:1 a second document starts here'],
  ['a: !secret x', 'gatepost.yaml:1:4 a tag (!…) is used here'],
  ['a: 1\nb: *x', 'gatepost.yaml:2:4 an alias (*name) has no anchor'],
  ['a: *x\nb: &x 1', 'gatepost.yaml:1:4 an alias (*name) has no anchor'],
  ['a: &x [*x]', 'gatepost.yaml:1:1 the aliases (*name) lead to themselves, or there are too many'],
  ['? [a]\n: 1', 'gatepost.yaml:1:3 this is not valid YAML'],
])('%j cannot be read', (text, expected) => {
  const file = new ConfigFile(text);
  expect(problemsOf(text)[0]).toContain(expected);
  expect(file).toMatchObject({ isReadable: false, value: undefined });
});

it('a quote that is not closed is one problem of its line, not one for each character after it', () => {
  const file = `routes: {"x": }${'"a,'.repeat(99)}\nb: [\n`;
  expect(problemsOf(file).map((each) => each.split(':', 2)[1])).toEqual(['1', '3']);
});

it('a duplicate key is reported, and the rest of the file is still read', () => {
  const file = new ConfigFile('a: 1\na: 2');
  expect(file).toMatchObject({ isReadable: true, value: { a: 2 } });
  expect(problemsOf('a: 1\na: 2')).toEqual(['gatepost.yaml:2:1 this key appears twice']);
  expect(problemsOf('{a: 1, a: 2, b: 1, b: 2}')).toEqual([
    'gatepost.yaml:1:8 this key appears twice',
    'gatepost.yaml:1:20 this key appears twice',
  ]);
});

it('a problem points at its key or item, or at the nearest parent that exists', () => {
  const file = new ConfigFile('a:\n  - x\n  - b: 1\n    c: &one { d: 2 }\ne: *one\n');
  file.note(['e', 'd'], 'is below an alias');
  file.note(['a', 1, 'c', 'zzz'], 'is missing');
  file.note(['a', 1], 'is an item');
  file.note(['a', 7], 'is no item');
  file.note(['a', 1, 'c', 'd'], 'is deep');
  file.note([], 'is all');
  expect(file.problems.map(({ name, message }) => `${name} ${message}`)).toEqual([
    'gatepost.yaml:1:1 a[7] is no item',
    'gatepost.yaml:1:1 the file is all',
    'gatepost.yaml:3:5 a[1] is an item',
    'gatepost.yaml:4:5 a[1].c.zzz is missing',
    'gatepost.yaml:4:15 e.d is below an alias',
    'gatepost.yaml:4:15 a[1].c.d is deep',
  ]);
});

it('reads an empty text as no keys', () => {
  expect(new ConfigFile('')).toMatchObject({ isReadable: true, value: {}, problems: [] });
});
