import type { RichTextElement } from '@slack/types';
import { cleanLine } from '../lib/clean-line.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { Timers } from '../lib/timers.ts';
import type { Lookup } from './lookup.ts';
import { clipText, cutPlain, inertText } from './text.ts';

/** Links within the workspace, in Slack's format. Only `learnNames` calls Slack. */
export interface SlackLinks {
  /**
   * A link to a message; `thread`: the message it replies to. undefined: Slack did not say what the workspace's address
   * is.
   */
  message(channel: string, ts: string, thread?: string): string | undefined;
  /** A person's name, not escaped; undefined: not known to this process. */
  name(user: string): string | undefined;
  /** A person's name, in markup, linked to their profile; it notifies nobody. */
  person(user: string): string;
  /** The same as rich text. */
  readonly personElement: (user: string) => RichTextElement;
  /**
   * Looks up people this process has not seen yet: another replica authorized them, or this one before a restart. Takes
   * at most `NAMES_MS`; after that, they are called by their id.
   */
  learnNames(users: readonly string[]): Promise<void>;
}

const MESSAGE =
  /^https?:\/\/[^/]+\/archives\/(?<channel>[A-Z0-9]+)\/p(?<seconds>\d{10})(?<rest>\d{6})(?:[?#]|$)/u;
const THREAD = /[?&]thread_ts=(?<thread>\d{10}\.\d{6})(?:[&#]|$)/u;

/** The message that a link leads to, or whose thread the linked one is in; undefined: it is no such link. */
export function linkedMessage(
  address: string,
): { readonly channel: string; readonly message: string } | undefined {
  const { channel, seconds, rest } = MESSAGE.exec(address)?.groups ?? {};
  const { thread } = THREAD.exec(address)?.groups ?? {};
  return channel === undefined ? undefined : { channel, message: thread ?? `${seconds}.${rest}` };
}

/** How long a post waits for names. */
const NAMES_MS = 1_000;
/** No message names more people. */
const NAMES_MAX = 20;
const NAME_MAX = 80;

/** `workspaceUrl`: as `auth.test` says, with a trailing slash. */
export function createSlackLinks({
  workspaceUrl,
  lookup,
  timers,
}: {
  readonly workspaceUrl: string | null;
  readonly lookup: Lookup;
  readonly timers: Timers;
}): SlackLinks {
  const name = (user: string) =>
    cutPlain(cleanLine(lookup.lastSeen(user)?.displayName ?? ''), NAME_MAX)[0] || undefined;
  const nameOf = (user: string) => name(user) ?? user;
  const profileOf = (user: string) =>
    workspaceUrl === null ? undefined : `${workspaceUrl}team/${user}`;
  return {
    name,
    message(channel, ts, thread = ts) {
      if (workspaceUrl === null) return undefined;
      const reply = thread === ts ? '' : `?thread_ts=${thread}&cid=${channel}`;
      return `${workspaceUrl}archives/${channel}/p${ts.replace('.', '')}${reply}`;
    },
    person(user) {
      // A line with many names has to fit into a section.
      const [name] = clipText(inertText(nameOf(user)), NAME_MAX);
      const url = profileOf(user);
      return url === undefined ? name : `<${url}|${name}>`;
    },
    personElement(user) {
      const text = nameOf(user);
      const url = profileOf(user);
      return url === undefined ? { type: 'text', text } : { type: 'link', url, text };
    },
    async learnNames(users) {
      const unknown = [...new Set(users)].filter((user) => lookup.lastSeen(user) === undefined);
      if (unknown.length === 0) return;
      const signal = timers.deadline(NAMES_MS);
      const asked = unknown
        .slice(0, NAMES_MAX)
        .map((user) => lookup.recent.person(user, { signal }));
      for (const answer of await Promise.allSettled(asked)) {
        const isOurs = answer.status === 'rejected' && !(answer.reason instanceof RemoteFailure);
        if (isOurs) throw answer.reason;
      }
    },
  };
}
