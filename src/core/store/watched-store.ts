import type { Store } from './store.ts';

/**
 * The same store. `begins` is called with a method's name when a call begins; the function it returns gets the call's
 * promise. The store has to be a plain object whose methods do not use `this`.
 */
export function watchedStore(
  store: Store,
  begins: (name: string) => (call: Promise<unknown>) => void,
): Store {
  const members = Object.entries(store).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const watched = (...args: unknown[]) => {
      const watch = begins(name);
      const answer: unknown = member(...args);
      if (answer instanceof Promise) watch(answer);
      return answer;
    };
    return [name, watched];
  });
  return { ...store, ...Object.fromEntries(members) };
}
