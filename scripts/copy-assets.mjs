/** Copies what is read at run time and is no TypeScript from src to dist. */
import { cp } from 'node:fs/promises';
import { extname } from 'node:path';

await cp('src', 'dist', {
  recursive: true,
  filter: (path) => extname(path) === '' || extname(path) === '.lua',
});
