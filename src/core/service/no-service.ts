import { RemoteFailure } from '../lib/failure.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { ServiceClient } from './service-client.ts';

/** Why approvals of a service cannot be read or answered that are still kept. */
export const NO_SERVICE = 'no_service';

/** Stands for the service where none is configured: nothing is sent, and each call fails and says why. */
export function noService(onCall?: OnCall): ServiceClient {
  const fail = (operation: string): Promise<never> =>
    seenCall(
      operation,
      async () => {
        throw new RemoteFailure(operation, { class: 'not-sent', code: NO_SERVICE });
      },
      { monotonic: () => 0, onCall },
    );
  return {
    probe: () => fail('probe'),
    approvals: {
      get: () => fail('get approval'),
      respond: () => fail('respond to approval'),
    },
    tasks: null,
    testCases: null,
    users: null,
    async close() {},
    async [Symbol.asyncDispose]() {},
  };
}
