import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FEATURES, type OwnParts } from '../../../proof/removable/features.ts';
import { copySources } from '../../../proof/removable/measure.ts';
import { countsIn, PAGE } from '../../../proof/removable/table.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const features: Readonly<Record<string, OwnParts>> = FEATURES;

/** In `proof/removable/README.md`: a feature that needs more was built in the wrong place. */
const MOST_OTHERS = 3;

const allowed = countsIn(await readFile(`${root}/${PAGE}`, 'utf8'));

test('the page has a row for each feature', () => {
  expect([...allowed.keys()]).toEqual(Object.keys(features));
});

test.each(Object.entries(features))(
  '%s is cut through no more files than the page says, or than three',
  async (name, parts) => {
    await using copy = await copySources(root);
    const others = await copy.othersOf(parts);
    const most = Math.min(allowed.get(name) ?? 0, MOST_OTHERS);
    expect(others.length, others.join(', ')).toBeLessThanOrEqual(most);
  },
);
