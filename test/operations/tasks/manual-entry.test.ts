import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEntry as readEntryOf } from '../../../src/operations/tasks/manual-entry.ts';

const A = '6f1c4e52-0a1b-4c2d-8e3f-1a2b3c4d5e6f';
const B = '7a2d5f63-1b2c-4d3e-9f40-2b3c4d5e6f70';
const AT = '2030-01-01T10:00:00.123456+02:00';

const project = (id: string, ...names: string[]) => ({
  id,
  name: id,
  space: null,
  slug: null,
  types: [],
  statuses: names.map((name) => ({ id: `${id}-${name.toLowerCase().replace(' ', '-')}`, name })),
});
const PROJECTS = [project('ops', 'Open', 'In progress', 'Done'), project('web', 'To do', 'Done')];
const readEntry = (text: string) => readEntryOf(text, PROJECTS);

const faultsOf = (text: string) => {
  const entered = readEntry(text);
  return entered.ok ? [] : entered.faults.map(({ line, message }) => `${line} ${message}`);
};

it('reads an item and its sub-items', () => {
  expect(readEntry(`\n ${A} OPS-12 ${AT} st-1\n\n${B}\tOPS-13\tst-2\r\n`)).toEqual({
    ok: true,
    item: {
      id: A,
      key: 'OPS-12',
      title: null,
      updatedAt: AT,
      projectId: null,
      status: 'st-1',
      subItems: [{ id: B, key: 'OPS-13', title: null, status: 'st-2', subItems: [] }],
    },
  });
});

it.each([`${A},${AT},st-1`, `${A}; ${AT}; st-1`, `${AT} ${A} st-1`, `| ${A} | ${AT} | st-1 |`])(
  'reads %s',
  (line) => {
    expect(readEntry(line)).toMatchObject({
      ok: true,
      item: { id: A, key: null, updatedAt: AT, status: 'st-1' },
    });
  },
);

it.each([
  '2030-01-01T10:00:00+0100',
  '2030-01-01T10:00',
  '20300101T100000Z',
  '2030-01-01T10:00:00.1234567890123Z',
  '2030-01-01T10:00:00,123Z',
  '2030-01-01T10:00:00,123',
])('keeps the time %s unchanged', (updatedAt) => {
  for (const line of [`${A} ${updatedAt} st-1`, `${A},${updatedAt},12`, `${updatedAt},${A},12`]) {
    expect(readEntry(line)).toMatchObject({ ok: true, item: { id: A, updatedAt } });
  }
});

it('reads a status that looks like an id or a key', () => {
  expect(readEntry(`${A} ${AT} ${B}`)).toMatchObject({ item: { id: A, status: B } });
  expect(readEntry(`${A} ${AT} IN-1`)).toMatchObject({ item: { key: null, status: 'IN-1' } });
  expect(readEntry(`${A} OPS-1 ${AT} IN-1`)).toMatchObject({
    item: { key: 'OPS-1', status: 'IN-1' },
  });
});

it.each([
  ['In progress', 'Done', ['ops-in-progress', 'ops-done']],
  ['to DO', 'web-done', ['web-to-do', 'web-done']],
  ['st-unlisted', 'Open', ['st-unlisted', 'ops-open']],
])('finds the names of statuses of one project: %s, %s', (first, second, ids) => {
  const entered = readEntry(`${A} OPS-1 ${AT} ${first}\n${B} ${second}`);
  if (!entered.ok) throw new Error('it is understood');
  const { status, subItems } = entered.item;
  expect([status, subItems[0]?.status]).toEqual(ids);
});

describe('errors in an entry name their line', () => {
  it.each([
    ['', ['0 Enter at least one line.']],
    ['OPS-12', ['1 the id is missing (such as 6f1c4e52-…)']],
    [`${A} ${AT}`, ['1 the status is missing after the id and the time']],
    [`${A} st-1`, ['1 updatedAt is missing (such as 2030-01-01T10:00:00Z)']],
    [`${A} ${AT} ${AT} st-1`, ['1 it has two times']],
    [`${A} ${AT} in progres`, ['1 there is no status "in progres": did you mean In progress?']],
    [`${A} ${AT} Done`, ['1 several statuses are called "Done": use an id (ops-done, web-done)']],
    [
      `${A} ${AT} Open\n${B} To do`,
      [
        '1 several statuses are called "Open": use an id (ops-open)',
        '2 several statuses are called "To do": use an id (web-to-do)',
      ],
    ],
    [`${A} ${AT} st-1\n${B}`, ['2 the status is missing after the id']],
    [`${A} ${AT} st-1\n\n${A} st-2`, ['3 it has the same id as line 1']],
    [
      `OPS-12 ${AT} st-1\n${B} st-2\nOPS-14`,
      ['1 the id is missing (such as 6f1c4e52-…)', '3 the id is missing (such as 6f1c4e52-…)'],
    ],
    [
      `${A} 2030-01-01 st-1`,
      [
        '1 "2030-01-01 st-1" is no status; a line has an id, a key, a time and a status',
        '1 updatedAt is missing (such as 2030-01-01T10:00:00Z)',
      ],
    ],
  ])('%j', (text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });
});

it('any text is either an error or an item in which each id occurs once', () => {
  const word = fc.oneof(fc.constantFrom(A, B, AT, 'st-1', 'OPS-1', ' ', '\n', ','), fc.string());
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const entered = readEntry(words.join(' '));
      if (!entered.ok) return entered.faults.length > 0;
      const ids = [entered.item.id, ...entered.item.subItems.map(({ id }) => id)];
      return new Set(ids).size === ids.length && entered.item.updatedAt === AT;
    }),
  );
});
