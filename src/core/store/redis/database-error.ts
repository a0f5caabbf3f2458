import { StoreConfigError } from '../store.ts';

/** undefined: not an answer to SELECT, or not about the database (busy, too many clients). */
export function databaseError(error: Error, database: number): StoreConfigError | undefined {
  if (!isAnswerToSelect(error)) return undefined;
  const { message } = error;
  if (message.startsWith('NOPERM ')) {
    return new StoreConfigError(
      `Redis does not allow the user of REDIS_URL to select database ${database} (NOPERM)`,
      'Give that user the ACL rule +select, or set REDIS_URL to another Redis.',
    );
  }
  const fix = OTHER_DATABASE;
  if (NO_SUCH_DATABASE.test(message))
    return new StoreConfigError(`Redis has no database ${database}`, fix);
  if (NO_SELECT.test(message))
    return new StoreConfigError(`Redis did not select database ${database} (ERR)`, fix);
  return undefined;
}

const OTHER_DATABASE =
  'Set REDIS_URL to a database of this Redis that no other installation of Gatepost uses, or to another Redis.';

const NO_SUCH_DATABASE = /^ERR .*(?:DB index is out of range|not allowed in cluster mode)/;
/** In the wording of managed services and proxies. */
const NO_SELECT = /^ERR .*\b(?:DB|database|select|command)\b/i;

/** ioredis adds the command to every error that Redis returns. */
function isAnswerToSelect(error: Error): boolean {
  const command: unknown = 'command' in error ? error.command : undefined;
  return (
    typeof command === 'object' &&
    command !== null &&
    'name' in command &&
    command.name === 'select'
  );
}
