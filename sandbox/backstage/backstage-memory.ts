import type { PageTerminal, Troubles } from './backstage-state.ts';

/** What the panel itself remembers of the world it shows. */
export interface BackstageMemory {
  /** Approvals whose time will run out. */
  readonly deadlines: Set<NodeJS.Timeout>;
  /** What the last command wrote. */
  terminal: PageTerminal | null;
  troubles: Troubles;
}

export function newBackstageMemory(): BackstageMemory {
  return {
    deadlines: new Set(),
    terminal: null,
    troubles: { service: 'none', slack: 'none' },
  };
}

/** Nothing of it happens any more. */
export function endDeadlines({ deadlines }: BackstageMemory): void {
  for (const timer of deadlines) clearTimeout(timer);
  deadlines.clear();
}
