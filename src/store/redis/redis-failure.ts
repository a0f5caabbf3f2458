import { ReplyError } from 'ioredis';
import { StoreError } from '../store.ts';

/** Answers with which Redis says that it has not begun to do what it was asked. */
const REFUSALS = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'NOAUTH',
  'NOPERM',
  'NOREPLICAS',
  'OOM',
  'READONLY',
  'TRYAGAIN',
]);

/** ioredis's answer when the nodes of a Cluster send a command from one to the other: each refused it. */
const ONLY_REDIRECTED =
  /^Too many Cluster redirections\. Last error: ReplyError: (?:MOVED|ASK|TRYAGAIN) /;

/** ioredis's answer when the connection was lost before anything was written to it. */
const NOT_WRITTEN = "Stream isn't writeable";

/**
 * Says what is known after a command failed. The message of an error of Redis or ioredis may repeat
 * arguments, so only its first word is passed on.
 */
export function redisFailure(operation: string, error: unknown): StoreError {
  if (!(error instanceof Error)) return new StoreError('unknown', `${operation}: failed`);
  if (error instanceof ReplyError) {
    const word = /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR';
    return new StoreError(
      REFUSALS.has(word) ? 'unavailable' : 'unknown',
      `${operation}: Redis answered ${word}`,
    );
  }
  if (error.message.startsWith(NOT_WRITTEN) || ONLY_REDIRECTED.test(error.message))
    return notConnected(operation);
  return new StoreError('unknown', `${operation}: no answer from Redis`);
}

export function notConnected(operation: string): StoreError {
  return new StoreError('unavailable', `${operation}: not connected to Redis`);
}
