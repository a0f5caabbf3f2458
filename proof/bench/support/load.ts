import autocannon, { type Request } from 'autocannon';
import type { Child } from './child.ts';
import { percentile } from './percentile.ts';
import type { Sample } from './rounds.ts';

const CONNECTIONS = 32;

/**
 * Sends each request once, over 32 connections that wait for one answer at a time. The first `warmUp` of them are not
 * counted. Throws if any is refused.
 */
export async function load(
  child: Child,
  requests: readonly Request[],
  { warmUp }: { readonly warmUp: number },
): Promise<Sample> {
  if (warmUp > 0) await send(child.url, requests.slice(0, warmUp));
  const counted = requests.slice(warmUp);
  const cpuBefore = await child.cpuMs();
  const figures = await send(child.url, counted);
  const cpuMs = (await child.cpuMs()) - cpuBefore;
  return { ...figures, 'cpu ms each': cpuMs / counted.length };
}

async function send(origin: string, requests: readonly Request[]): Promise<Sample> {
  const each = Math.floor(requests.length / CONNECTIONS);
  const amount = each * CONNECTIONS;
  let clients = 0;
  const run = autocannon({
    url: origin,
    connections: CONNECTIONS,
    amount,
    setupClient(client) {
      client.setRequests(requests.slice(clients * each, (clients + 1) * each));
      clients += 1;
    },
  });
  const took: number[] = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  run.on('response', (_client, _status, _bytes, ms: number) => {
    took.push(ms);
    endedAt = performance.now();
  });
  const { non2xx, errors, timeouts } = await run;
  if (non2xx + errors + timeouts > 0 || took.length !== amount) {
    throw new Error(`of ${amount} requests ${non2xx} were refused and ${errors} failed`);
  }
  return {
    'per second': amount / ((endedAt - startedAt) / 1000),
    'p50 ms': percentile(took, 0.5),
    'p99 ms': percentile(took, 0.99),
  };
}
