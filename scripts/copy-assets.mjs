/** Copies what is read at run time and is no TypeScript from src to dist. */
import { cp } from 'node:fs/promises';
import { extname, join } from 'node:path';

const COPIED = new Set(['.lua', '.html']);
/** What runs in the browser is bundled by bundle-page.mjs. */
const CLIENT = join('src', 'sandbox', 'page', 'client');

await cp('src', 'dist', {
  recursive: true,
  filter: (path) => path !== CLIENT && (extname(path) === '' || COPIED.has(extname(path))),
});
