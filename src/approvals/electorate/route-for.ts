import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { Approval } from '../approval.ts';
import { type PresentRoute, presentRoute } from './reviewers.ts';

/** undefined: no longer configured. */
export function routeNamed({ config }: Core, name: string): Route | undefined {
  return config.routes.find((route) => route.name === name);
}

/** The approval's route as it is now. */
export function routeFor(core: Core, approval: Approval): PresentRoute | undefined {
  const route = routeNamed(core, approval.route);
  const isFixed = route === undefined || route.escalate.length === 0;
  return isFixed ? route : presentRoute(route, approval, core.store.now());
}
