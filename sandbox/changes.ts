/** Rejects after `timeoutMs` (default 60,000), naming `what`. */
export type Until = <T>(
  predicate: () => T | undefined | null | false,
  options?: { readonly timeoutMs?: number; readonly what?: string },
) => Promise<T>;

/** Notifies waiters of changes, once per turn of the event loop. */
export interface Changes {
  readonly notify: () => void;
  readonly until: Until;
  /** Returns the function that ends the subscription. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Ends every wait with an error. */
  readonly close: () => void;
}

export function createChanges(): Changes {
  const listeners = new Set<() => void>();
  const waits = new Set<(reason: string) => void>();
  let told = true;

  const notify = (): void => {
    if (!told || listeners.size === 0) return;
    told = false;
    queueMicrotask(() => {
      told = true;
      for (const listener of [...listeners]) listener();
    });
  };

  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  const until: Until = (predicate, { timeoutMs = 60_000, what = 'what was awaited' } = {}) =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        unsubscribe();
        waits.delete(give);
      };
      const give = (reason: string): void => {
        end();
        reject(new Error(`${what}: ${reason}`));
      };
      const look = (): void => {
        try {
          const value = predicate();
          if (!value) return;
          end();
          resolve(value);
        } catch (error) {
          end();
          reject(error);
        }
      };
      const timer = setTimeout(() => give(`nothing after ${timeoutMs} ms`), timeoutMs);
      const unsubscribe = subscribe(look);
      waits.add(give);
      look();
    });

  return {
    notify,
    until,
    subscribe,
    close: () => {
      for (const give of [...waits]) give('the sandbox was closed');
    },
  };
}
