import { useState } from 'preact/hooks';
import { type Answered, askSandbox } from './ask-sandbox.ts';

export interface Asking {
  /** Does one thing at a time; what is asked meanwhile is dropped. */
  readonly ask: (method: string, body: object) => Promise<Answered | undefined>;
  readonly isAsking: boolean;
  /** Why the last one was not done; empty when it was. */
  readonly trouble: string;
}

/** A way to do things in the sandbox that shows that it works and why it failed. */
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
