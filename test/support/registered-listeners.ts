import { registerHandlers } from '../../src/app/handlers.ts';

/** What features listen to: `app.action('approvals.check', …)` is `['action', 'approvals.check']`. */
export type RegisteredListener = readonly [method: (typeof METHODS)[number], id: string];

const METHODS = ['action', 'command', 'event', 'options', 'shortcut', 'view'] as const;

/** Every listener of the product, in the order of registration. Nothing is started for it. */
export function registeredListeners(): readonly RegisteredListener[] {
  return registeredBy((app) => registerHandlers(app, NOTHING));
}

export function registeredBy(register: (app: never) => void): readonly RegisteredListener[] {
  const registered: RegisteredListener[] = [];
  const methods = METHODS.map((method) => [
    method,
    (id: string) => void registered.push([method, id]),
  ]);
  // as: features only register, and use nothing they are given before a request
  register(Object.fromEntries(methods) as never);
  return registered;
}

/** Has every member, each of which has every member. */
// as: it stands for anything that is read of it
export const NOTHING = new Proxy(() => {}, { get: () => NOTHING }) as never;
