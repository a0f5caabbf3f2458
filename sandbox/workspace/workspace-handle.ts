import type { Until } from '../changes.ts';
import type { Fault, FaultKind } from '../faults.ts';
import type { EphemeralMessage, Message, User, View } from '../wire.ts';
import type { AppHandle } from './installed-app.ts';
import type { Manifest } from './manifest.ts';
import type {
  Choice,
  Closing,
  Delivery,
  Press,
  Saying,
  ShortcutUse,
  Submission,
  Suggestion,
  Suggestions,
  Typed,
} from './user-actions.ts';
import type { UserGroup } from './world.ts';

export interface Workspace {
  /** The bot's own ids. */
  readonly bot: BotIdentity;
  /** The app according to its manifest: its commands, shortcuts and tabs. */
  readonly manifest: Manifest;
  readonly app: AppHandle;
  /** A person presses a button. Throws if that person cannot see it. */
  click(press: Press): Promise<Delivery>;
  /** A person chooses or enters something in a message or a view. Not sent for inputs that wait for the submission. */
  choose(choice: Choice): Promise<Delivery>;
  /** A person types into an external select, and gets the options that the app returns. */
  suggest(suggestion: Suggestion): Promise<Suggestions>;
  /** A person types a slash command. Only they see Slack's own reply. */
  command(typed: Typed): Promise<Delivery>;
  /** A person uses a shortcut: a message shortcut if `ts` is given, otherwise a global one. */
  shortcut(use: ShortcutUse): Promise<Delivery>;
  /** A person submits the modal they have open. */
  submit(submission: Submission): Promise<Delivery>;
  /** A person closes their open modal. Sent if the view asked to be notified. */
  closeModal(closing: Closing): Promise<Delivery>;
  /** A person opens the app's Home tab, or its messages. The app is notified each time. */
  openHome(user: string, tab?: 'home' | 'messages'): void;
  /** A person writes in a channel they are in, or forwards, attaches or lets another app write. */
  say(words: Saying): Message;
  /** A person reacts to a message with an emoji, named without colons; a second time removes it. */
  react(reaction: {
    readonly user: string;
    readonly channel: string;
    readonly ts: string;
    readonly name: string;
  }): void;
  /** Messages of a channel including replies, oldest first. */
  messages(channel: string): readonly Message[];
  /** A message and its replies, oldest first. */
  thread(channel: string, ts: string): readonly Message[];
  message(channel: string, ts: string): Message | undefined;
  ephemerals(user: string): readonly EphemeralMessage[];
  /** Direct messages between the bot and the person. */
  directMessages(user: string): readonly Message[];
  /** Everything the person sees in the channel, oldest first; empty if they are not in it. */
  visibleTo(user: string, channel: string): readonly (Message | EphemeralMessage)[];
  /** The modal the person has open. */
  modal(user: string): View | undefined;
  /** Errors of the last submission of that modal, by block id. */
  modalErrors(user: string): Readonly<Record<string, string>>;
  /** The person's published Home tab. */
  home(user: string): View | undefined;
  user(id: string): User | undefined;
  /** Everybody, including the app and other bots. */
  people(): readonly User[];
  /** Without direct messages. */
  channels(): readonly ChannelFacts[];
  userGroups(): readonly Pick<UserGroup, 'id' | 'handle' | 'users'>[];
  /**
   * Every request to the Web API, and to a `response_url` under that name, in the order of arrival. Tokens are left
   * out.
   */
  calls(method?: string): readonly Call[];
  /** Events sent to the app, with every delivery, in the order they happened. */
  events(type?: string): readonly EventSent[];
  /** Delivers every event twice at the same moment, until it is switched off. */
  repeatEvents(on: boolean): void;
  deleteMessage(channel: string, ts: string): void;
  /** A channel with these people and the bot in it. `name`: default the id in small letters. */
  createChannel(id: string, members: readonly string[], name?: string): void;
  archive(channel: string): void;
  unarchive(channel: string): void;
  rename(channel: string, name: string): void;
  /** Shares the channel with another company. */
  share(channel: string): void;
  /** How long a message can be changed after it was posted; null, the default: without limit. */
  setEditWindow(ms: number | null): void;
  invite(channel: string, user: string): void;
  remove(channel: string, user: string): void;
  /** `by`: the person who invites; default an administrator. */
  inviteBot(channel: string, by?: string): void;
  kickBot(channel: string): void;
  /** The person can no longer sign in, and is removed from all channels. */
  deactivate(user: string): void;
  /** `profile` is merged, everything else replaced. */
  setUser(id: string, patch: UserPatch): void;
  /** Call it before the app lists user groups: no event is sent. */
  addUserGroup(id: string, handle: string, users: readonly string[]): void;
  /** The members of a user group, and its workspace; `enabled: false` disables it. */
  setUserGroup(
    id: string,
    patch: {
      readonly users?: readonly string[];
      readonly enabled?: boolean;
      readonly teamId?: string;
    },
  ): void;
  /** The app's Socket Mode connections, and their faults. */
  readonly sockets: SocketsHandle;
  fault(fault: WorkspaceFault): void;
  clearFaults(): void;
  readonly until: Until;
}

export interface ChannelFacts {
  readonly id: string;
  readonly name: string;
  readonly private: boolean;
  readonly archived: boolean;
  readonly members: ReadonlySet<string>;
}

export interface SocketsHandle {
  /** How many connections get envelopes; each envelope goes to one of them. */
  open(): number;
  /** Asks `count` connections to disconnect, the oldest first, and closes them if they stay; default: all. */
  disconnect(reason: DisconnectReason, count?: number): void;
  /** Terminates every connection. */
  drop(): void;
  /** Nothing that the app sends arrives any more. Connections that do not answer for 5 to 10 s are terminated. */
  freeze(): void;
  /** Sends a text that Slack would not send. */
  send(text: string): void;
}

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled';

export type UserPatch = Partial<Omit<User, 'profile'>> & {
  readonly profile?: Partial<User['profile']>;
};

export interface BotIdentity {
  readonly userId: string;
  readonly botId: string;
  readonly appId: string;
  readonly teamId: string;
}

/** An event sent to the app. */
export interface EventSent {
  readonly type: string;
  readonly eventId: string;
  readonly event: Readonly<Record<string, unknown>>;
  readonly attempts: readonly Delivery[];
  /** No further delivery will follow. */
  readonly over: boolean;
}

export interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
  /** HTTP status; null until it is answered, 0 if the connection was dropped. */
  readonly status: number | null;
  readonly ok: boolean;
  readonly error: string | null;
  /** What is wrong, each with its JSON pointer, or what is missing. */
  readonly problems: readonly string[];
  /** Accepted without effect. */
  readonly notes: readonly string[];
}

/** `refused`: answered 200 with `ok: false` and `error`, not processed. */
export interface WorkspaceFault
  extends Fault<FaultKind | 'refused', Readonly<Record<string, unknown>>> {
  /** `chat.postMessage`, … or `response_url`; without it any method of the Web API. */
  readonly method?: string;
  readonly error?: string;
}
