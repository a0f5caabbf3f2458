/** Copies what is read at run time and is no TypeScript from src to dist. */
import { cp } from 'node:fs/promises';
import { extname } from 'node:path';

const COPIED = new Set(['.lua', '.html', '.css', '.js', '.svg']);

await cp('src', 'dist', {
  recursive: true,
  filter: (path) => extname(path) === '' || COPIED.has(extname(path)),
});
