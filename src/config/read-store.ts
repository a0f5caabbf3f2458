import { parseRedisAddress, RedisAddressError } from '../lib/redis-address.ts';
import type { Config, RedisConfirm } from './config.ts';
import { type Environment, Unfit } from './environment.ts';

/** Where records are kept; everything is checked, used or not. */
export function readStore(from: Environment): Config['store'] {
  const url = from.read('REDIS_URL', readRedisUrl, null);
  const confirm = from.read('REDIS_CONFIRM', readConfirm, 'auto' as const);
  const strict = from.read('REDIS_STRICT', readStrict, false);
  if (url !== null) return { kind: 'redis', url, confirm, strict };
  return { kind: 'embedded', folder: from.value('DATA_DIR') ?? './data' };
}

/** A Redis address. Throws Unfit. */
function readRedisUrl(value: string): string {
  try {
    parseRedisAddress(value);
  } catch (error) {
    if (error instanceof RedisAddressError) throw new Unfit(error.message);
    throw error;
  }
  return value;
}

function readConfirm(value: string): RedisConfirm {
  if (value === 'aof' || value === 'off') return value;
  const [, count] = /^replicas=([1-9]\d?)$/.exec(value) ?? [];
  if (count === undefined)
    throw new Unfit('must be aof, off or replicas=1 (a number from 1 to 99)');
  return { replicas: Number(count) };
}

function readStrict(value: string): boolean {
  if (value === '1' || value === '0') return value === '1';
  throw new Unfit('must be 1 or 0');
}
