import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { Approval } from '../approval.ts';
import type { RouteTerms } from './terms.ts';

/** undefined: no longer configured. */
export function routeNamed({ config }: Core, name: string): Route | undefined {
  return config.routes.find((route) => route.name === name);
}

/** The rules of the approval's route now. */
export function routeTerms(core: Core, { route }: Pick<Approval, 'route'>): RouteTerms {
  return { route: routeNamed(core, route), asOf: core.store.now() };
}
