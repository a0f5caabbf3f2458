import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { FEATURES, type FeatureName } from '../../app/features.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import type { SlackClient } from '../../core/slack/call-slack.ts';
import { askIdentityOnce } from '../../core/slack/identity.ts';
import { REQUIRED_SCOPES } from '../../core/slack/scopes.ts';
import { textOf } from '../env-file.ts';
import { ALL, EVENTS_PATH, readManifest } from '../manifest.ts';
import { MANIFEST_FILE } from './app-link.ts';

/** What this version's manifest has that the app's has not, and the other way round. */
export interface ManifestChanges {
  /** One for each difference, such as `+ event user_change`. */
  readonly lines: readonly string[];
  /** The arguments of `gatepost manifest` that print what to paste. */
  readonly words: string;
  /** What to paste, as JSON. */
  readonly manifest: string;
}

const names = z.array(z.string()).catch([]);

/** The members that decide what reaches the bot; the others are only shown. */
const parts = z.looseObject({
  features: z
    .looseObject({
      slash_commands: z
        .array(z.looseObject({ command: z.string(), should_escape: z.boolean().catch(false) }))
        .catch([]),
      shortcuts: z.array(z.looseObject({ callback_id: z.string() })).catch([]),
    })
    .catch({ slash_commands: [], shortcuts: [] }),
  oauth_config: z
    .looseObject({ scopes: z.looseObject({ bot: names }) })
    .catch({ scopes: { bot: [] } }),
  settings: z
    .looseObject({
      socket_mode_enabled: z.boolean().catch(false),
      event_subscriptions: z
        .looseObject({ bot_events: names, request_url: z.string().optional().catch(undefined) })
        .catch({ bot_events: [] }),
    })
    .catch({ socket_mode_enabled: false, event_subscriptions: { bot_events: [] } }),
});
type Parts = z.infer<typeof parts>;

/** The manifest that Slack was given, beside this file with settings; undefined: it is not known. */
export function givenManifest(envFile: string): Parts | undefined {
  const text = textOf(join(dirname(envFile), MANIFEST_FILE));
  if (text === undefined) return undefined;
  try {
    return parts.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Compares with the manifest of this version for the same features and the same way to receive. */
export async function manifestChanges(given: Parts): Promise<ManifestChanges> {
  const { event_subscriptions: events, socket_mode_enabled: isSocket } = given.settings;
  const base = isSocket ? null : (events.request_url?.replace(EVENTS_PATH, '') ?? null);
  const features = featuresIn(given);
  const manifest: unknown = parse(await readManifest(base, features));
  const now = parts.parse(manifest);
  const kinds = Object.keys(NAMES) as (keyof typeof NAMES)[]; // as: its own keys
  const lines = kinds.flatMap((kind) => [
    ...missingIn(given, now, kind).map((name) => `+ ${kind} ${name}`),
    ...missingIn(now, given, kind).map((name) => `- ${kind} ${name}`),
  ]);
  const only = features.length < ALL.length ? ` --features ${features.join(',')}` : '';
  return {
    lines,
    words: `${base === null ? '--socket' : `--url ${base}`}${only}`,
    manifest: `${JSON.stringify(manifest, null, 2)}\n`,
  };
}

const NAMES = {
  command: ({ features }: Parts) =>
    features.slash_commands.map(({ command, should_escape: escapes }) =>
      escapes ? `${command} (should_escape)` : command,
    ),
  shortcut: ({ features }: Parts) => features.shortcuts.map(({ callback_id }) => callback_id),
  event: ({ settings }: Parts) => settings.event_subscriptions.bot_events,
  scope: ({ oauth_config }: Parts) => oauth_config.scopes.bot,
} as const;

function missingIn(one: Parts, other: Parts, kind: keyof typeof NAMES): readonly string[] {
  const has = new Set(NAMES[kind](one));
  return NAMES[kind](other).filter((name) => !has.has(name));
}

/** Approvals, and those of whose commands the app has one. */
function featuresIn({ features }: Parts): readonly FeatureName[] {
  const given = features.slash_commands.map(({ command }) => command);
  return ALL.filter(
    (name) =>
      name === 'approvals' ||
      FEATURES[name].slack?.commands.some((command) => given.includes(command)),
  );
}

/** The scopes that Slack has not granted; RemoteFailure: it could not be asked; null: it does not say. */
export async function missingScopes(
  client: SlackClient,
): Promise<readonly string[] | RemoteFailure | null> {
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure || told.scopes === null) {
    return told instanceof RemoteFailure ? told : null;
  }
  const granted = told.scopes;
  return Object.keys(REQUIRED_SCOPES).filter((scope) => !granted.includes(scope));
}
