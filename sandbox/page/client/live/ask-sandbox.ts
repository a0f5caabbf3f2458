import { useState } from 'preact/hooks';

/** The sandbox's answer, or a sentence that says why there is none. */
export type Answered =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string };

/** Calls a method of the sandbox. Never throws. */
export async function askSandbox(method: string, body: object): Promise<Answered> {
  try {
    const answer = await fetch(`/sandbox/v1/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const given = await answer.json();
    if (answer.ok) return { ok: true, body: given };
    return { ok: false, error: typeof given.error === 'string' ? given.error : unreadable };
  } catch {
    return { ok: false, error: 'The sandbox did not answer. Is it still running?' };
  }
}

const unreadable = 'The page could not read the sandbox’s answer.';

export interface Asking {
  /** Runs one request at a time; others are dropped. */
  readonly ask: (method: string, body: object) => Promise<Answered | undefined>;
  readonly isAsking: boolean;
  /** Why the last request failed; empty if it succeeded. */
  readonly trouble: string;
}

/** Calls to the sandbox with a busy state and an error. */
export function useAsking(): Asking {
  const [isAsking, setAsking] = useState(false);
  const [trouble, setTrouble] = useState('');
  const ask = async (method: string, body: object): Promise<Answered | undefined> => {
    if (isAsking) return undefined;
    setAsking(true);
    setTrouble('');
    const answered = await askSandbox(method, body);
    setAsking(false);
    if (!answered.ok) setTrouble(answered.error);
    return answered;
  };
  return { ask, isAsking, trouble };
}
