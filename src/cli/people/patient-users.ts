import type { UsersClient } from '../../service/service-client.ts';
import { type PersistNeeds, persist } from './persist.ts';

/** Reading every page of a server that ignores filters takes longer than one call. */
const FIND_MS = 60_000;

export interface PatientNeeds extends PersistNeeds {
  /** Waits for a turn, so that the service is not overrun. */
  readonly turn: () => Promise<void>;
  /** Ends what only reads; a change that was sent is waited for. */
  readonly signal: AbortSignal;
}

export type PatientUsers = Pick<UsersClient, 'find' | 'create' | 'patch' | 'delete'>;

/** A client that takes its turn, and tries again where that can do no harm. */
export function patientUsers(users: UsersClient, needs: PatientNeeds): PatientUsers {
  const { signal, turn } = needs;
  const again = <T>(kind: 'read' | 'write', call: () => Promise<T>): Promise<T> =>
    persist(needs, kind, async () => {
      await turn();
      return call();
    });
  return {
    find: (key, value) =>
      again('read', () => users.find(key, value, { deadlineMs: FIND_MS, signal })),
    create: (user) => again('write', () => users.create(user)),
    patch: (id, operations) => again('write', () => users.patch(id, operations)),
    delete: (id) => again('write', () => users.delete(id)),
  };
}
