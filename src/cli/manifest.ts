import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Document, isMap, isScalar, isSeq, parse, parseDocument } from 'yaml';
import { FEATURE_NAMES, FEATURES, type FeatureName } from '../app/features.ts';
import { address } from '../core/config/values.ts';
import { closest } from '../core/lib/closest.ts';
import type { Terminal } from './terminal.ts';

/** The package's root: the build output is in `dist`. */
const ROOT = import.meta.url.endsWith('.ts') ? '../..' : '..';
const MANIFEST = new URL(`${ROOT}/manifest.yml`, import.meta.url);
export const EVENTS_PATH = '/slack/events';

/** Those that the description mentions first. */
export const ALL = FEATURE_NAMES.filter((name) => FEATURES[name].slack !== undefined).toSorted(
  (one, other) => Number(isUnmentioned(one)) - Number(isUnmentioned(other)),
);

function isUnmentioned(name: FeatureName): boolean {
  return FEATURES[name].slack?.does === null;
}

interface ManifestOptions {
  readonly features?: string;
  readonly url?: string;
  readonly socket?: boolean;
  readonly json?: true;
}

/** `manifest`: prints the Slack app's manifest with the bot's address, to paste into Slack. */
export function addManifest(manifest: Command, { stdout }: Terminal): void {
  manifest
    .option('--url <address>', "the bot's public address, https://…")
    .option('--socket', 'for Socket Mode: no public address is needed')
    .option('--features <list>', `comma-separated: approvals (always), ${ALL.slice(1).join(', ')}`)
    .option('--json', 'as JSON, not as YAML')
    .action(async ({ url, socket = false, features, json }: ManifestOptions, command: Command) => {
      if (url === undefined && !socket) {
        command.error("error: give the bot's public address with --url, or add --socket.");
      }
      const base = address.safeParse(url ?? 'https://localhost');
      if (!base.success) command.error(`error: --url ${base.error.issues[0]?.message}.`);
      const wanted = features === undefined ? ALL : readFeatures(features, command);
      const text = await readManifest(socket ? null : base.data, wanted);
      stdout.write(json ? `${JSON.stringify(parse(text), null, 2)}\n` : text);
    });
}

/** The manifest of this version. `base`: the bot's public address; null: for Socket Mode. */
export async function readManifest(
  base: string | null,
  features: readonly FeatureName[] = ALL,
): Promise<string> {
  const text = await readFile(MANIFEST, 'utf8');
  return manifestFor(text, base === null ? null : `${base}${EVENTS_PATH}`, features);
}

/** Always includes approvals, which cannot be switched off. */
export function readFeatures(list: string, command: Command): readonly FeatureName[] {
  const words = list.split(',').map((word) => word.trim());
  for (const word of words) {
    if (ALL.some((feature) => feature === word)) continue;
    const near = closest(word, ALL);
    const next = near === undefined ? `Known: ${ALL.join(', ')}.` : `Did you mean ${near}?`;
    command.error(`error: unknown feature '${word}'. ${next}`);
  }
  return ALL.filter((feature) => feature === 'approvals' || words.includes(feature));
}

/** The manifest with this address in every url; null: without urls, for Socket Mode. */
export function manifestFor(
  text: string,
  eventsUrl: string | null,
  features: readonly FeatureName[] = ALL,
): string {
  // Its comments describe changes that are made here.
  const manifest = parseDocument(text.replace(/^[ \t]*#.*\n/gm, ''));
  setUrls(manifest.contents, eventsUrl);
  manifest.setIn(['settings', 'socket_mode_enabled'], eventsUrl === null);
  if (features.length < ALL.length) keepFeatures(manifest, features);
  return manifest.toString({ lineWidth: 0 });
}

function keepFeatures(manifest: Document, features: readonly FeatureName[]): void {
  const kept = features.flatMap((feature) => FEATURES[feature].slack ?? []);
  const deeds = kept.flatMap(({ does }) => does ?? []);
  const [last, ...before] = deeds.toReversed();
  const does = before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
  manifest.setIn(['display_information', 'description'], `${does} from Slack`);
  const keep = (path: readonly string[], key: string | null, names: readonly string[]) => {
    const list = manifest.getIn(path);
    if (!isSeq(list)) return;
    list.items = list.items.filter((item) => {
      const name = key !== null && isMap(item) ? item.get(key) : isScalar(item) && item.value;
      return typeof name === 'string' && names.includes(name);
    });
    // Slack does not accept empty lists.
    if (list.items.length === 0) manifest.deleteIn(path);
  };
  const all = (of: 'commands' | 'shortcuts' | 'events') => kept.flatMap((part) => part[of]);
  keep(['features', 'slash_commands'], 'command', all('commands'));
  keep(['features', 'shortcuts'], 'callback_id', all('shortcuts'));
  keep(['settings', 'event_subscriptions', 'bot_events'], null, all('events'));
  if (kept.some(({ hasOptions }) => hasOptions)) return;
  manifest.deleteIn(['settings', 'interactivity', 'message_menu_options_url']);
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
