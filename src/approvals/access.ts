import type { StepResult } from './step.ts';
import { troubleOf } from './trouble.ts';

/** Whether the service lets this process in, as far as it was heard. */
export interface Access {
  /** Notes how a look ended, and adds to it when being let in is news. */
  after<Look extends StepResult>(look: Look): Look;
}

export function createAccess(): Access {
  let isLetIn = true;
  return {
    after(look) {
      if (look.kind === 'failed' && troubleOf(look.failure).why === 'denied') isLetIn = false;
      if (look.kind !== 'status' || isLetIn) return look;
      isLetIn = true;
      return { ...look, letInAgain: true };
    },
  };
}
