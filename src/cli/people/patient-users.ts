import { RemoteFailure } from '../../core/lib/failure.ts';
import { MAX_PAGES } from '../../core/service/find-user.ts';
import type { UserFinder } from '../../core/service/service-client.ts';

/** Reading all pages of a server that ignores filters takes longer than one call. */
export const FIND_MS = 60_000;

interface PatientNeeds extends PersistNeeds {
  readonly signal: AbortSignal;
  /** The longest wait of this many requests for their slots, from now. */
  readonly turnsMs: (requests: number) => number;
}

/** Looks up accounts, with retries. Changes use `carryOut`. */
export function patientUsers(users: UserFinder, needs: PatientNeeds): UserFinder {
  // A refused filter costs one more request.
  const limits = () => ({
    deadlineMs: FIND_MS + needs.turnsMs(MAX_PAGES + 1),
    signal: needs.signal,
  });
  return { find: (key, value) => persist(needs, () => users.find(key, value, limits())) };
}

export interface PersistNeeds {
  /** Rejects when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Called when the service asks to wait. */
  readonly onWait: (ms: number) => void;
}

/** Retries a read that was not sent, had no clear answer, or was asked to wait. Throws the last error. */
export async function persist<T>(needs: PersistNeeds, read: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      const pauseMs = PAUSES_MS[tries];
      if (pauseMs === undefined || !isWorthwhile(error)) throw error;
      if (error.retryAfterMs !== undefined) needs.onWait(error.retryAfterMs);
      await needs.sleep(error.retryAfterMs ?? pauseMs);
    }
  }
}

const PAUSES_MS = [500, 1_000, 2_000];
const NEVER: ReadonlySet<string> = new Set(['aborted', 'bad_id']);

function isWorthwhile(error: unknown): error is RemoteFailure {
  if (!(error instanceof RemoteFailure) || NEVER.has(error.code)) return false;
  return error.class === 'not-sent' || error.class === 'ambiguous' || error.status === 429;
}
