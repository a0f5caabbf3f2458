import type { Store } from './store.ts';

/** A call that succeeded, by its method. */
export type StoreCall = {
  [Name in keyof Store]: Store[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? { readonly name: Name; readonly args: Args; readonly answer: Answer }
    : never;
}[keyof Store];

export interface CallWatch {
  answered?(call: StoreCall): void;
  failed?(error: unknown): void;
}

/** Called with a method's name when a call begins; what it returns is told how the call ended, before its caller is. */
export type StoreWatch = (name: string) => CallWatch;

/** The same store. It has to be a plain object whose methods do not use `this`. */
export function watchedStore(store: Store, watches: readonly StoreWatch[]): Store {
  const members = Object.entries(store).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const watched = (...args: unknown[]) => {
      const watching = watches.map((begins) => begins(name));
      const call: unknown = member(...args);
      if (!(call instanceof Promise)) return call;
      return call.then(
        (answer) => {
          // as: the store's own method
          for (const each of watching) each.answered?.({ name, args, answer } as StoreCall);
          return answer;
        },
        (error: unknown) => {
          for (const each of watching) each.failed?.(error);
          throw error;
        },
      );
    };
    return [name, watched];
  });
  return { ...store, ...Object.fromEntries(members) };
}
