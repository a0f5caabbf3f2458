import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Exchange } from '../exchange.ts';

interface File {
  readonly name: keyof PageFiles;
  readonly type: string;
}

const document: File = { name: 'document', type: 'text/html' };
const files: Readonly<Record<string, File>> = {
  '/': document,
  '/page/client.js': { name: 'script', type: 'text/javascript' },
  '/page/client.css': { name: 'style', type: 'text/css' },
};

/**
 * Sends one of the page's files; false: the path names none. @param client the browser program; default the page's own
 */
export async function servePage({ path, respond }: Exchange, client?: URL): Promise<boolean> {
  const file = Object.hasOwn(files, path) ? files[path] : isPlace(path) ? document : undefined;
  if (!file) return false;
  respond({
    status: 200,
    headers: {
      'content-type': `${file.type}; charset=utf-8`,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    body: (await pageFiles(client))[file.name],
  });
  return true;
}

/** A channel, or a message in it, in the format of Slack's permalinks. The browser program reads the path. */
function isPlace(path: string): boolean {
  return /^\/archives\/[A-Z0-9]+(\/p\d+)?$/.test(path);
}

const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The files of the page, as text. */
export interface PageFiles {
  readonly document: string;
  readonly script: string;
  readonly style: string;
}

/** The bundled page of a build. */
declare const BUILT_PAGE: PageFiles | undefined;

const ownClient = new URL('client/main.tsx', import.meta.url);
const loaded = new Map<string, Promise<PageFiles>>();

/** Reads the page, once. Bundling it takes about 0.1 s. */
function pageFiles(client = ownClient): Promise<PageFiles> {
  // A build has one page; there the programs of all its pages have this address.
  if (client.href === ownClient.href && typeof BUILT_PAGE !== 'undefined')
    return Promise.resolve(BUILT_PAGE);
  const known = loaded.get(client.href);
  if (known) return known;
  const files = readPage(client).catch((error: unknown) => {
    loaded.delete(client.href);
    throw error;
  });
  loaded.set(client.href, files);
  return files;
}

/** Bundles the browser program. */
export async function readPage(client = ownClient): Promise<PageFiles> {
  // Loaded only when the page is opened.
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(client)],
    outdir: 'page',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  await stop();
  const text = (end: string): string =>
    outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const document = await readFile(new URL('page.html', import.meta.url), 'utf8');
  return { document, script: text('.js'), style: text('.css') };
}
