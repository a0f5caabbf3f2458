import { readFile } from 'node:fs/promises';
import { type Exchange, send } from '../exchange.ts';

const files: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'page.html', type: 'text/html' },
  '/page/page.css': { name: 'page.css', type: 'text/css' },
  ...Object.fromEntries(
    [
      'ask-sandbox.js',
      'draw-approvals.js',
      'draw-items.js',
      'draw-message.js',
      'hint.js',
      'make.js',
      'mrkdwn.js',
      'page.js',
    ].map((name) => [`/page/${name}`, { name, type: 'text/javascript' }]),
  ),
};

/** Sends one of the page's files; false when the path names none. */
export async function servePage({ path, response }: Exchange): Promise<boolean> {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (!file) return false;
  send(response, {
    status: 200,
    headers: {
      'content-type': `${file.type}; charset=utf-8`,
      'content-security-policy': "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
      'cache-control': 'no-store',
    },
    body: await readFile(new URL(file.name, import.meta.url), 'utf8'),
  });
  return true;
}
