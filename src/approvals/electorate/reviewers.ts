import type { Reviewers, Route, RouteEscalation } from '../../core/config/config.ts';
import { digestOf } from '../../core/config/rules.ts';
import { union } from '../../core/config/values.ts';
import type { Approval } from '../approval.ts';

/**
 * Who can decide a request, and who is asked to: the route's reviewers, narrowed by the request, and the people it has
 * been escalated to. Quiet reviewers can decide but are not asked.
 */

/** A route as it is now for one approval. */
export type PresentRoute = Route & {
  /** Whom the request was escalated to, and when. */
  readonly escalatedTo?: readonly (RouteEscalation['to'] & { readonly at: number })[];
};

/** Digest of the route's rules; undefined: no longer configured. */
export function rulesIn(route: PresentRoute | undefined): string | undefined {
  if (route === undefined) return undefined;
  const known = DIGESTS.get(route);
  if (known !== undefined) return known;
  const { escalatedTo: _, ...rules } = route;
  const digest = digestOf(rules);
  DIGESTS.set(route, digest);
  return digest;
}

/** Each plan after a press asks for it several times. */
const DIGESTS = new WeakMap<PresentRoute, string>();

type Escalated = NonNullable<PresentRoute['escalatedTo']>;

/** The route as it is now; the same object while nothing is escalated. */
export function presentRoute(
  route: Route | undefined,
  approval: Approval,
  now: number,
): PresentRoute | undefined {
  const begun = escalationsOf(approval, route).filter(({ at }) => at <= now);
  return route === undefined || begun.length === 0 ? route : { ...route, escalatedTo: begun };
}

/** The route after all its escalations. */
export function lastRoute(route: Route): PresentRoute {
  if (route.escalate.length === 0) return route;
  return { ...route, escalatedTo: route.escalate.map(({ to }) => ({ ...to, at: 0 })) };
}

/** The same for one request, which may end before some of them. */
export function lastRouteOf(approval: Approval, route: Route): PresentRoute {
  return { ...route, escalatedTo: escalationsOf(approval, route) };
}

/** When the next escalation happens; undefined: never. */
export function nextEscalationAt(
  route: Route | undefined,
  approval: Approval,
  now: number,
): number | undefined {
  return escalationsOf(approval, route).find(({ at }) => at > now)?.at;
}

/** Whom a request is escalated to, and when: only before its end and its deadline. */
export function escalationsOf(
  { createdAt, escalatedAt = {}, expiresAt, withdrawnAt, outcome }: Approval,
  route: Route | undefined,
): Escalated {
  const ends = [expiresAt, withdrawnAt, outcome?.learnedAt].filter((at) => at !== undefined);
  const steps = (route?.escalate ?? []).map(({ after, to }) => ({
    ...to,
    at: Math.min(createdAt + after, escalatedAt[after] ?? Number.POSITIVE_INFINITY),
  }));
  return steps.filter(({ at }) => ends.every((end) => at < end));
}

/** More people will be able to decide later. */
export function isEscalatedLater(approval: Approval, route: PresentRoute): boolean {
  return escalationsOf(approval, route).length > (route.escalatedTo?.length ?? 0);
}

/** Who is asked to decide. */
export function askedOf(
  { narrowedTo }: Pick<Approval, 'narrowedTo'>,
  route: PresentRoute,
): Reviewers {
  const { reviewers, escalatedTo = [] } = route;
  const asked = narrowedTo === undefined ? reviewers : { ...narrowedTo, channel: false };
  return escalatedTo.length === 0 ? asked : { ...asked, ...union(asked, ...escalatedTo) };
}

/** Who can decide an approval that is not narrowed. */
export function decidersOf(route: PresentRoute): Reviewers {
  const known = DECIDERS.get(route);
  if (known !== undefined) return known;
  const { reviewers, quiet, escalatedTo = [] } = route;
  const deciders = { ...reviewers, ...union(reviewers, quiet, ...escalatedTo) };
  DECIDERS.set(route, deciders);
  return deciders;
}

/** Computed once for each route: every request and press needs them. */
const DECIDERS = new WeakMap<PresentRoute, Reviewers>();

/** A narrowed request may name people who are not the route's reviewers: group members are known only at the click. */
export function isConditional({ narrowedTo }: Approval, { reviewers, quiet }: Route): boolean {
  return narrowedTo !== undefined && reviewers.groups.length + quiet.groups.length > 0;
}
