import { Cluster, Command, type Redis } from 'ioredis';
import type { RedisAddress } from '../../lib/redis-address.ts';
import {
  ANSWER_MS,
  closeConnection,
  connectionOptions,
  type Link,
  type LinkNeeds,
  logConnection,
  reconnectInMs,
} from './link.ts';

/** How often the slot map is refreshed: a failover goes unnoticed for at most this long. */
const REFRESH_MS = 2_000;

/** A connection to each node of a Cluster that holds slots. */
export function clusterLink(address: RedisAddress, needs: LinkNeeds): Link {
  const cluster = new Cluster([...address.hosts], {
    lazyConnect: true,
    enableOfflineQueue: false,
    // MOVED and ASK are refusals, and followed; after a lost connection the command may have been executed.
    maxRedirections: 8,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: ANSWER_MS,
    slotsRefreshInterval: REFRESH_MS,
    clusterRetryStrategy: reconnectInMs,
    clusterNodeRetryStrategy: reconnectInMs,
    // Names are resolved by the connection, which needs them to check certificates.
    dnsLookup: (name, callback) => callback(null, name),
    redisOptions: connectionOptions(address, needs.connectTimeoutMs),
  });
  for (const { name, lua } of needs.scripts) cluster.defineCommand(name, { lua });
  cluster.on('error', () => undefined);
  const nodes = trackNodes(cluster, needs);
  const slotOf = slotFinder();
  const addressOf = (key: string) => cluster.slots[slotOf(key)]?.[0];
  const primaries = () => (cluster.status === 'ready' ? cluster.nodes('master') : []);
  return {
    commands: cluster,
    connect: () => void cluster.connect().catch(() => undefined),
    isReady: () => primaries().length > 0 && primaries().every(({ status }) => status === 'ready'),
    nodes: primaries,
    nodeOf(key) {
      if (cluster.status !== 'ready') return undefined;
      const node = nodes.get(addressOf(key) ?? '');
      return node?.status === 'ready' ? node : undefined;
    },
    addressOf,
    onReady(listener) {
      for (const node of nodes.values()) node.on('ready', () => listener(node));
      cluster.on('+node', (node: Redis) => node.on('ready', () => listener(node)));
      cluster.on('ready', () => {
        for (const node of primaries()) if (node.status === 'ready') listener(node);
      });
    },
    onError(listener) {
      cluster.on('error', (error: Error) => {
        listener(
          'lastNodeError' in error && isError(error.lastNodeError) ? error.lastNodeError : error,
        );
      });
      cluster.on('node error', listener);
    },
    // A node has only one database, so there is no SELECT.
    refusal: () => undefined,
    async close() {
      const open = [...nodes.values()];
      cluster.disconnect();
      await Promise.all(open.map(closeConnection));
    },
  };
}

/** The nodes by address. Each is connected as soon as it is known, so that no command waits for a connection. */
function trackNodes(cluster: Cluster, { logger }: LinkNeeds): ReadonlyMap<string, Redis> {
  const nodes = new Map<string, Redis>();
  const connect = (node: Redis) => {
    if (node.status === 'wait') node.connect().catch(() => undefined);
  };
  cluster.on('+node', (node: Redis) => {
    const { host, port } = node.options;
    nodes.set(`${host}:${port}`, node);
    logConnection(node, logger, { host, port });
    // Deferred: ioredis sends nothing to a node that is still connecting, not even for slots that moved there.
    setImmediate(() => {
      if (cluster.status === 'ready') connect(node);
    });
  });
  cluster.on('-node', (node: Redis) => {
    const key = `${node.options.host}:${node.options.port}`;
    if (nodes.get(key) === node) nodes.delete(key);
  });
  cluster.on('ready', () => {
    for (const node of nodes.values()) connect(node);
  });
  return nodes;
}

/** The slot of a key with a hash tag. */
function slotFinder(): (key: string) => number {
  const slots = new Map<string, number>();
  return (key) => {
    const tag = key.slice(0, key.indexOf('}') + 1);
    const known = slots.get(tag);
    if (known !== undefined) return known;
    const slot = new Command('get', [key]).getSlot();
    slots.set(tag, slot);
    return slot;
  };
}

function isError(value: unknown): value is Error {
  return value instanceof Error;
}
