import type { Block, Message } from '../wire.ts';

/**
 * What the page draws for one person. The server sends it, the browser reads it. No secret is in it.
 */
export interface PageState {
  /** When the sandbox was started, or reset: another number is another sandbox. */
  readonly begunAt: number;
  readonly me: PagePerson;
  /** Everybody one can be here. */
  readonly people: readonly PagePerson[];
  /** Names of everybody and everything that a message can mention, by id. */
  readonly names: Readonly<Record<string, string>>;
  readonly channels: readonly PageChannel[];
  /** What the app's manifest offers. */
  readonly app: PageApp;
  /** The modal that lies before them. */
  readonly modal: PageView | null;
  /** What the app published on their home tab. */
  readonly home: PageView | null;
}

export interface PagePerson {
  readonly id: string;
  readonly name: string;
  /** Their channel with the app. */
  readonly directId: string;
  readonly timeZone: string;
  /** What is special about them, as words; empty when nothing is. */
  readonly note: string;
}

export interface PageChannel {
  readonly id: string;
  /** Without a mark in front. */
  readonly name: string;
  readonly kind: 'public' | 'private' | 'app';
  readonly memberCount: number;
  readonly hasApp: boolean;
  /** Of the channel and of its threads, oldest first. */
  readonly messages: readonly PageMessage[];
  /** `ts` of the last message the person has looked at; empty for none. */
  readonly readUpTo: string;
}

export type PageMessage = Pick<Message, 'ts' | 'text'> & {
  readonly blocks?: readonly Block[];
  /** `ts` of the message it answers; not there when it is none. */
  readonly thread?: string;
  readonly author: string;
  readonly authorId: string;
  readonly isApp: boolean;
  readonly reactions: readonly PageReaction[];
  readonly isEdited: boolean;
  readonly isOnlyForYou: boolean;
  readonly isDeleted: boolean;
  readonly mentionsYou: boolean;
};

export interface PageReaction {
  /** Without colons. */
  readonly name: string;
  /** Ids of those who reacted so. */
  readonly users: readonly string[];
}

export interface PageApp {
  readonly id: string;
  readonly name: string;
  readonly commands: readonly PageCommand[];
  readonly shortcuts: readonly PageShortcut[];
  readonly hasHome: boolean;
  /** People can write to the app, not only the app to them. */
  readonly takesMessages: boolean;
}

export interface PageCommand {
  /** With its slash. */
  readonly command: string;
  readonly description: string;
  readonly usageHint: string;
}

export interface PageShortcut {
  readonly callbackId: string;
  readonly name: string;
  readonly description: string;
  readonly type: 'message' | 'global';
}

export interface PageView {
  readonly id: string;
  /** The view at the bottom of those that lie upon each other. */
  readonly rootId: string;
  /** It lies upon another. */
  readonly isPushed: boolean;
  /** Another one after every update. */
  readonly hash: string;
  readonly title: string;
  /** Label of the button that submits it; null without one. */
  readonly submit: string | null;
  readonly close: string | null;
  readonly blocks: readonly Block[];
  /** What its inputs hold as the workspace knows it, by block id and action id. */
  readonly values: Readonly<Record<string, Readonly<Record<string, HeldState>>>>;
  /** What the app said was wrong, by block id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What an input holds, in the form of Slack's `state.values`. */
export interface HeldState {
  readonly type: string;
  readonly [member: string]: unknown;
}
