import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { createEmbeddedStore } from './embedded/create-embedded-store.ts';
import { createRedisStore } from './redis/create-redis-store.ts';
import type { Store } from './store.ts';
import type { StoreLogger } from './store-logger.ts';

/** Opens the store that the configuration names, and says which: an empty folder is easily taken for a server. */
export async function openStore(
  { store, retention }: Pick<Config, 'store' | 'retention'>,
  needs: { readonly logger: StoreLogger; readonly clock: Clock },
): Promise<Store> {
  const options = { ...needs, auditMs: retention.auditMs };
  if (store.kind === 'redis') {
    needs.logger.warn({ store: 'redis' }, 'records are kept in Redis');
    const { url, confirm, strict } = store;
    return createRedisStore({ ...options, url, confirm, strict });
  }
  const { folder } = store;
  needs.logger.warn({ store: 'embedded', folder }, 'records are kept in a folder of this machine');
  return createEmbeddedStore({ ...options, folder });
}
