import type { Until } from '../changes.ts';
import type { Fault, FaultKind } from '../faults.ts';
import type { EphemeralMessage, Message, User, View } from '../wire.ts';

export interface Workspace {
  /** The bot's own ids. */
  readonly bot: BotIdentity;
  /** A person presses a button. Throws when that person cannot see it. */
  click(press: Press): Promise<Delivery>;
  /** A person submits the modal they have open. */
  submit(submission: Submission): Promise<Delivery>;
  /** A person closes the modal they have open. */
  closeModal(user: string): void;
  /** A person writes in a channel they are in. */
  say(words: Saying): Message;
  /** Messages of a channel and their threads' replies, oldest first. */
  messages(channel: string): readonly Message[];
  /** A message and its replies, oldest first. */
  thread(channel: string, ts: string): readonly Message[];
  message(channel: string, ts: string): Message | undefined;
  ephemerals(user: string): readonly EphemeralMessage[];
  /** What the bot and the person wrote to each other directly. */
  directMessages(user: string): readonly Message[];
  /** Everything the person sees in the channel, oldest first; nothing when they are not in it. */
  visibleTo(user: string, channel: string): readonly (Message | EphemeralMessage)[];
  /** The modal the person has open. */
  modal(user: string): View | undefined;
  user(id: string): User | undefined;
  /** Every request to the Web API, and to a `response_url` under that name, in the order of arrival. Tokens are left out. */
  calls(method?: string): readonly Call[];
  deleteMessage(channel: string, ts: string): void;
  /** A channel with these people and the bot in it. */
  createChannel(id: string, members: readonly string[]): void;
  archive(channel: string): void;
  inviteBot(channel: string): void;
  kickBot(channel: string): void;
  /** `profile` is merged, everything else replaced. */
  setUser(id: string, patch: UserPatch): void;
  /** Members of a user group; `enabled: false` switches it off. */
  setUserGroup(
    id: string,
    patch: { readonly users?: readonly string[]; readonly enabled?: boolean },
  ): void;
  /** The app's connections in Socket Mode, and what may happen to them. */
  readonly sockets: SocketsHandle;
  fault(fault: WorkspaceFault): void;
  clearFaults(): void;
  readonly until: Until;
}

export interface SocketsHandle {
  /** How many get envelopes, each of which goes to one of them. */
  open(): number;
  /** Asks so many connections to go, the oldest first, and ends them when they stay; default: all. */
  disconnect(reason: DisconnectReason, count?: number): void;
  /** Breaks every connection. */
  drop(): void;
  /** Answers `apps.connections.open` with this error; null: no longer. */
  refuse(code: string | null): void;
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

export interface Press {
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  /** One of the two names the button. */
  readonly actionId?: string;
  readonly label?: string;
  /** What the person answers to a confirmation; default true. */
  readonly confirm?: boolean;
  /** `delivered`: Slack sends the same request twice. `pressed`: the person is too quick. */
  readonly twice?: 'delivered' | 'pressed';
}

export interface Delivery {
  /** False when the person did not confirm. */
  readonly sent: boolean;
  /** 0 when nobody answered. */
  readonly status: number;
  readonly body: string;
  readonly ackMs: number;
  /** 200 within 3 s. */
  readonly acknowledged: boolean;
  /** What Slack shows beside the button when the app did not acknowledge. */
  readonly shown: string | null;
  /** The other one of `twice`. */
  readonly second?: Delivery;
}

export interface Submission {
  readonly user: string;
  /** By action id. */
  readonly values?: Readonly<Record<string, string>>;
}

export interface Saying {
  readonly user: string;
  readonly channel: string;
  readonly text: string;
  readonly threadTs?: string;
}

export interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
  /** HTTP status; null until it is answered, 0 when the connection was dropped. */
  readonly status: number | null;
  readonly ok: boolean;
  readonly error: string | null;
}

export interface WorkspaceFault extends Fault<FaultKind, Readonly<Record<string, unknown>>> {
  /** `chat.postMessage`, … or `response_url`; without it any method of the Web API. */
  readonly method?: string;
}
