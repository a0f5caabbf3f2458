import { expect, test } from 'vitest';
import { type Column, tableText } from '../../src/cli/table.ts';

const COLUMNS: readonly Column<string>[] = [
  { head: 'User name', cell: (row) => row, whole: true, keep: true },
  { head: 'Name', cell: () => 'Somebody with a long name' },
  { head: 'State', cell: () => 'active', whole: true, keep: true },
  { head: 'Id', cell: () => '0123456789', whole: true },
];

test('a table may have as many rows as a large company has people', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => `p${index}@example.com`);
  const text = tableText(rows, [{ head: 'User name', cell: (row) => row }], null);
  expect(text.split('\n')).toHaveLength(200_002);
});

test('a narrow terminal keeps what has to be seen, and is told what it does not show', () => {
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
