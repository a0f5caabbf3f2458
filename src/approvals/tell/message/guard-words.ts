import type { Approval } from '../../approval.ts';
import type { GuardStates } from '../../decision/guard.ts';
import type { StatementFacts } from '../../decision/statement.ts';
import type { MessageState } from './message-state.ts';

/** The words of one guard (`decision/guard.ts`): of the state that it shows, and of its replies. */
export interface GuardWords<Name extends keyof GuardStates, Code extends keyof StatementFacts> {
  /** For lock screens. */
  readonly headline: string;
  /** The status in one line. */
  line(state: Extract<MessageState, { name: Name }>, approval: Approval): string;
  readonly sentences: {
    readonly [Each in Code]: (facts: StatementFacts[Each], approval: Approval) => string;
  };
}
