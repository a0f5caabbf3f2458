import { work } from '../../../core/engine/lease-session.ts';
import { CLOSING_KIND } from '../../electorate/closing.ts';
import type { Part } from '../part.ts';
import { createClosingFlow, lookAtWindows } from './closing-flow.ts';
import { closeOperator, openOperator } from './operators.ts';
import { closingWords } from './slack.ts';

export const closing: Part = {
  kind: CLOSING_KIND,
  createWorker(core) {
    const flow = createClosingFlow(core);
    return (held, needs) => work(held, flow, needs);
  },
  words: closingWords,
  ruled: lookAtWindows,
  operators: { close: closeOperator, open: openOperator },
};
