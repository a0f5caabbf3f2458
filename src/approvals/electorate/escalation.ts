import type { Route } from '../../core/config/config.ts';
import { withMore } from '../../core/config/places.ts';
import { type Addition, alsoNaming, type Clause, type RequestRules } from './clause.ts';
import { clockShows } from './closed.ts';

/** After a while more people can decide a request, and are asked. */

declare module '../approval.ts' {
  interface Approval {
    /** When it was escalated early because too few people were left, by the `after` of each escalation. */
    readonly escalatedAt?: Readonly<Record<string, number>>;
  }
}

type EscalationRule = ({ readonly code: 'escalated' } | { readonly code: 'escalates' }) & {
  readonly to: Route['escalate'][number]['to'];
  readonly at: number;
};

export const escalation: Clause<unknown, EscalationRule> = {
  start: () => ({}),

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
      named: alsoNaming(named, begun),
      asked: alsoNaming(asked, begun),
      places: withMore(places, begun),
    };
  },

  hasten({ route, begun }, approval, at) {
    const next = route?.escalate[begun.length];
    if (next === undefined) return undefined;
    const escalatedAt = { ...approval.escalatedAt, [next.after]: at };
    return { data: { ...approval, escalatedAt }, steps: begun.length + 1 };
  },

  rules: ({ steps, begun }) =>
    steps.map(({ at, ...to }, index) => ({
      code: index < begun.length ? 'escalated' : 'escalates',
      to,
      at,
    })),
};

/** Only before its end and its deadline. */
function stepsOf(request: RequestRules, escalate: Route['escalate']): readonly Addition[] {
  const { createdAt = 0, escalatedAt = {}, expiresAt, withdrawnAt, outcome } = request;
  const ends = [expiresAt, withdrawnAt, outcome?.learnedAt].filter((at) => at !== undefined);
  const steps = escalate.map(({ after, to }) => ({
    ...to,
    at: Math.min(
      clockShows(request, createdAt + after),
      escalatedAt[after] ?? Number.POSITIVE_INFINITY,
    ),
  }));
  return steps.filter(({ at }) => ends.every((end) => at < end));
}
