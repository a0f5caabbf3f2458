import { troubleOf, troubleSentence } from '../../accounts/trouble.ts';
import { StoreError } from '../../store/store.ts';
import type { Terminal } from './terminal.ts';

/** Why a verb ended before its end. Throws again what nobody expects. */
export function endSentence(error: unknown, { signal }: Pick<Terminal, 'signal'>): string {
  if (signal.aborted) return 'Interrupted.';
  if (error instanceof StoreError) {
    return 'The audit log cannot be written (REDIS_URL, DATA_DIR): without it nothing is changed.';
  }
  return troubleSentence(troubleOf(error));
}
