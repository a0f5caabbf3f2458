import { RemoteFailure } from '../../lib/failure.ts';

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
