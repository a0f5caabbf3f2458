import { test } from 'vitest';
import type { coverage } from './coverage.ts';

type Entry = (typeof coverage)['deliveries' | 'limits' | 'faults'][number];

/** A test that proves an entry of the coverage; written as a literal, so that `coverage.test.ts` can read it. */
export function proof(entry: Entry, sentence: string, prove: () => Promise<void>): void {
  test(`${sentence} [${entry}]`, prove);
}
