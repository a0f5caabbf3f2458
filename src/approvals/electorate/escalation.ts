import * as z from 'zod';
import type { Route } from '../../core/config/config.ts';
import { notNobody, section, somebody } from '../../core/config/file.ts';
import { GROUPS_MAX, hasFewGroups, withMore } from '../../core/config/places.ts';
import { A_LIST, duration, list, text } from '../../core/config/values.ts';
import { clockShows } from './bar.ts';
import { type Addition, alsoNaming, type Clause, type Named, type RequestRules } from './clause.ts';

/** After a while more people can decide a request, and are asked. */

declare module '../approval.ts' {
  interface Approval {
    /** When it was escalated early because too few people were left, by the `after` of each escalation. */
    readonly escalatedAt?: Readonly<Record<string, number>>;
  }
}

declare module '../../core/config/file.ts' {
  interface RouteMembers {
    /** More people who can decide, and are asked, after a request has waited this long. */
    readonly escalate: z.output<typeof escalate>;
  }
}

const STEPS_MAX = 5;

const escalationSection = section({
  after: duration,
  to: notNobody(
    section({
      ...somebody,
      /** Which of the route's needs they can fill; undefined: any. */
      needs: z.array(text, { error: A_LIST }).readonly().optional(),
    }),
  ),
});

const escalate = list(escalationSection)
  .refine(areInOrder, { error: 'must each have a later after than the one before' })
  .refine((steps) => steps.length <= STEPS_MAX, { error: `must have at most ${STEPS_MAX} entries` })
  .refine((steps) => hasFewGroups(steps.map(({ to }) => ({ of: to }))), {
    error: `must name at most ${GROUPS_MAX} groups`,
  });

function areInOrder(steps: readonly { readonly after: number }[]): boolean {
  return steps.every(({ after }, at) => at === 0 || after > (steps[at - 1]?.after ?? 0));
}

type EscalationRule = ({ readonly code: 'escalated' } | { readonly code: 'escalates' }) & {
  readonly to: Route['escalate'][number]['to'];
  readonly at: number;
};

export const escalation: Clause<unknown, EscalationRule> = {
  pieces: { escalate },

  check: {
    path: 'escalate',
    error: 'names needs that the route does not have',
    holds({ steps, places }) {
      const names = places.map(({ name }) => name);
      return steps.every(({ needs }) => needs?.every((name) => names.includes(name)) ?? true);
    },
  },

  start: ({ route }) => ({ hastenable: route?.escalate.map(({ to }) => to) ?? [] }),

  shape(electorate, request, asOf) {
    const { escalate = [] } = electorate.route ?? {};
    if (escalate.length === 0) return undefined;
    const steps = stepsOf(electorate, request, escalate);
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

  /** The first that has not begun: the file may have other times than when earlier ones were hastened. */
  hasten({ route, stops, since, begun }, approval, at) {
    const next = route?.escalate.find(({ after }) => beginsAt(stops, approval, after) > since);
    if (next === undefined || endsOf(approval).some((end) => at >= end)) return undefined;
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
function stepsOf(
  { stops }: Named,
  request: RequestRules,
  escalate: Route['escalate'],
): readonly Addition[] {
  const ends = endsOf(request);
  const steps = escalate.map(({ after, to }) => ({ ...to, at: beginsAt(stops, request, after) }));
  return steps.filter(({ at }) => ends.every((end) => at < end));
}

function endsOf({ expiresAt, withdrawnAt, outcome }: RequestRules): readonly number[] {
  return [expiresAt, withdrawnAt, outcome?.learnedAt].filter((at) => at !== undefined);
}

function beginsAt(
  stops: Named['stops'],
  { createdAt = 0, escalatedAt = {} }: RequestRules,
  after: number,
): number {
  const hastenedAt = escalatedAt[after] ?? Number.POSITIVE_INFINITY;
  return Math.min(clockShows(stops, createdAt + after), hastenedAt);
}
