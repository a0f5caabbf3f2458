import { StoreError } from './store.ts';

/** Returns `instead` if the store, or the part of it with this key, is unavailable. */
export async function unlessAway<Value>(asked: Promise<Value>, instead: Value): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StoreError) return instead;
    throw error;
  }
}
