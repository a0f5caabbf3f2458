/**
 * The service's interface: approvals, work items, test cases and accounts, one file per call. Each is sent once and
 * never retried (`transport.ts`); a failure is a `RemoteFailure` that says what is known.
 */

import type { Connect } from '../http/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import type { OnCall } from '../lib/seen-call.ts';
import type { Timers } from '../lib/timers.ts';
import type { ApprovalStatus } from './approval-status.ts';
import {
  type ApprovalResponse,
  type ApprovalResult,
  type GetLimits,
  getApproval,
  respondToApproval,
} from './approvals.ts';
import {
  type CreateTestCaseOutcome,
  createTestCase,
  type NewTestCase,
} from './create-test-case.ts';
import { type CreateUserOutcome, createUser, type NewUser } from './create-user.ts';
import { type DeleteUserOutcome, deleteUser } from './delete-user.ts';
import { type Dialect, defaultDialect } from './dialect.ts';
import { findUser, type UserKey, type UserMatch } from './find-user.ts';
import { type MoveOutcome, moveTask, type TaskMove } from './move-task.ts';
import { type PatchUserOutcome, patchUser, type UserOperation } from './patch-user.ts';
import { type Probed, probeApprovals } from './probe.ts';
import { createScim, type Scim } from './scim.ts';
import type { UserProfile } from './service-user.ts';
import { readTask, type TaskRead } from './task.ts';
import { type CallLimits, createTransport, type Transport } from './transport.ts';
import { listUsers, type UserBatch, type UsersAsked, userPages } from './user-pages.ts';

export interface ServiceClient extends AsyncDisposable {
  /** Whether the approval endpoint exists at the configured address; see `probe.ts`. Throws RemoteFailure. */
  probe(made: string, limits?: CallLimits): Promise<Probed>;
  readonly approvals: {
    /** Interface 4.3. Throws RemoteFailure. */
    get(token: string, limits?: GetLimits): Promise<ApprovalStatus>;
    /** Interface 4.4. Throws RemoteFailure. */
    respond(
      token: string,
      response: ApprovalResponse,
      limits?: CallLimits,
    ): Promise<ApprovalResult>;
  };
  /** null without an API key. */
  readonly tasks: {
    /** Interface 4.1. Throws RemoteFailure. */
    move(move: TaskMove, limits?: CallLimits): Promise<MoveOutcome>;
    /** null unless the dialect says where. Throws RemoteFailure. */
    readonly read: ((reference: string, limits?: CallLimits) => Promise<TaskRead>) | null;
  } | null;
  /** null without an API key. */
  readonly testCases: {
    /** Interface 4.2. Throws RemoteFailure. */
    create(testCase: NewTestCase, limits?: CallLimits): Promise<CreateTestCaseOutcome>;
  } | null;
  /** null without a SCIM token. */
  readonly users: UsersClient | null;
  /** Waits for calls in flight; later ones fail as `not-sent`. */
  close(): Promise<void>;
}

/** Finds an account by a unique attribute. Throws RemoteFailure. */
export interface UserFinder {
  find(key: UserKey, value: string, limits?: CallLimits): Promise<UserMatch<UserProfile>>;
}

/** The calls to change accounts. Each throws RemoteFailure. */
export interface AccountCalls extends UserFinder {
  create(user: NewUser, limits?: CallLimits): Promise<CreateUserOutcome>;
  patch(
    id: string,
    operations: readonly UserOperation[],
    limits?: CallLimits,
  ): Promise<PatchUserOutcome>;
  /** Deactivates, like PATCH. */
  delete(id: string, limits?: CallLimits): Promise<DeleteUserOutcome>;
}

export interface UserPages {
  /** Reads pages as they are consumed. The limits apply to each page. */
  pages(asked: UsersAsked, limits?: CallLimits): AsyncIterable<UserBatch>;
}

/** Interface 4.5. Each throws RemoteFailure. */
export interface UsersClient extends AccountCalls, UserPages {
  findByEmail(email: string, limits?: CallLimits): Promise<UserMatch<UserProfile>>;
}

interface ServiceClientOptions {
  /** May contain a path. */
  readonly baseUrl: string;
  /** Sent only to the SCIM endpoints. */
  readonly scimToken: string | null;
  /** For work items and test cases; sent to the approval endpoints only if the dialect says so. */
  readonly apiKey?: string | null;
  readonly dialect?: Dialect;
  /** Default 1 s. */
  readonly connectTimeoutMs?: number;
  /** Called for every call. */
  readonly onCall?: OnCall | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Default: the network. */
  readonly connect?: Connect;
}

/** A client of the service. It reuses connections, never retries, and shows no secret in its errors. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { scimToken, apiKey = null, dialect = defaultDialect, clock } = options;
  const secrets = [scimToken, apiKey].filter((secret) => secret !== null);
  const transport = createTransport({ ...options, secrets });
  const { approval } = dialect;
  const needs = { transport, dialect: approval, access: { auth: approval.auth, apiKey } };
  return {
    probe: (made, limits = {}) => probeApprovals(needs, made, limits),
    approvals: {
      get: (token, limits) => getApproval(needs, token, limits),
      respond: (token, response, limits) => respondToApproval(needs, token, response, limits),
    },
    tasks: apiKey === null ? null : tasksOf(transport, apiKey, dialect),
    testCases:
      apiKey === null
        ? null
        : {
            create: (testCase, limits) => createTestCase({ transport, apiKey }, testCase, limits),
          },
    users: scimToken === null ? null : usersOf(createScim({ transport, scimToken, clock }), clock),
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

function usersOf(scim: Scim, clock: Clock): UsersClient {
  const needs = { scim, clock };
  return {
    findByEmail: (email, limits) => findUser(needs, 'userName', email.trim(), limits),
    find: (key, value, limits) => findUser(needs, key, value, limits),
    pages: (asked, limits = {}) => userPages((query) => listUsers(scim, query, limits), asked),
    create: (user, limits) => createUser(scim, user, limits),
    patch: (id, operations, limits) => patchUser(scim, id, operations, limits),
    delete: (id, limits) => deleteUser(scim, id, limits),
  };
}

function tasksOf(
  transport: Transport,
  apiKey: string,
  { task }: Dialect,
): NonNullable<ServiceClient['tasks']> {
  const read = task && { transport, apiKey, dialect: task };
  return {
    move: (move, limits) => moveTask({ transport, apiKey }, move, limits),
    read: read ? (reference, limits) => readTask(read, reference, limits) : null,
  };
}
