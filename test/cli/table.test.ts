import { expect, test } from 'vitest';
import { createJson, safeJson } from '../../src/cli/output.ts';
import { type Column, createTable, tableText } from '../../src/cli/table.ts';

const COLUMNS: readonly Column<string>[] = [
  { head: 'User name', cell: (row) => row, whole: true, keep: true },
  { head: 'Name', cell: () => 'Somebody with a long name' },
  { head: 'State', cell: () => 'active', whole: true, keep: true },
  { head: 'Id', cell: () => '0123456789', whole: true },
];

test('a table can have 200,000 rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => `p${index}@example.com`);
  const text = tableText(rows, [{ head: 'User name', cell: (row) => row }], null);
  expect(text.split('\n')).toHaveLength(200_002);
});

test('a narrow terminal shows the essential columns, and says how many are hidden', () => {
  expect(tableText(['ana@example.com'], COLUMNS, 60)).toMatchInlineSnapshot(`
    "User name        Name                     State   Id
    ana@example.com  Somebody with a long n…  active  0123456789
    "
  `);
  expect(tableText(['ana@example.com'], COLUMNS, 45)).toMatchInlineSnapshot(`
    "User name        Name          State
    ana@example.com  Somebody wi…  active
    1 column does not fit here: --json shows all.
    "
  `);
  expect(tableText(['ana@example.com'], COLUMNS, 20)).toMatchInlineSnapshot(`
    "User name        State
    ana@example.com  active
    2 columns do not fit here: --json shows all.
    "
  `);
});

test('a table written in parts widens its columns as needed, and keeps them in order', () => {
  const table = createTable(COLUMNS, null);
  const parts = [
    ['a@example.com', 'b@example.com'],
    ['somebody.else@example.com'],
    ['c@example.com'],
  ];
  expect([...parts.map((rows) => table.rows(rows)), table.end()].join('')).toMatchInlineSnapshot(`
    "User name      Name                       State   Id
    a@example.com  Somebody with a long name  active  0123456789
    b@example.com  Somebody with a long name  active  0123456789
    somebody.else@example.com  Somebody with a long name  active  0123456789
    c@example.com              Somebody with a long name  active  0123456789
    "
  `);
  const narrow = createTable(COLUMNS, 45);
  const fitted = [...parts.map((rows) => narrow.rows(rows)), narrow.end()].join('');
  expect(fitted).toMatchInlineSnapshot(`
    "User name      Name          State
    a@example.com  Somebody wi…  active
    b@example.com  Somebody wi…  active
    somebody.else@example.com  Somebody wi…  active
    c@example.com              Somebody wi…  active
    1 column does not fit here: --json shows all.
    "
  `);
  expect(createTable(COLUMNS, 45).end()).toBe('');
});

test('JSON that is written in parts is the same as all at once', () => {
  const rows = [
    { a: 'x\n\u202e[]', b: [] },
    { a: '', b: [1, { c: null }] },
    { a: '[]', b: [] },
  ];
  for (const count of [0, 1, 2, 3]) {
    const list = createJson([]);
    const named = createJson<(typeof rows)[number]>({ name: '[]', rows: [] }, ({ a }) => a);
    const some = rows.slice(0, count);
    const written = (writer: typeof list | typeof named) =>
      some.map((row) => writer.rows([row])).join('') + writer.end();
    expect(written(list)).toBe(safeJson(some));
    expect(written(named)).toBe(safeJson({ name: '[]', rows: some.map(({ a }) => a) }));
  }
});
