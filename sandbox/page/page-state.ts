import type { Block, Message } from '../wire.ts';

/** The state of the page for one person, sent by the server to the browser. It contains no secret. */
export interface PageState {
  /** When the sandbox was started or reset: a different number means a different sandbox. */
  readonly begunAt: number;
  readonly me: PagePerson;
  /** Everybody the window can act as. */
  readonly people: readonly PagePerson[];
  /** Names of everything that a message can mention, by id. */
  readonly names: Readonly<Record<string, string>>;
  readonly channels: readonly PageChannel[];
  /** What the app's manifest offers. */
  readonly app: PageApp;
  /** The open modal. */
  readonly modal: PageView | null;
  /** The published Home tab. */
  readonly home: PageView | null;
}

export interface PagePerson {
  readonly id: string;
  readonly name: string;
  /** Their channel with the app. */
  readonly directId: string;
  readonly timeZone: string;
  /** What is special about them, as text; empty if nothing is. */
  readonly note: string;
}

export interface PageChannel {
  readonly id: string;
  /** Without `@` or `#`. */
  readonly name: string;
  readonly kind: 'public' | 'private' | 'app';
  readonly memberCount: number;
  readonly hasApp: boolean;
  /** Of the channel and its threads, oldest first. */
  readonly messages: readonly PageMessage[];
  /** `ts` of the last message the person has read; empty for none. */
  readonly readUpTo: string;
}

export type PageMessage = Pick<Message, 'ts' | 'text'> & {
  readonly blocks?: readonly Block[];
  readonly attachments?: readonly PageAttachment[];
  /** `ts` of the thread's parent; omitted for a message outside threads. */
  readonly thread?: string;
  readonly author: string;
  readonly authorId: string;
  readonly isApp: boolean;
  /** In place of a picture, with colons; empty: none. */
  readonly iconEmoji: string;
  readonly reactions: readonly PageReaction[];
  /** Its text is shown above its blocks. */
  readonly isStreamed: boolean;
  readonly isEdited: boolean;
  readonly isOnlyForYou: boolean;
  readonly isDeleted: boolean;
  readonly mentionsYou: boolean;
};

/** A secondary attachment; everything that it does not have is empty. */
export interface PageAttachment {
  /** CSS colour of its bar. */
  readonly color: string;
  readonly pretext: string;
  readonly author: string;
  readonly title: string;
  readonly titleLink: string;
  readonly text: string;
  readonly fields: readonly { readonly title: string; readonly value: string }[];
  /** With its buttons. */
  readonly blocks: readonly Block[];
  readonly footer: string;
}

export interface PageReaction {
  /** Without colons. */
  readonly name: string;
  /** Ids of the people with this reaction. */
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
  /** The lowest view of the stack. */
  readonly rootId: string;
  /** It was pushed onto another. */
  readonly isPushed: boolean;
  /** Changes with every update. */
  readonly hash: string;
  readonly title: string;
  /** Label of the submit button; null: it has none. */
  readonly submit: string | null;
  readonly close: string | null;
  readonly blocks: readonly Block[];
  /** Values of its inputs, by block id and action id. */
  readonly values: Readonly<Record<string, Readonly<Record<string, HeldState>>>>;
  /** Errors the app returned, by block id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The value of an input, in the format of Slack's `state.values`. */
export interface HeldState {
  readonly type: string;
  readonly [member: string]: unknown;
}
