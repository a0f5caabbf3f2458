import type { EphemeralMessage, User, View } from '../wire.ts';
import { type Conversation, createConversation, type Written } from './conversation.ts';
import type { ElementState } from './input-state.ts';
import type { Manifest } from './manifest.ts';
import { appUser, bot, type Seed, team } from './seed.ts';

export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  users: readonly string[];
  enabled: boolean;
  /** Seconds since 1970. */
  updatedAt: number;
  /** The workspace that it belongs to. */
  readonly teamId: string;
}

export interface Trigger {
  readonly user: string;
  readonly expiresAt: number;
  /** The view of the action, if any. */
  readonly viewId?: string;
  /** The conversation the person looks at, if any. */
  readonly channel?: string | undefined;
  used: boolean;
}

/** A view that a person has open. */
export interface OpenView {
  readonly user: string;
  readonly view: View;
  readonly inputs: Inputs;
  /** The conversation the person was looking at when it was opened. */
  readonly channel?: string | undefined;
  /** Errors of its last submission, by block id. */
  errors?: Readonly<Record<string, string>>;
}

/** Entered values, and the options that external selects offered, by block id and action id. */
export interface Inputs {
  readonly entered: Map<string, ElementState>;
  readonly loaded: Map<string, readonly unknown[]>;
}

/** An organization of several teams, as in Enterprise Grid. */
export interface Enterprise {
  readonly id: string;
  readonly name: string;
  /** The app is installed in the whole organization, and can be used in these workspaces; default: only in the team. */
  readonly installedIn?: readonly { readonly id: string; readonly name: string }[];
}

/** The workspaces of an app that is installed in an organization; undefined: it is installed in one workspace. */
export function workspacesOf({ enterprise }: Pick<World, 'enterprise'>): Enterprise['installedIn'] {
  return enterprise?.installedIn;
}

export function isOrganizationInstall(world: Pick<World, 'enterprise'>): boolean {
  return workspacesOf(world) !== undefined;
}

/** The target of a `response_url`. */
export interface ResponseTarget {
  readonly user: string;
  readonly channel: string;
  /** The message it came from, if there is one. */
  readonly ts?: string;
  readonly expiresAt: number;
  uses: number;
}

/** The workspace's state. */
export interface World {
  readonly users: Map<string, User>;
  readonly idsByEmail: Map<string, string>;
  readonly conversations: Map<string, Conversation>;
  readonly userGroups: Map<string, UserGroup>;
  readonly ephemerals: Map<string, EphemeralMessage[]>;
  readonly triggers: Map<string, Trigger>;
  readonly responses: Map<string, ResponseTarget>;
  /** In the order they were opened. */
  readonly views: Map<string, OpenView>;
  /** Of messages, by person, channel and `ts`. */
  readonly inputs: Map<string, Inputs>;
  /** null: the team is in no organization. */
  readonly enterprise: Enterprise | null;
  readonly written: Written;
  /** How long a message can be changed after it was posted; null: without limit. */
  editWindowMs: number | null;
  /** Microseconds of the last `ts`: each is unique. */
  lastTs: number;
  /** For ids that only need to be unique. */
  counter: number;
}

/** The initial world. */
export function seedWorld({
  seed,
  manifest,
  enterprise,
  written,
}: Pick<World, 'enterprise' | 'written'> & {
  readonly seed: Seed;
  readonly manifest: Manifest;
}): World {
  const world: World = {
    users: new Map(),
    idsByEmail: new Map(),
    conversations: new Map(
      seed.channels.map((channel) => [channel.id, createConversation(channel, written)]),
    ),
    userGroups: new Map(
      seed.userGroups.map((group): [string, UserGroup] => [
        group.id,
        { ...group, teamId: team.id, enabled: true, updatedAt: 1_767_225_600 },
      ]),
    ),
    ephemerals: new Map(),
    triggers: new Map(),
    responses: new Map(),
    views: new Map(),
    inputs: new Map(),
    enterprise,
    written,
    editWindowMs: null,
    lastTs: 0,
    counter: 0,
  };
  for (const user of [...seed.people, appUser(manifest.botName)]) putUser(world, user);
  return world;
}

export function putUser(world: World, user: User): void {
  const before = world.users.get(user.id)?.profile.email;
  if (before) world.idsByEmail.delete(before.toLowerCase());
  world.users.set(user.id, user);
  if (user.profile.email) world.idsByEmail.set(user.profile.email.toLowerCase(), user.id);
}

/** A timestamp as Slack writes it: seconds, a dot, six digits. */
export function nextTs(world: World, now: number): string {
  world.lastTs = Math.max(world.lastTs + 1, now * 1000);
  const text = String(world.lastTs).padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`;
}

/** Id of the channel between the bot and a person. */
export function directId(user: string): string {
  return `D${user.slice(1)}`;
}

/** The channel between the bot and a person; made when it is not there. */
export function directConversation(world: World, user: string): Conversation {
  const id = directId(user);
  const known = world.conversations.get(id);
  if (known) return known;
  const seed = { id, name: '', members: [user, bot.userId], directTo: user };
  const made = createConversation(seed, world.written);
  world.conversations.set(id, made);
  return made;
}

/** Opens the direct messages with a person when they go there; does nothing for any other channel id. */
export function openDirect(world: World, user: string, id: string): void {
  if (id === directId(user)) directConversation(world, user);
}

export function addEphemeral(world: World, message: EphemeralMessage): void {
  const seen = world.ephemerals.get(message.to);
  if (seen) seen.push(message);
  else world.ephemerals.set(message.to, [message]);
}

/** Holds the world, which a reset replaces. */
export interface Memory {
  world: World;
}

/** Throws if a test or a page names a channel that does not exist. */
export function knownConversation({ world }: Memory, channel: string): Conversation {
  const conversation = world.conversations.get(channel);
  if (!conversation) throw new Error(`There is no channel ${channel}.`);
  return conversation;
}

/** The author of changes that no particular person made. */
export function administratorOf({ users }: World): string {
  const all = [...users.values()];
  return (all.find((user) => user.is_admin) ?? all[0])?.id ?? bot.userId;
}
