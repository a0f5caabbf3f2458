import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { usualVariant } from '../../service/variant.ts';

it('the documentation lists every variant, with the default value first', async () => {
  const text = await readFile(new URL('../../service/README.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| (?:`([^`]+)`|any name)/gm)];
  expect(Object.fromEntries(rows.map(([, name, usual]) => [name, usual ?? 'prompt']))).toEqual(
    Object.fromEntries(Object.entries(usualVariant).map(([name, value]) => [name, String(value)])),
  );
});
