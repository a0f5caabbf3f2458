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

/** Sends one of the page's files; false when the path names none. */
export async function servePage({ path, respond }: Exchange): Promise<boolean> {
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
    body: (await pageFiles())[file.name],
  });
  return true;
}

/** A channel, or a message in it: the form of Slack's permalinks. The document finds the way itself. */
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

/** Everything the page consists of. */
interface PageFiles extends Bundle {
  readonly document: string;
}

let loaded: Promise<PageFiles> | undefined;

/** Reads the page, once. It is bundled on the way, which takes about 0.1 s. */
function pageFiles(): Promise<PageFiles> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<PageFiles> {
  const [document, bundle] = await Promise.all([beside('page.html'), bundleClient()]);
  return { document, ...bundle };
}

function beside(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}

/** The page's program and its looks, each as the text of one file. */
interface Bundle {
  readonly script: string;
  readonly style: string;
}

/** Bundles what runs in the browser. */
async function bundleClient(): Promise<Bundle> {
  // Only loaded when the page is opened.
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('client/main.tsx', import.meta.url))],
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
  return { script: text('.js'), style: text('.css') };
}
