import type { Config, StoreConfig } from '../config/config.ts';
import type { System } from '../lib/system.ts';
import type { Timing } from '../lib/timing.ts';
import { auditSigner } from './audit-chain.ts';
import { holdsStore } from './embedded/folder-check.ts';
import { type Store, StoreError, type StoreLogger } from './store.ts';

/** Only the store in use is loaded: each needs a library that is slow to load. */
const redis = () => import('./redis/create-redis-store.ts');
const embedded = () => import('./embedded/create-embedded-store.ts');

/** Opens the configured store, and logs which it is: an empty folder is easily mistaken for a server. */
export async function openStore(
  { store, keys }: Config,
  needs: System & { readonly timing: Timing; readonly logger: StoreLogger },
): Promise<Store> {
  const { leaseMs } = needs.timing;
  const signAudit = auditSigner(keys);
  const options = { ...needs, leaseMs, signAudit };
  if (store.kind === 'redis') {
    needs.logger.warn({ store: 'redis' }, 'records are kept in Redis');
    const { url, confirm, strict } = store;
    const { createRedisStore } = await redis();
    return createRedisStore({ ...options, url, confirm, strict });
  }
  const { folder } = store;
  needs.logger.warn({ store: 'embedded', folder }, 'records are kept in a folder of this machine');
  const { createEmbeddedStore } = await embedded();
  return createEmbeddedStore({ ...options, folder });
}

const silent = { info() {}, warn() {} };

/**
 * Opens the store briefly, while a bot may be running on it. null: there is none in the folder. Throws StoreError when
 * it cannot be opened.
 */
export async function visitStore(
  { store: settings, keys }: StoreConfig,
  needs: System & { readonly logger?: StoreLogger },
): Promise<Store | null> {
  const signAudit = auditSigner(keys);
  const options = { logger: silent, ...needs, signAudit };
  try {
    if (settings.kind === 'redis') {
      const { url, confirm } = settings;
      const { createRedisStore } = await redis();
      return await createRedisStore({ ...options, url, confirm });
    }
    const { folder } = settings;
    if (!(await holdsStore(folder))) return null;
    const { createEmbeddedStore } = await embedded();
    return await createEmbeddedStore({ ...options, folder, guard: false });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError('unavailable', 'the store cannot be opened', { cause: error });
  }
}
