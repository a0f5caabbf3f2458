import type { RedisConfirm } from '../../config/config.ts';
import { StoreError, type StoreLogger } from '../store.ts';
import type { Confirm } from './confirmation.ts';
import { judgeServers } from './judge-server.ts';
import type { RedisConnection } from './redis-connection.ts';
import { readServerFacts } from './server-facts.ts';

/**
 * Looks at all servers at the start, warns of what can be lost there, and says how writes are to be
 * confirmed (null: they are not). Under `strict` it throws StoreError `unavailable` with all that
 * it would have warned of; not for what a server does not tell.
 */
export async function checkServers(
  connection: RedisConnection,
  { confirm, strict }: { readonly confirm: RedisConfirm; readonly strict: boolean },
  logger: StoreLogger,
): Promise<Confirm | null> {
  const servers = await connection.askEach('info', readServerFacts);
  const judgement = judgeServers(servers, confirm);
  const { dangers, unknowns } = judgement;
  if (strict && dangers.length > 0) {
    throw new StoreError('unavailable', `REDIS_STRICT is set: ${dangers.join(' ')}`);
  }
  for (const sentence of [...dangers, ...unknowns]) logger.warn({}, sentence);
  return judgement.confirm;
}
