import type { PageState } from '../../page-state.ts';
import { nextStep } from './next-step.ts';

/** One quiet line. It is read out when it changes. */
export function NextStepLine({ state }: { state: PageState }) {
  const words = nextStep(state);
  return (
    <p class={words === null ? 'next-step done' : 'next-step'} role="status">
      {words}
    </p>
  );
}
