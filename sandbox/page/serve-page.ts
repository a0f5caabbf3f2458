import { type Exchange, send } from '../exchange.ts';
import { type PageFiles, pageFiles } from './page-files.ts';

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
export async function servePage({ path, response }: Exchange): Promise<boolean> {
  const file = Object.hasOwn(files, path) ? files[path] : isPlace(path) ? document : undefined;
  if (!file) return false;
  send(response, {
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
