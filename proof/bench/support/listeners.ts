import { registeredListeners } from '../../../test/support/registered-listeners.ts';

/** For bare Bolt: the product's own, since Bolt tries each of its listeners on every request. */
export const LISTENERS = JSON.stringify(registeredListeners());
