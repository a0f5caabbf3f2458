import { StoreError } from './store.ts';

/** Where the store, or the part of it that keeps this, is away, `instead` does. */
export async function unlessAway<Value>(asked: Promise<Value>, instead: Value): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StoreError) return instead;
    throw error;
  }
}
