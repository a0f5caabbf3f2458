import type { RichTextElement } from '@slack/types';
import type { Lookup } from './lookup.ts';
import { oneLine } from './text.ts';

/** Addresses in the workspace, as Slack forms them: nothing is asked for. */
export interface SlackLinks {
  /** To a message; undefined: Slack did not say where the workspace is. */
  message(channel: string, ts: string): string | undefined;
  /** Somebody's name, in markup, that leads to their profile and notifies nobody. */
  person(user: string): string;
  /** The same as rich text. */
  readonly personElement: (user: string) => RichTextElement;
}

const NAME_MAX = 80;

/** `workspaceUrl`: as `auth.test` tells, with a slash at its end. */
export function createSlackLinks({
  workspaceUrl,
  lookup,
}: {
  readonly workspaceUrl: string | null;
  readonly lookup: Lookup;
}): SlackLinks {
  // Who decided was looked up for that: their name is at hand.
  const nameOf = (user: string) => lookup.lastSeen(user)?.displayName.trim() || user;
  const profileOf = (user: string) =>
    workspaceUrl === null ? undefined : `${workspaceUrl}team/${user}`;
  return {
    message(channel, ts) {
      if (workspaceUrl === null) return undefined;
      return `${workspaceUrl}archives/${channel}/p${ts.replace('.', '')}`;
    },
    person(user) {
      const name = oneLine(nameOf(user), NAME_MAX);
      const url = profileOf(user);
      return url === undefined ? name : `<${url}|${name}>`;
    },
    personElement(user) {
      const text = nameOf(user).slice(0, NAME_MAX);
      const url = profileOf(user);
      return url === undefined ? { type: 'text', text } : { type: 'link', url, text };
    },
  };
}
