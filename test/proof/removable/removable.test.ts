import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FEATURES, type OwnParts } from '../../../proof/removable/features.ts';
import { copySources } from '../../../proof/removable/measure.ts';
import { countsIn, PAGE } from '../../../proof/removable/table.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const features: Readonly<Record<string, OwnParts>> = FEATURES;

test('no feature is cut through more files than the page says', async () => {
  const allowed = countsIn(await readFile(`${root}/${PAGE}`, 'utf8'));
  expect([...allowed.keys()]).toEqual(Object.keys(features));
  await using copy = await copySources(root);
  for (const [name, parts] of Object.entries(features)) {
    const others = await copy.othersOf(parts);
    const most = allowed.get(name) ?? 0;
    expect(others.length, `${name}: ${others.join(', ')}`).toBeLessThanOrEqual(most);
  }
});
