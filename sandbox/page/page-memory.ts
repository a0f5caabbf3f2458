import type { PageTerminal, Troubles } from './page-state.ts';

/** What the page itself remembers of the world it shows. */
export interface PageMemory {
  /** When the sandbox was started, or reset. */
  readonly begunAt: number;
  /** `ts` of the last message that a person has looked at, by `readKey`. */
  readonly reads: Map<string, string>;
  /** Approvals whose time will run out. */
  readonly deadlines: Set<NodeJS.Timeout>;
  /** What the last command wrote. */
  terminal: PageTerminal | null;
  troubles: Troubles;
}

export function newPageMemory(begunAt: number): PageMemory {
  return {
    begunAt,
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
