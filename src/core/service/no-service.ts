import { RemoteFailure } from '../lib/failure.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { ServiceClient } from './service-client.ts';

/** Stands for the service where none is configured: approvals of one may still be kept. Nothing is sent, and each call says why. */
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
