import { ReplyError } from 'ioredis';
import { SHORTAGE, StoreError } from '../store.ts';

/** Errors by which Redis says that it has not executed the command. */
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

/** ioredis's error when the nodes of a Cluster redirect a command in circles: each of them refused it. */
const ONLY_REDIRECTED =
  /^Too many Cluster redirections\. Last error: ReplyError: (?:MOVED|ASK|TRYAGAIN) /;

const IN_SCRIPT = /^ERR Error running script \(call to \w+\): (?:@?\w+: ?\d+: )*-([A-Z]+) /;

/** ioredis's error when the connection was lost before anything was written. */
const NOT_WRITTEN = "Stream isn't writeable";

/**
 * What is known after a command failed. Error messages of Redis and ioredis may contain arguments, so only the first
 * word is kept.
 */
export function redisFailure(operation: string, error: unknown): StoreError {
  if (!(error instanceof Error)) return new StoreError('unknown', `${operation}: failed`);
  if (error instanceof ReplyError) {
    const word = answerWord(error.message);
    return new StoreError(
      REFUSALS.has(word) ? 'unavailable' : 'unknown',
      `${operation}: Redis answered ${word}${word === 'NOPERM' ? neededRule(error.message) : ''}`,
      { shortage: shortageIn(word, error.message) },
    );
  }
  if (isNotWritten(error) || ONLY_REDIRECTED.test(error.message)) return notConnected(operation);
  return new StoreError('unknown', `${operation}: no answer from Redis`);
}

function shortageIn(word: string, message: string): StoreError['shortage'] {
  if (word === 'OOM') return SHORTAGE.memory;
  if (word !== 'MISCONF') return undefined;
  return /no space left on device/i.test(message) ? SHORTAGE.disk : SHORTAGE.saving;
}

/** Which rule is missing: of the message only the command's name is kept. */
function neededRule(message: string): string {
  const command = /\bthe '([a-z]+(?:\|[a-z]+)?)' command/.exec(message)?.[1];
  const rule = command === undefined ? '~gatepost:*' : `+${command}`;
  return `: the user of REDIS_URL needs the ACL rule ${rule}`;
}

/** Redis's error code: up to 6.2 it comes after the line of the script. */
export function answerWord(message: string): string {
  const [, inScript] = IN_SCRIPT.exec(message) ?? [];
  return inScript ?? /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
}

/** Whether the connection could not send: nothing was sent. */
export function isNotWritten(error: Error): boolean {
  return error.message.startsWith(NOT_WRITTEN);
}

export function notConnected(operation: string): StoreError {
  return new StoreError('unavailable', `${operation}: not connected to Redis`);
}
