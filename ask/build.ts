/** Builds the package: the program with the packages it uses, and the scripts and the action that ask without it. */
import { cp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundle, licensesOf } from '../scripts/bundle.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await rm(here('dist'), { recursive: true, force: true });
const { dependencies } = await bundle([{ in: here('main.ts'), out: 'main' }], here('dist'));
await writeFile(here('dist/LICENSES'), await licensesOf(dependencies));
// Pipelines name them by their addresses in the repository, so that is where they are; the package contains a copy,
// without pages, whose links lead into the repository.
const filter = (path: string) => !path.endsWith('.md');
for (const name of ['agents', 'curl', 'github']) {
  const copy = here(`dist/integrations/${name}`);
  await cp(here(`../integrations/${name}`), copy, { recursive: true, filter });
}
