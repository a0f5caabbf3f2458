import { StoreError } from '../store.ts';
import type { Link } from './link.ts';

/** Connects and waits until every server can be asked. Throws StoreError `unavailable` after `readyMs`. */
export async function untilReady(link: Link, readyMs: number): Promise<void> {
  let cause = 'no answer';
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      link.onError((error) => {
        cause = errorWord(error);
      });
      link.onReady(() => {
        if (link.isReady()) resolve();
      });
      timer = setTimeout(
        () => reject(new StoreError('unavailable', `Redis is not ready: ${cause}`)),
        readyMs,
      );
      link.connect();
    });
  } finally {
    clearTimeout(timer);
  }
}

/** A word without arguments or addresses: `ECONNREFUSED`, `WRONGPASS`. */
function errorWord(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? 'no connection';
}
