import { type FailureClass, RemoteFailure } from './failure.ts';

/** A request to another system, for logs and metrics: contains only codes and protocol values. */
export interface SeenCall {
  /** A Slack method, or an operation of the service. */
  readonly method: string;
  readonly result: 'ok' | 'rate-limited' | FailureClass;
  /** HTTP status; null: no answer. */
  readonly status: number | null;
  /** Why it failed; null: it succeeded. */
  readonly code: string | null;
  readonly tookMs: number;
}

export type OnCall = (call: SeenCall) => void;

/**
 * Reports a call when it ends, and returns or throws its result. Errors other than RemoteFailure are not reported.
 * `call` can set the status; the default is 200.
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
