import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { address } from '../core/config/values.ts';
import type { Terminal } from './terminal.ts';

/** Of the package. All that is built lies in `dist` itself. */
const ROOT = import.meta.url.endsWith('.ts') ? '../..' : '..';
const MANIFEST = new URL(`${ROOT}/manifest.yml`, import.meta.url);
const EVENTS_PATH = '/slack/events';

interface ManifestOptions {
  readonly url?: string;
  readonly socket?: boolean;
}

/** `manifest`: the Slack app's manifest with the bot's own address in it, to paste into Slack. */
export function addManifest(program: Command, { stdout }: Terminal): void {
  program
    .command('manifest')
    .description('print the manifest of the Slack app, to paste into Slack')
    .option('--url <address>', "the bot's public address, https://…")
    .option('--socket', 'for Socket Mode: no public address is needed')
    .action(async ({ url, socket = false }: ManifestOptions, command: Command) => {
      if (url === undefined && !socket) {
        command.error("error: give the bot's public address with --url, or add --socket.");
      }
      const base = address.safeParse(url ?? 'https://localhost');
      if (!base.success) command.error(`error: --url ${base.error.issues[0]?.message}.`);
      const text = await readFile(MANIFEST, 'utf8');
      stdout.write(manifestFor(text, socket ? null : `${base.data}${EVENTS_PATH}`));
    });
}

/** The manifest with this address in every url; null: for Socket Mode, without any. */
export function manifestFor(text: string, eventsUrl: string | null): string {
  // What its comments tell people to do is done here.
  const manifest = parseDocument(text.replace(/^[ \t]*#.*\n/gm, ''));
  setUrls(manifest.contents, eventsUrl);
  manifest.setIn(['settings', 'socket_mode_enabled'], eventsUrl === null);
  return manifest.toString({ lineWidth: 0 });
}

function setUrls(node: unknown, url: string | null): void {
  if (isSeq(node)) for (const item of node.items) setUrls(item, url);
  if (!isMap(node)) return;
  for (const { key, value } of [...node.items]) {
    const name = isScalar(key) ? String(key.value) : '';
    if (!/(^|_)url$/.test(name)) setUrls(value, url);
    else if (url === null) node.delete(key);
    else if (isScalar(value)) value.value = url;
  }
}
