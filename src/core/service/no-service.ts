import { RemoteFailure } from '../lib/failure.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * Used if no service is configured, since the store may still hold its approvals. Nothing is sent, and every call fails
 * with the reason.
 */
export function noService(onCall?: OnCall): ServiceClient {
  const fail = (operation: string): Promise<never> =>
    seenCall(
      operation,
      async () => {
        throw new RemoteFailure(operation, { class: 'not-sent', code: 'no_service' });
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
