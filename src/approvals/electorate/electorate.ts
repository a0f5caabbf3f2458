/**
 * Who may decide a request now: one value (this file), made of clauses in one order, a file each. `tally.ts` says
 * whether ballots are enough, `eligible.ts` whether somebody may cast one. It knows nothing of decisions or messages.
 */

import type { Reviewers } from '../../core/config/config.ts';
import { type Away, away } from './away.ts';
import type { Clause, Named, RequestRules } from './clause.ts';
import { type Escalation, escalation } from './escalation.ts';
import { type GonePeople, gone } from './gone.ts';
import { type Lacking, lacking } from './lacking.ts';
import { type Narrowing, narrowing } from './narrowing.ts';
import { type Needs, needs } from './needs.ts';
import { type OwnRequest, ownRequest } from './own-request.ts';
import { type Quiet, quiet } from './quiet.ts';
import type { RouteTerms } from './terms.ts';

export interface Electorate
  extends Named,
    Needs,
    Narrowing,
    Quiet,
    Escalation,
    Away,
    GonePeople,
    OwnRequest,
    Lacking {}

const CLAUSES = [needs, narrowing, quiet, escalation, away, gone, ownRequest, lacking] as const;

const START = {
  ...needs.start,
  ...narrowing.start,
  ...quiet.start,
  ...escalation.start,
  ...away.start,
  ...gone.start,
  ...ownRequest.start,
  ...lacking.start,
};

/** One of the rules that apply to a request. */
export type Rule = ReturnType<(typeof CLAUSES)[number]['rules']>[number];

const NOBODY: Reviewers = { users: [], groups: [], channel: false };

/** After everything that time alone brings. */
export const EVER = Number.POSITIVE_INFINITY;

export function electorateOf(request: RequestRules, { route, asOf }: RouteTerms): Electorate {
  const known = KNOWN.get(request);
  if (known?.route === route && known !== undefined && isAsOf(known, asOf)) return known;
  const { reviewers: named = NOBODY } = route ?? {};
  const clauses: readonly Pick<Clause<Electorate>, 'shape'>[] = CLAUSES;
  const electorate = clauses.reduce((before, { shape }) => shape(before, request, asOf), {
    ...START,
    ...{ route, channel: request.channel, named, asked: named },
  });
  KNOWN.set(request, electorate);
  return electorate;
}

function isAsOf({ since, until }: Electorate, asOf: number): boolean {
  return since <= asOf && (asOf < until || until === EVER);
}

/** Each plan asks for it several times. */
const KNOWN = new WeakMap<RequestRules, Electorate>();

/** The rules that apply to a request, in order. */
export function rulesOf(electorate: Electorate, request: RequestRules): readonly Rule[] {
  return CLAUSES.flatMap<Rule>(({ rules }) => rules(electorate, request));
}
