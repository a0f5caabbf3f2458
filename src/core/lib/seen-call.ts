import { type FailureClass, RemoteFailure } from './failure.ts';

/** One request to another system, for logs and metrics: words of the code and of the other's protocol alone. */
export interface SeenCall {
  /** What was asked for: a method of Slack, an operation of the service. */
  readonly method: string;
  readonly result: 'ok' | 'rate-limited' | FailureClass;
  /** The HTTP status; null: there was no answer. */
  readonly status: number | null;
  /** Why it failed; null: it did not. */
  readonly code: string | null;
  readonly tookMs: number;
}

export type OnCall = (call: SeenCall) => void;

/**
 * Tells of the call once it has ended, and gives or throws what it did. Only a RemoteFailure is told of.
 * `call` is given what it can tell the status by; without a word it was 200.
 */
export async function seenCall<T>(
  method: string,
  call: (onStatus: (status: number) => void) => Promise<T>,
  { monotonic, onCall }: { readonly monotonic: () => number; readonly onCall: OnCall | undefined },
): Promise<T> {
  if (onCall === undefined) return call(() => {});
  const startedAt = monotonic();
  const end = (facts: Pick<SeenCall, 'result' | 'status' | 'code'>) =>
    onCall({ method, ...facts, tookMs: monotonic() - startedAt });
  let answered = 200;
  try {
    const answer = await call((status) => {
      answered = status;
    });
    end({ result: 'ok', status: answered, code: null });
    return answer;
  } catch (error) {
    if (error instanceof RemoteFailure) {
      const { class: kind, status = null, code } = error;
      end({ result: status === 429 ? 'rate-limited' : kind, status, code });
    }
    throw error;
  }
}
