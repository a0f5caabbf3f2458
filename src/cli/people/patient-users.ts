import { RemoteFailure } from '../../lib/failure.ts';
import type { UsersClient } from '../../service/service-client.ts';

/** Reading every page of a server that ignores filters takes longer than one call. */
const FIND_MS = 60_000;

interface PatientNeeds extends PersistNeeds {
  /** Waits for a rate-limit slot, so that the service is not overrun. */
  readonly slot: () => Promise<void>;
  /** Ends what only reads; a change that was sent is waited for. */
  readonly signal: AbortSignal;
}

export type PatientUsers = Pick<UsersClient, 'find' | 'create' | 'patch' | 'delete'>;

/** A client that waits for its rate-limit slots, and tries again where that can do no harm. */
export function patientUsers(users: UsersClient, needs: PatientNeeds): PatientUsers {
  const { signal, slot } = needs;
  const again = <T>(kind: 'read' | 'write', call: () => Promise<T>): Promise<T> =>
    persist(needs, kind, async () => {
      await slot();
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

export interface PersistNeeds {
  /** Rejects when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** The service asks to wait. */
  readonly onWait: (ms: number) => void;
}

const PAUSES_MS = [500, 1_000, 2_000];

/**
 * Tries a call again where nothing can have happened: it was not sent, or the service asks to wait. A
 * read is tried again after an answer that does not tell, too. Throws what the last try threw.
 */
export async function persist<T>(
  needs: PersistNeeds,
  kind: 'read' | 'write',
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = PAUSES_MS[tries];
      if (pauseMs === undefined || !isWorthwhile(error, kind)) throw error;
      const asked = error.status === 429 || kind === 'read' ? error.retryAfterMs : undefined;
      if (asked !== undefined) needs.onWait(asked);
      await needs.sleep(asked ?? pauseMs);
    }
  }
}

const NEVER: ReadonlySet<string> = new Set(['aborted', 'bad_id']);

function isWorthwhile(error: unknown, kind: 'read' | 'write'): error is RemoteFailure {
  if (!(error instanceof RemoteFailure) || NEVER.has(error.code)) return false;
  const isUndone = error.class === 'not-sent' || error.status === 429;
  return isUndone || (kind === 'read' && error.class === 'ambiguous');
}
