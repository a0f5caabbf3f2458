import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundlePage } from './bundle-page.ts';

/** Everything the page consists of. */
export interface PageFiles extends Bundle {
  readonly document: string;
}

let loaded: Promise<PageFiles> | undefined;

/** Reads the page, once. It is bundled on the way, which takes about 0.1 s. */
export function pageFiles(): Promise<PageFiles> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<PageFiles> {
  const [document, bundle] = await Promise.all([
    beside('page.html'),
    bundlePage(fileURLToPath(new URL('client/main.tsx', import.meta.url))),
  ]);
  return { document, ...bundle };
}

function beside(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}
