import { type Store, StoreError } from './store.ts';

const TRIES_MAX = 20;

/**
 * Changes the value of a key: `next` has what is stored, and returns what replaces it, if anything, and a result. It is
 * called again if another process wrote in between. Throws StoreError.
 */
export async function changeValue<Result>(
  store: Pick<Store, 'get' | 'putIfAbsent' | 'replace'>,
  { key, lifetimeMs }: { readonly key: string; readonly lifetimeMs: number },
  next: (before: string | undefined) => { readonly after?: string; readonly result: Result },
): Promise<Result> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await store.get(key);
    const { after, result } = next(before);
    if (after === undefined) return result;
    const isChanged =
      before === undefined
        ? await store.putIfAbsent(key, after, lifetimeMs)
        : await store.replace(key, before, after, lifetimeMs);
    if (isChanged) return result;
  }
  throw new StoreError('unavailable', 'a value is changed by too many at once');
}
