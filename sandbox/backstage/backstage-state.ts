import type { PageState } from '../page/page-state.ts';

/**
 * What the panel shows in addition to the workspace. The intake's secret is the only secret in it: it is for the
 * terminal of the person who runs the demo.
 */
export interface BackstageState {
  /** Ids of the reviewers in the demo. */
  readonly releaseManagers: readonly string[];
  readonly approvals: readonly PageApproval[];
  readonly projects: readonly PageProject[];
  readonly testProjects: readonly PageTestProject[];
  /** `shown` is limited; `count` is not. */
  readonly accounts: { readonly count: number; readonly shown: readonly PageAccount[] };
  /** Newest first. */
  readonly requests: readonly PageRequest[];
  /** Routes that the automation can name; if empty, it names none. */
  readonly routes: readonly PageRoute[];
  /** The output of the last command; null before the first. */
  readonly terminal: PageTerminal | null;
  /** Commands can be run here. */
  readonly hasTerminal: boolean;
  /** For a terminal outside the page. */
  readonly commands: readonly PageCommandLine[];
  /** The path of the page that says how to set the bot up elsewhere; null: there is none. */
  readonly guide: string | null;
  readonly troubles: Troubles;
}

/** What the demo's windows receive. */
export type DemoState = PageState & BackstageState;

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

export interface PageApproval {
  readonly id: string;
  readonly title: string;
  readonly status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'TIMED_OUT';
  /** Who decided, each as text; more than one would be a fault. */
  readonly effects: readonly string[];
  /** It ended without the bot, which may not know yet. */
  readonly canCheck: boolean;
  /** The bot was asked about it. */
  readonly isAsked: boolean;
}

export interface PageProject {
  readonly id: string;
  readonly name: string;
  /** Each item before its sub-items. */
  readonly items: readonly PageWorkItem[];
}

export interface PageWorkItem {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly status: string;
  /** How many levels deep it is. */
  readonly depth: number;
}

export interface PageTestProject {
  readonly id: string;
  readonly name: string;
  readonly caseCount: number;
  /** Newest first, and limited. */
  readonly cases: readonly PageTestCase[];
}

export interface PageTestCase {
  readonly id: string;
  readonly title: string;
  /** The chosen values, as text. */
  readonly words: string;
}

export interface PageAccount {
  readonly id: string;
  readonly name: string;
  /** Address, state and position, as text. */
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
  /** What is special about it, as text. */
  readonly title: string;
}

/** Faults that are on. */
export interface Troubles {
  readonly service: 'none' | 'slow' | 'down' | 'failing' | 'silent';
  readonly slack: 'none' | 'busy' | 'down' | 'silent';
}
