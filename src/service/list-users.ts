import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { unreadable } from './json-of-exchange.ts';
import { readMember } from './read-member.ts';
import { type ServiceUser, serviceUserOf } from './service-user.ts';
import { type CallLimits, DEFAULT_DEADLINE_MS, type Transport } from './transport.ts';

const OPERATION = 'list users';
const MAX_BODY_BYTES = 1024 * 1024;

export interface UserPage {
  /** Rows that could be read. */
  readonly users: readonly ServiceUser[];
  /** All rows, for the next page's start. */
  readonly rowCount: number;
  readonly totalResults: number | null;
}

export interface UserQuery {
  /** A SCIM filter (RFC 7644 3.4.2.2), or null. */
  readonly filter: string | null;
  /** Counts from 1. */
  readonly startIndex: number;
  readonly count: number;
}

export type ListUsers = (query: UserQuery, limits: CallLimits) => Promise<UserPage>;

/**
 * One page of the synchronized users (Interface 4.5; query names and bodies as in RFC 7644). Asks for
 * `application/scim+json`, and for plain JSON from then on when that is answered with 415.
 */
export function createListUsers(needs: {
  readonly transport: Transport;
  readonly scimToken: string;
  readonly clock: Clock;
}): ListUsers {
  const { transport, scimToken, clock } = needs;
  let mediaType = 'application/scim+json';

  const send = (query: UserQuery, limits: CallLimits) =>
    transport.send(
      {
        operation: OPERATION,
        method: 'GET',
        path: `/api/scim/v2/Users?${queryText(query)}`,
        headers: { accept: mediaType, authorization: `Bearer ${scimToken}` },
        maxBodyBytes: MAX_BODY_BYTES,
      },
      limits,
    );

  return async (query, limits) => {
    const asked = mediaType;
    const startedAt = clock.monotonic();
    try {
      return pageOf(await send(query, limits));
    } catch (error) {
      const isRefused = error instanceof RemoteFailure && error.status === 415;
      if (!isRefused || asked === 'application/json') throw error;
      mediaType = 'application/json';
      const { deadlineMs = DEFAULT_DEADLINE_MS } = limits;
      const leftMs = startedAt + deadlineMs - clock.monotonic();
      return pageOf(await send(query, { ...limits, deadlineMs: leftMs }));
    }
  };
}

function queryText({ filter, startIndex, count }: UserQuery): string {
  const paging = `startIndex=${startIndex}&count=${count}`;
  return filter === null ? paging : `filter=${encodeURIComponent(filter)}&${paging}`;
}

/** `Resources` (which may be left out when nothing was found), a bare array, or either in `data`. */
function pageOf(body: unknown): UserPage {
  const list =
    readMember(body, 'Resources') === undefined ? (readMember(body, 'data') ?? body) : body;
  const total = readMember(list, 'totalResults');
  const totalResults = typeof total === 'number' ? total : null;
  const rows = Array.isArray(list)
    ? list
    : (readMember(list, 'Resources') ?? (totalResults === 0 ? [] : null));
  if (!Array.isArray(rows)) throw unreadable(OPERATION);
  const users = rows.map(serviceUserOf).filter((user) => user !== undefined);
  if (rows.length > 0 && users.length === 0) throw unreadable(OPERATION);
  return { users, rowCount: rows.length, totalResults };
}
