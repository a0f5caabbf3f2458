import type { PageTerminal, Troubles } from './backstage-state.ts';

/** The panel's own state. */
export interface BackstageMemory {
  /** Timers of approvals that have a deadline. */
  readonly deadlines: Set<NodeJS.Timeout>;
  /** The output of the last command. */
  terminal: PageTerminal | null;
  /** Which run that is. */
  run: symbol | null;
  troubles: Troubles;
}

export function newBackstageMemory(): BackstageMemory {
  return {
    deadlines: new Set(),
    terminal: null,
    run: null,
    troubles: { service: 'none', slack: 'none' },
  };
}

/** Cancels all timers. */
export function endDeadlines({ deadlines }: BackstageMemory): void {
  for (const timer of deadlines) clearTimeout(timer);
  deadlines.clear();
}
