/**
 * `npm run removable`: how many other files of `src` have to be edited to take out each feature of approvals. Writes the
 * table into `README.md` beside this file. `-- --list` names the files, and `-- hold` measures only that feature; neither
 * writes anything.
 */

import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FEATURES } from './features.ts';
import { copySources } from './measure.ts';
import { PAGE, withTable } from './table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});

await using copy = await copySources(root);
const counts: [string, number][] = [];
for (const [name, parts] of Object.entries(FEATURES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const others = await copy.othersOf(parts);
  counts.push([name, others.length]);
  process.stdout.write(`${String(others.length).padStart(3)}  ${name}\n`);
  if (values.list) process.stdout.write(others.map((path) => `       ${path}\n`).join(''));
}
if (positionals.length === 0 && !values.list) {
  const page = `${root}/${PAGE}`;
  await writeFile(page, withTable(await readFile(page, 'utf8'), counts));
}
