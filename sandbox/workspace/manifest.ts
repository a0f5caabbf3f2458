import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

/** What the workspace knows of the installed app: scopes, commands, shortcuts, events and tabs from its manifest. */
export interface Manifest {
  /** Granted to the bot. */
  readonly scopes: readonly string[];
  readonly commands: readonly SlashCommand[];
  readonly shortcuts: readonly Shortcut[];
  /** Subscriptions of the bot: `app_home_opened`, `message.im`, … */
  readonly events: readonly string[];
  readonly homeTab: boolean;
  /** Whether people and the app can write to each other, or only the app to people, or neither. */
  readonly messagesTab: 'open' | 'readOnly' | 'off';
  /** Whether buttons, modals and shortcuts reach the app. */
  readonly interactive: boolean;
  /** An external select gets its options over HTTP only where the manifest says from where. */
  readonly optionsUrl: boolean;
}

export interface SlashCommand {
  /** With its slash. */
  readonly command: string;
  readonly description: string;
  readonly usageHint: string;
  /** Mentions typed with it arrive as ids. */
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
  features: z
    .object({
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
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z
    .object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()).default([]) }).optional(),
      interactivity: z
        .object({ is_enabled: z.boolean(), message_menu_options_url: z.string().optional() })
        .default({ is_enabled: false }),
    })
    .prefault({}),
});

/** @param text a manifest as YAML; without it the one of this project. Throws when it is no manifest. */
export async function readManifest(text?: string): Promise<Manifest> {
  const own = new URL('../../manifest.yml', import.meta.url);
  const { features, oauth_config, settings } = file.parse(
    parse(text ?? (await readFile(own, 'utf8'))),
  );
  return {
    scopes: oauth_config.scopes.bot,
    commands: features.slash_commands,
    shortcuts: features.shortcuts,
    events: settings.event_subscriptions?.bot_events ?? [],
    homeTab: features.app_home.home_tab_enabled,
    messagesTab: messagesTabOf(features.app_home),
    interactive: settings.interactivity.is_enabled,
    optionsUrl: settings.interactivity.message_menu_options_url !== undefined,
  };
}

function messagesTabOf(
  tabs: z.infer<typeof file>['features']['app_home'],
): Manifest['messagesTab'] {
  if (!tabs.messages_tab_enabled) return 'off';
  return tabs.messages_tab_read_only_enabled ? 'readOnly' : 'open';
}
