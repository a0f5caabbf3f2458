import type { PageState } from '../page/page-state.ts';

/**
 * What the panel draws beside the workspace. Of the secrets only that of the intake is in it, for the terminal
 * of whoever runs the demo.
 */
export interface BackstageState {
  /** Ids of those who decide in the demo. */
  readonly releaseManagers: readonly string[];
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

/** What the windows of the demo are sent. */
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
