import type { Sandbox, SandboxOptions } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { type Answer, type Received, type Receiver, startReceiver } from '../receiver.ts';

export const channel = 'C0DEPLOYS';

/** Commands, shortcuts, events and a Home tab that belong to no product. */
export const manifest = `
display_information: { name: Tryout }
features:
  app_home: { home_tab_enabled: true }
  slash_commands:
    - { command: /try, description: Try it, url: https://app.example.com/slack/events }
    - { command: /ask, description: Ask, should_escape: true, url: https://app.example.com/slack/events }
  shortcuts:
    - { name: Try it, description: Tries it, type: message, callback_id: try.message }
    - { name: Try it, description: Tries it, type: global, callback_id: try.global }
oauth_config:
  scopes:
    bot: [app_mentions:read, channels:history, channels:join, channels:manage, channels:read, chat:write,
      chat:write.customize, commands, groups:history, groups:read, groups:write,
      im:history, im:write, metadata.message:read, reactions:read, reactions:write, team:read, usergroups:read, users.profile:read, users:read, users:read.email]
settings:
  interactivity: { is_enabled: true, message_menu_options_url: https://app.example.com/slack/events }
  event_subscriptions:
    metadata_subscriptions: [{ app_id: A0APP, event_type: part }]
    bot_events: [app_home_opened, app_mention, channel_archive, channel_left, channel_rename, channel_unarchive,
      group_archive, group_left, group_rename, group_unarchive, member_joined_channel, member_left_channel,
      message.channels, message.groups, message.im, message_metadata_posted, reaction_added, reaction_removed, subteam_members_changed, subteam_updated, user_change]
`;

/** The same app without event subscriptions. */
export const quietManifest = manifest.slice(0, manifest.indexOf('  event_subscriptions:'));

/** A sandbox with an app that records what it is sent and answers as it is told to. */
export interface AppWorld extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly app: Receiver;
  /** The app's answer from now on; null leaves Slack waiting. */
  answer(with_: (request: Received) => Answer | null | Promise<Answer>): void;
  /** The payloads of the received interactions, in the order of arrival. */
  payloads(type?: string): Record<string, unknown>[];
}

export async function startAppWorld(options: SandboxOptions = {}): Promise<AppWorld> {
  const sandbox = await startSandbox({ manifest, ...options });
  let answer: (request: Received) => Answer | null | Promise<Answer> = () => ({ status: 200 });
  const app = await startReceiver((request) => answer(request));
  sandbox.connectBot({ eventsUrl: `${app.url}/slack/events`, intakeUrl: app.url });
  return {
    sandbox,
    app,
    answer: (given) => {
      answer = given;
    },
    payloads: (type) =>
      app.received
        .map(({ body }) => JSON.parse(new URLSearchParams(body).get('payload') ?? '{}'))
        .filter((payload) => type === undefined || payload.type === type),
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
}

/** The fields of a form. */
export function formOf(request: Received | undefined): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(request?.body));
}
