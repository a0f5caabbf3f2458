import { parse } from 'yaml';
import * as z from 'zod';
import { subscriptions } from './event-kinds.ts';

/** What the workspace knows about the installed app: scopes, commands, shortcuts, events and tabs of its manifest. */
export interface Manifest {
  /** The display name of the app and its bot. */
  readonly appName: string;
  readonly botName: string;
  /** Granted to the bot. */
  readonly scopes: readonly string[];
  readonly commands: readonly SlashCommand[];
  /** Commands that are not listed reach the app, too. */
  readonly takesAnyCommand: boolean;
  readonly shortcuts: readonly Shortcut[];
  /** Subscriptions of the bot: `app_home_opened`, `message.im`, … */
  readonly events: readonly string[];
  /** Types of message metadata that it is told about; null: all. */
  readonly metadataTypes: readonly string[] | null;
  readonly homeTab: boolean;
  /** `open`: people and the app can write to each other. `readOnly`: only the app to people. `off`: neither. */
  readonly messagesTab: 'open' | 'readOnly' | 'off';
  /** Whether buttons, modals and shortcuts reach the app. */
  readonly interactive: boolean;
  /** Where the app wants what Slack sends. */
  readonly urls: ManifestUrls;
  /** Over HTTP an external select gets options only if the manifest names a URL for them. */
  readonly optionsUrl: boolean;
}

/** Addresses in a manifest; undefined: it names none. */
interface ManifestUrls {
  readonly events?: string | undefined;
  readonly interactivity?: string | undefined;
  readonly options?: string | undefined;
  /** By command, with its slash. */
  readonly commands: Readonly<Record<string, string>>;
}

export interface SlashCommand {
  /** With its slash. */
  readonly command: string;
  readonly description: string;
  readonly usageHint: string;
  /** Typed mentions arrive as ids. */
  readonly escapes: boolean;
}

export interface Shortcut {
  readonly name: string;
  readonly description: string;
  readonly type: 'message' | 'global';
  readonly callbackId: string;
}

const command = z
  .object({
    command: z.string(),
    description: z.string(),
    usage_hint: z.string().default(''),
    should_escape: z.boolean().default(false),
    url: z.string().optional(),
  })
  .transform(({ usage_hint, should_escape, ...rest }) => ({
    ...rest,
    usageHint: usage_hint,
    escapes: should_escape,
  }));

const shortcut = z
  .object({
    name: z.string(),
    description: z.string(),
    type: z.enum(['message', 'global']),
    callback_id: z.string(),
  })
  .transform(({ callback_id, ...rest }) => ({ ...rest, callbackId: callback_id }));

const file = z.object({
  display_information: z.object({ name: z.string() }).default({ name: 'Your app' }),
  features: z
    .object({
      bot_user: z.object({ display_name: z.string() }).optional(),
      slash_commands: z.array(command).default([]),
      shortcuts: z.array(shortcut).default([]),
      app_home: z
        .object({
          home_tab_enabled: z.boolean().default(false),
          messages_tab_enabled: z.boolean().default(true),
          messages_tab_read_only_enabled: z.boolean().default(false),
        })
        .prefault({}),
    })
    .prefault({}),
  oauth_config: z
    .object({ scopes: z.object({ bot: z.array(z.string()).default([]) }).prefault({}) })
    .prefault({}),
  settings: z
    .object({
      event_subscriptions: z
        .object({
          request_url: z.string().optional(),
          bot_events: z.array(z.string()).default([]),
          metadata_subscriptions: z.array(z.object({ event_type: z.string() })).default([]),
        })
        .prefault({}),
      interactivity: z
        .object({
          is_enabled: z.boolean(),
          request_url: z.string().optional(),
          message_menu_options_url: z.string().optional(),
        })
        .default({ is_enabled: false }),
    })
    .prefault({}),
});

/** @param text a manifest as YAML, or as JSON, which is also YAML. Throws if it is not a manifest. */
export function readManifest(text: string): Manifest {
  const { data, error } = file.safeParse(parse(text));
  if (error) {
    const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`not a manifest: ${problems.join('; ')}`);
  }
  const { display_information, features, oauth_config, settings } = data;
  const { name } = display_information;
  return {
    appName: name,
    botName: features.bot_user?.display_name ?? name,
    scopes: oauth_config.scopes.bot,
    commands: features.slash_commands.map(({ url: _, ...known }) => known),
    takesAnyCommand: false,
    shortcuts: features.shortcuts,
    events: settings.event_subscriptions.bot_events,
    // There is one app here: from which one it wants metadata does not matter.
    metadataTypes: settings.event_subscriptions.metadata_subscriptions.map(
      (each) => each.event_type,
    ),
    homeTab: features.app_home.home_tab_enabled,
    messagesTab: messagesTabOf(features.app_home),
    interactive: settings.interactivity.is_enabled,
    urls: {
      events: settings.event_subscriptions.request_url,
      interactivity: settings.interactivity.request_url,
      options: settings.interactivity.message_menu_options_url,
      commands: Object.fromEntries(
        features.slash_commands.flatMap(({ command, url }) => (url ? [[command, url]] : [])),
      ),
    },
    optionsUrl: settings.interactivity.message_menu_options_url !== undefined,
  };
}

/** Every scope that something here requires, except `chat:write.public`: with it `not_in_channel` would never occur. */
const everyScope = [
  'app_mentions:read',
  'channels:history',
  'channels:join',
  'channels:manage',
  'channels:read',
  'chat:write',
  'chat:write.customize',
  'commands',
  'groups:history',
  'groups:read',
  'groups:write',
  'im:history',
  'im:read',
  'im:write',
  'metadata.message:read',
  'mpim:read',
  'mpim:write',
  'reactions:read',
  'reactions:write',
  'team:read',
  'usergroups:read',
  'users.profile:read',
  'users:read',
  'users:read.email',
];

/** For an app without a manifest: it has every scope and gets every event. */
export const openManifest: Manifest = {
  appName: 'Your app',
  botName: 'Your app',
  scopes: everyScope,
  commands: [],
  takesAnyCommand: true,
  shortcuts: [],
  events: subscriptions,
  metadataTypes: null,
  homeTab: true,
  messagesTab: 'open',
  interactive: true,
  urls: { commands: {} },
  optionsUrl: true,
};

function messagesTabOf(
  tabs: z.infer<typeof file>['features']['app_home'],
): Manifest['messagesTab'] {
  if (!tabs.messages_tab_enabled) return 'off';
  return tabs.messages_tab_read_only_enabled ? 'readOnly' : 'open';
}
