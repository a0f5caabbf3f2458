import type { RichTextElement } from '@slack/types';
import { cleanLine } from '../lib/clean-line.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { Timers } from '../lib/timers.ts';
import type { Lookup } from './lookup.ts';
import { clipText, cutPlain, escapeMrkdwn } from './text.ts';

/** Addresses in the workspace, as Slack forms them. Only `learnNames` asks Slack for anything. */
export interface SlackLinks {
  /** To a message; `thread`: which it replies in. undefined: Slack did not say where the workspace is. */
  message(channel: string, ts: string, thread?: string): string | undefined;
  /** What somebody is called, not escaped; undefined: they were never seen here. */
  name(user: string): string | undefined;
  /** Somebody's name, in markup, that leads to their profile and notifies nobody. */
  person(user: string): string;
  /** The same as rich text. */
  readonly personElement: (user: string) => RichTextElement;
  /**
   * Looks up those who were never seen here, because somebody else let them decide: another replica, or this
   * one before it was restarted. Takes `NAMES_MS` at most; who is not known then is called by their id.
   */
  learnNames(users: readonly string[]): Promise<void>;
}

/** A post is worth no more waiting for what those are called whom it names. */
const NAMES_MS = 1_000;
/** No message names more. */
const NAMES_MAX = 20;
const NAME_MAX = 80;

/** `workspaceUrl`: as `auth.test` tells, with a slash at its end. */
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
      // A line that names many has to fit into a section.
      const [name] = clipText(escapeMrkdwn(nameOf(user)), NAME_MAX);
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
