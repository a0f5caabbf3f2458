import type { PageTerminal, Troubles } from './page-state.ts';

/** What the page itself remembers of the world it shows. */
export interface PageMemory {
  /** Titles the automation gave, by the approval's id in the service. */
  readonly titles: Map<string, string>;
  /** Ids the intake gave, by the approval's id in the service. */
  readonly intakeIds: Map<string, string>;
  /** `ts` of the last message that a person has looked at, by `readKey`. */
  readonly reads: Map<string, string>;
  /** Approvals whose time will run out. */
  readonly deadlines: Set<NodeJS.Timeout>;
  /** What the last command wrote. */
  terminal: PageTerminal | null;
  troubles: Troubles;
}

export function newPageMemory(): PageMemory {
  return {
    titles: new Map(),
    intakeIds: new Map(),
    reads: new Map(),
    deadlines: new Set(),
    terminal: null,
    troubles: { service: 'none', slack: 'none' },
  };
}

export function readKey(user: string, channel: string): string {
  return `${user} ${channel}`;
}

/** Nothing of it happens any more. */
export function endDeadlines({ deadlines }: PageMemory): void {
  for (const timer of deadlines) clearTimeout(timer);
  deadlines.clear();
}
