import { expect, test } from 'vitest';
import { tableText } from '../../src/cli/table.ts';

test('a table may have as many rows as a large company has people', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => `p${index}@example.com`);
  const text = tableText(rows, [{ head: 'User name', cell: (row) => row }], null);
  expect(text.split('\n')).toHaveLength(200_002);
});
