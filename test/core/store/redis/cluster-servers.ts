import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { type RedisServer, startRedisServer } from '../../../support/redis.ts';

const SLOTS = 16_384;

export interface ClusterServers extends AsyncDisposable {
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  /** Lets another node have the slot of a key, with all that is in it. */
  moveSlotOf(key: string, to: RedisServer): Promise<void>;
  /** Starts one more node, which keeps what `primary` keeps and takes over from it. */
  addReplica(primary: RedisServer): Promise<RedisServer>;
}

/** Three nodes of their own on free ports, without replicas, that share the slots; `settings` of redis.conf win. */
export async function startCluster(settings: Settings = {}): Promise<ClusterServers> {
  const nodes = await Promise.all([startNode(settings), startNode(settings), startNode(settings)]);
  const admins = nodes.map(({ url }) => new Redis(url));
  for (const admin of admins) admin.on('error', () => undefined);
  await Promise.all(admins.map((admin, i) => takeSlots(admin, i, admins.length)));
  const [first] = nodes;
  for (const admin of admins.slice(1)) {
    await admin.call('CLUSTER', 'MEET', '127.0.0.1', first.port, await busPortOf(admins[0]));
  }
  await vi.waitUntil(async () => (await Promise.all(admins.map(knowsAll))).every(Boolean), {
    timeout: 60_000,
    interval: 20,
  });
  const replicas: RedisServer[] = [];
  const addReplica = async (primary: RedisServer) => {
    const replica = await startNode();
    replicas.push(replica);
    await follow(replica, primary, await busPortOf(admins[nodes.indexOf(primary)]));
    // All have to know that it is a replica, or they do not let it take over.
    const knowsReplica = async (admin: Redis) =>
      String(await admin.call('CLUSTER', 'NODES')).includes(' slave ');
    await vi.waitUntil(async () => (await Promise.all(admins.map(knowsReplica))).every(Boolean), {
      timeout: 60_000,
      interval: 20,
    });
    return replica;
  };
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    addReplica,
    async moveSlotOf(key, to) {
      const slot = Number(await admins[0]?.call('CLUSTER', 'KEYSLOT', key));
      await moveSlot(admins, slot, nodes.indexOf(to));
    },
    async [Symbol.asyncDispose]() {
      for (const admin of admins) admin.disconnect();
      await Promise.all([...replicas, ...nodes].map((node) => node.stop()));
    },
  };
}

type Settings = Readonly<Record<string, string>>;

async function startNode(settings: Settings = {}): Promise<RedisServer> {
  return startRedisServer({
    settings: {
      'cluster-enabled': 'yes',
      'cluster-node-timeout': '2000',
      'repl-diskless-sync-delay': '0',
      appendfsync: 'no',
      ...settings,
    },
  });
}

async function follow(replica: RedisServer, primary: RedisServer, busPort: number): Promise<void> {
  const [admin, other] = [new Redis(replica.url), new Redis(primary.url)];
  await admin.call('CLUSTER', 'MEET', '127.0.0.1', primary.port, busPort);
  const id = String(await other.call('CLUSTER', 'MYID'));
  const replicate = async () => admin.call('CLUSTER', 'REPLICATE', id);
  await vi.waitFor(replicate, { timeout: 60_000, interval: 20 });
  const isInSync = async () => (await other.info('replication')).includes('state=online');
  await vi.waitUntil(isInSync, { timeout: 60_000, interval: 20 });
  for (const each of [admin, other]) each.disconnect();
}

async function takeSlots(admin: Redis, number: number, count: number): Promise<void> {
  const from = Math.floor((SLOTS * number) / count);
  const to = Math.floor((SLOTS * (number + 1)) / count) - 1;
  await admin.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
  await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', number + 1);
}

async function busPortOf(admin: Redis | undefined): Promise<number> {
  const answer = await admin?.config('GET', 'cluster-port');
  return Array.isArray(answer) ? Number(answer[1]) : 0;
}

async function knowsAll(admin: Redis): Promise<boolean> {
  const info = String(await admin.call('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes('cluster_size:3');
}

async function moveSlot(admins: readonly Redis[], slot: number, to: number): Promise<void> {
  const ids = await Promise.all(admins.map((admin) => admin.call('CLUSTER', 'MYID')));
  const owned = await Promise.all(admins.map((admin) => admin.call('CLUSTER', 'NODES')));
  const from = owned.findIndex((nodes) => ownsSlot(String(nodes), slot));
  const [source, target] = [admins[from], admins[to]];
  if (source === undefined || target === undefined || from === to) throw new Error('cannot move');
  await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(ids[from]));
  await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(ids[to]));
  const { host = '', port = 0 } = target.options;
  for (;;) {
    const keys = await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 100);
    if (!Array.isArray(keys) || keys.length === 0) break;
    await source.call('MIGRATE', host, port, '', 0, 5_000, 'KEYS', ...keys.map(String));
  }
  for (const admin of [target, source, ...admins]) {
    await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(ids[to]));
  }
}

/** `nodes`: what a node says of the cluster. */
function ownsSlot(nodes: string, slot: number): boolean {
  const own = nodes.split('\n').find((line) => line.includes('myself')) ?? '';
  return own
    .split(' ')
    .slice(8)
    .map((range) => range.split('-').map(Number))
    .some(([first = -1, last = first]) => first <= slot && slot <= last);
}
