import { registeredListeners } from '../../../test/support/registered-listeners.ts';

/** For bare Bolt: the product's own listeners, since Bolt tries each of them on every request. */
export const LISTENERS = JSON.stringify(registeredListeners());
