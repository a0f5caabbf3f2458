import type { Reviewers, Route, RouteEscalation } from '../core/config/config.ts';
import { union } from '../core/config/values.ts';
import type { Approval } from './approval.ts';

/**
 * Who can decide a request, and who is asked to: the route's reviewers, narrowed by the request, and whoever it was
 * escalated to by now. Quiet reviewers can decide and are not asked.
 */

/** A route as it stands for one approval. */
export type PresentRoute = Route & {
  /** Whom the request was escalated to, and when. */
  readonly escalatedTo?: readonly (RouteEscalation['to'] & { readonly at: number })[];
};

/** The route as it stands now; the very same while nothing is escalated. */
export function presentRoute(
  route: Route | undefined,
  approval: Approval,
  now: number,
): PresentRoute | undefined {
  const begun = route?.escalate.filter(({ after }) => now >= approval.createdAt + after) ?? [];
  if (route === undefined || begun.length === 0) return route;
  return { ...route, escalatedTo: begun.map((step) => escalated(step, approval)) };
}

/** Everybody whom it is ever escalated to has been. */
export function lastRoute(route: Route): PresentRoute {
  return { ...route, escalatedTo: route.escalate.map(({ to }) => ({ ...to, at: 0 })) };
}

function escalated({ after, to }: RouteEscalation, { createdAt }: Approval) {
  return { ...to, at: createdAt + after };
}

/** When the next of these can decide; undefined: nobody else ever. */
export function nextEscalationAt(
  route: Route | undefined,
  { createdAt }: Approval,
  now: number,
): number | undefined {
  return route?.escalate.map(({ after }) => createdAt + after).find((at) => at > now);
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

/** Who can decide what is not narrowed. */
export function decidersOf({ reviewers, quiet, escalatedTo = [] }: PresentRoute): Reviewers {
  return { ...reviewers, ...union(reviewers, quiet, ...escalatedTo) };
}
