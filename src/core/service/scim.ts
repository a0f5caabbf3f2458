import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import {
  type CallLimits,
  DEFAULT_DEADLINE_MS,
  type ServiceRequest,
  type Transport,
} from './transport.ts';

const MEDIA_TYPE = 'application/scim+json';
const PLAIN_JSON = 'application/json';
const MAX_BODY_BYTES = 1024 * 1024;

type ScimRequest = Pick<ServiceRequest, 'operation' | 'method' | 'path' | 'body'>;

/** Sends below `/api/scim/v2/Users`. The JSON value of a 2xx; else throws RemoteFailure. */
export type Scim = (request: ScimRequest, limits: CallLimits) => Promise<unknown>;

/**
 * The SCIM endpoints with their own token (Interface 4.5, 5). Sends `application/scim+json` (RFC 7644 3.1), and plain
 * JSON after a 415, which means that nothing was done.
 */
export function createScim(needs: {
  readonly transport: Transport;
  readonly scimToken: string;
  readonly clock: Clock;
}): Scim {
  const { transport, scimToken, clock } = needs;
  let mediaType = MEDIA_TYPE;

  const send = ({ path, ...request }: ScimRequest, limits: CallLimits) =>
    transport.send(
      {
        ...request,
        path: `/api/scim/v2/Users${path}`,
        headers: {
          accept: mediaType,
          authorization: `Bearer ${scimToken}`,
          ...(request.body !== undefined && { 'content-type': mediaType }),
        },
        maxBodyBytes: MAX_BODY_BYTES,
      },
      limits,
    );

  return async (request, limits) => {
    const asked = mediaType;
    const startedAt = clock.monotonic();
    try {
      return await send(request, limits);
    } catch (error) {
      const isRefused = error instanceof RemoteFailure && error.status === 415;
      if (!isRefused || asked === PLAIN_JSON) throw error;
      mediaType = PLAIN_JSON;
      const { deadlineMs = DEFAULT_DEADLINE_MS } = limits;
      const leftMs = startedAt + deadlineMs - clock.monotonic();
      return await send(request, { ...limits, deadlineMs: leftMs });
    }
  };
}
