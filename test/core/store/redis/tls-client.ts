import { system } from '../../../../src/core/lib/system.ts';
import { createRedisStore } from '../../../../src/core/store/redis/create-redis-store.ts';
import { silent } from '../redis-world.ts';

/** Pings the store at an address, in a process of its own: Node reads NODE_EXTRA_CA_CERTS once. */
const [url = ''] = process.argv.slice(2);
try {
  const options = { url, logger: silent, readyMs: 2_000 };
  await using store = await createRedisStore({ ...system, ...options });
  await store.ping();
  console.log('answered');
} catch (error) {
  console.log(String(error));
}
