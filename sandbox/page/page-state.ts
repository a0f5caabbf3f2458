import type { Block, Message } from '../wire.ts';

/**
 * What the page draws for one person. The server sends it, the browser reads it. Of the secrets only that of the
 * intake is in it, for the terminal of whoever runs the demo.
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
  /** What the bot's manifest offers. */
  readonly app: PageApp;
  /** The modal that lies before them. */
  readonly modal: PageView | null;
  /** What the bot published on their home tab. */
  readonly home: PageView | null;
  readonly approvals: readonly PageApproval[];
  readonly projects: readonly PageProject[];
  readonly testProjects: readonly PageTestProject[];
  /** `shown`: not all of many. */
  readonly accounts: { readonly count: number; readonly shown: readonly PageAccount[] };
  /** The newest first. */
  readonly requests: readonly PageRequest[];
  /** Routes that the automation can name; without any it names none. */
  readonly routes: readonly PageRoute[];
  /** What the last command wrote; null before the first. */
  readonly terminal: PageTerminal | null;
  /** Commands can be run here. */
  readonly hasTerminal: boolean;
  /** For a terminal of one's own. */
  readonly commands: readonly PageCommandLine[];
  readonly troubles: Troubles;
}

export interface PageCommandLine {
  /** What it does. */
  readonly title: string;
  readonly command: string;
}

export interface PageTerminal {
  readonly command: string;
  readonly output: string;
  /** null while it runs. */
  readonly exitCode: number | null;
}

export interface PagePerson {
  readonly id: string;
  readonly name: string;
  /** Their channel with the bot. */
  readonly directId: string;
  readonly timeZone: string;
  /** What is special about them, as words; empty when nothing is. */
  readonly note: string;
  readonly isReleaseManager: boolean;
}

export interface PageChannel {
  readonly id: string;
  /** Without a mark in front. */
  readonly name: string;
  readonly kind: 'public' | 'private' | 'app';
  readonly memberCount: number;
  readonly hasBot: boolean;
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
  readonly isEdited: boolean;
  readonly isOnlyForYou: boolean;
  readonly isDeleted: boolean;
  readonly mentionsYou: boolean;
};

export interface PageApp {
  readonly commands: readonly PageCommand[];
  readonly shortcuts: readonly PageShortcut[];
  readonly hasHome: boolean;
  /** People can write to the bot, not only the bot to them. */
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
  /** What the bot said was wrong, by block id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What an input holds, in the form of Slack's `state.values`. */
export interface HeldState {
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface PageApproval {
  readonly id: string;
  readonly title: string;
  readonly status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'TIMED_OUT';
  /** Who decided, each as words; more than one would be a fault. */
  readonly effects: readonly string[];
  /** It ended without the bot, which may not know yet. */
  readonly canCheck: boolean;
  /** The bot was asked about it. */
  readonly isAsked: boolean;
}

export interface PageProject {
  readonly id: string;
  readonly name: string;
  /** Each before its sub-items. */
  readonly items: readonly PageWorkItem[];
}

export interface PageWorkItem {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly status: string;
  /** How many items it is below. */
  readonly depth: number;
}

export interface PageTestProject {
  readonly id: string;
  readonly name: string;
  readonly caseCount: number;
  /** The newest first; not all of many. */
  readonly cases: readonly PageTestCase[];
}

export interface PageTestCase {
  readonly id: string;
  readonly title: string;
  /** What was chosen, as words. */
  readonly words: string;
}

export interface PageAccount {
  readonly id: string;
  readonly name: string;
  /** Address, state and position, as words. */
  readonly words: string;
}

export interface PageRequest {
  /** Its number in the order of arrival. */
  readonly id: number;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly words: string;
  /** HTTP status; null while it waits, 0 when it got no answer. */
  readonly answered: number | null;
  readonly at: number;
}

export interface PageRoute {
  readonly id: string;
  /** What is special about it, as words. */
  readonly title: string;
}

/** What is broken at the moment. */
export interface Troubles {
  readonly service: 'none' | 'slow' | 'down' | 'failing' | 'silent';
  readonly slack: 'none' | 'busy' | 'down' | 'silent';
}
