import type { Reviewers, RouteEscalation } from '../../core/config/config.ts';
import { withEscalated } from '../../core/config/needs.ts';
import { type NamedPeople, union } from '../../core/config/values.ts';
import type { Clause, RequestRules } from './clause.ts';
import type { Needs } from './needs.ts';

/** After a while more people can decide a request, and are asked. */

/** Whom it is escalated to, and when. */
export type Step = RouteEscalation['to'] & { readonly at: number };

export interface Escalation {
  /** All of them, until the request ends. */
  readonly steps: readonly Step[];
  /** Those that are over. */
  readonly begun: readonly Step[];
  /** The electorate is the same from the last step on, until the next one. */
  readonly since: number;
  readonly until: number;
}

type EscalationRule = ({ readonly code: 'escalated' } | { readonly code: 'escalates' }) & {
  readonly to: RouteEscalation['to'];
  readonly at: number;
};

export const escalation: Clause<Escalation, EscalationRule, Needs> = {
  start: () => ({
    steps: [],
    begun: [],
    since: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
  }),

  shape(electorate, request, asOf) {
    const { escalate = [] } = electorate.route ?? {};
    if (escalate.length === 0) return undefined;
    const steps = stepsOf(request, escalate);
    const begun = steps.filter(({ at }) => at <= asOf);
    const ahead = steps.filter(({ at }) => at > asOf).map(({ at }) => at);
    const since = Math.max(Number.NEGATIVE_INFINITY, ...begun.map(({ at }) => at));
    const until = Math.min(Number.POSITIVE_INFINITY, ...ahead);
    const known = { steps, begun, since, until };
    if (begun.length === 0) return known;
    const { named, asked, places } = electorate;
    return {
      ...known,
      named: withMore(named, begun),
      asked: withMore(asked, begun),
      places: withEscalated(places, begun),
    };
  },

  rules: ({ steps, begun }) =>
    steps.map(({ at, ...to }, index) => ({
      code: index < begun.length ? 'escalated' : 'escalates',
      to,
      at,
    })),
};

function withMore(before: Reviewers, more: readonly NamedPeople[]): Reviewers {
  return { ...before, ...union(before, ...more) };
}

/** Only before its end and its deadline. */
function stepsOf(
  { createdAt = 0, escalatedAt = {}, expiresAt, withdrawnAt, outcome }: RequestRules,
  escalate: readonly RouteEscalation[],
): readonly Step[] {
  const ends = [expiresAt, withdrawnAt, outcome?.learnedAt].filter((at) => at !== undefined);
  const steps = escalate.map(({ after, to }) => ({
    ...to,
    at: Math.min(createdAt + after, escalatedAt[after] ?? Number.POSITIVE_INFINITY),
  }));
  return steps.filter(({ at }) => ends.every((end) => at < end));
}

/** More people will be able to decide later. */
export function isEscalatedLater({ steps, begun }: Escalation): boolean {
  return steps.length > begun.length;
}
