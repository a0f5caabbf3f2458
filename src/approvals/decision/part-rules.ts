import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import type { Approval } from '../approval.ts';
import { receiveAbsences } from '../electorate/find-absent.ts';
import type { Terms } from '../electorate/terms.ts';
import { receiveReport } from './result.ts';
import type { PartSignal, PartSignals } from './signal.ts';
import { receiveSupersede, supersede } from './supersede.ts';

/** What features do with an approval: the signals that they receive, and their steps. */

type Receive<Kind extends keyof PartSignals> = (
  approval: Approval,
  body: PartSignal<Kind>,
  terms: Terms,
  at: number,
) => Applied<Approval>;

const RECEIVERS: { readonly [Kind in keyof PartSignals]: Receive<Kind> } = {
  absences: receiveAbsences,
  report: receiveReport,
  supersede: receiveSupersede,
};

export function receiveByPart(
  approval: Approval,
  body: PartSignal,
  terms: Terms,
  at: number,
): Applied<Approval> {
  // as: the receiver of its kind
  const receive = RECEIVERS[body.kind] as Receive<keyof PartSignals>;
  return receive(approval, body, terms, at);
}

/** Their steps, which people wait for least. */
export const PART_STEPS = {
  supersede,
};

type PartSteps = typeof PART_STEPS;

export type PartStep = Parameters<PartSteps[keyof PartSteps]['execute']>[3];

export function dueParts(approval: Approval, _terms: Terms, now: number): readonly Due<PartStep>[] {
  return Object.values(PART_STEPS).map(({ due }) => due(approval, now));
}
