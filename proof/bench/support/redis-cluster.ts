import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type RedisServer, startRedisServer } from './redis-server.ts';

/** One server, or all nodes of a Cluster. */
export interface RedisServers extends AsyncDisposable {
  readonly url: string;
  readonly pids: readonly number[];
}

const NODES = 3;

/** A Cluster of three nodes without replicas, each started by `startRedisServer`. */
export async function startRedisCluster(): Promise<RedisServers> {
  const settings = ['--cluster-enabled', 'yes'];
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startRedisServer(settings)));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes']);
  return servers(`redis+cluster://${addresses.join(',')}`, nodes);
}

export async function startOneRedis(): Promise<RedisServers> {
  const server = await startRedisServer();
  return servers(server.url, [server]);
}

function servers(url: string, nodes: readonly RedisServer[]): RedisServers {
  return {
    url,
    pids: nodes.map(({ pid }) => pid),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    },
  };
}
