import type { Approval } from '../../approval.ts';
import type { StatementFacts } from '../../decision/statement.ts';
import type { BarFacts, Barred } from '../../electorate/bar.ts';

/** The words of what bars approvals (`electorate/bar.ts`). */
export interface BarWords {
  isIn(state: BarFacts): boolean;
  /** For lock screens. */
  readonly headline: string;
  /** Instead of who is asked. `progress`: who approved. */
  line(approval: Approval, state: BarFacts, progress: string): string;
  /** For lists. */
  inList(state: BarFacts): string;
  /** For somebody who approved. */
  refused(facts: StatementFacts['barred']): string;
  /** Why a decision was not sent again. */
  unsent(bar: Barred): string;
  /** Why a press was not counted. */
  readonly notCounted: string;
}
