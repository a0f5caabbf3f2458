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

const IN_SCRIPT = /^ERR Error running script \(call to \w+\): (?:@?\w+: ?\d+: )*-([A-Z]+) /;

/** ioredis's answer when the connection was lost before anything was written to it. */
const NOT_WRITTEN = "Stream isn't writeable";

/**
 * Says what is known after a command failed. The message of an error of Redis or ioredis may repeat
 * arguments, so only its first word is passed on.
 */
export function redisFailure(operation: string, error: unknown): StoreError {
  if (!(error instanceof Error)) return new StoreError('unknown', `${operation}: failed`);
  if (error instanceof ReplyError) {
    const word = answerWord(error.message);
    return new StoreError(
      REFUSALS.has(word) ? 'unavailable' : 'unknown',
      `${operation}: Redis answered ${word}`,
    );
  }
  if (isNotWritten(error) || ONLY_REDIRECTED.test(error.message)) return notConnected(operation);
  return new StoreError('unknown', `${operation}: no answer from Redis`);
}

/** The word by which Redis says what is wrong: up to 6.2 it stands behind the place in the script where that happened. */
export function answerWord(message: string): string {
  const [, inScript] = IN_SCRIPT.exec(message) ?? [];
  return inScript ?? /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
}

/** True when the connection could not take a command: nothing was sent. */
export function isNotWritten(error: Error): boolean {
  return error.message.startsWith(NOT_WRITTEN);
}

export function notConnected(operation: string): StoreError {
  return new StoreError('unavailable', `${operation}: not connected to Redis`);
}
