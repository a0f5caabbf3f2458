import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisForTests } from '../../../support/redis.ts';

const run = promisify(execFile);
const CLIENT = new URL('./tls-client.ts', import.meta.url).pathname;
const hasOpenssl = await run('openssl', ['version']).then(
  () => true,
  () => false,
);
const url = hasOpenssl ? await redisForTests() : undefined;

describe.skipIf(url === undefined)('a Redis behind TLS', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tls-'));
    await makeCertificate(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const ask = async (env: Readonly<Record<string, string>>) => {
    await using front = await startTlsFront(folder, Number(new URL(url ?? '').port || 6379));
    const { stdout } = await run('node', ['--import', 'tsx', CLIENT, front.url], {
      env: { PATH: process.env.PATH, ...env },
    });
    return stdout.trim();
  };

  test('is used when its certificate can be checked', async () => {
    expect(await ask({ NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') })).toBe('answered');
  });

  test('is refused otherwise, with the reason', async () => {
    expect(await ask({})).toBe('StoreError: Redis is not ready: DEPTH_ZERO_SELF_SIGNED_CERT');
  });
});

async function makeCertificate(folder: string): Promise<void> {
  const config = join(folder, 'openssl.cnf');
  const lines = [
    '[req]',
    'distinguished_name = name',
    'x509_extensions = more',
    'prompt = no',
    '[name]',
    'CN = localhost',
    '[more]',
    'subjectAltName = DNS:localhost',
  ];
  await writeFile(config, lines.join('\n'));
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const kind = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-config', config];
  await run('openssl', ['req', '-x509', ...kind, ...files]);
}

/** Takes TLS off what goes to a server on this machine. */
async function startTlsFront(
  folder: string,
  port: number,
): Promise<AsyncDisposable & { readonly url: string }> {
  const [key, cert] = await Promise.all(
    ['key.pem', 'cert.pem'].map((name) => readFile(join(folder, name))),
  );
  const server = createServer({ key, cert }, (client) => {
    const redis = connect(port, '127.0.0.1');
    client.on('error', () => redis.destroy());
    redis.on('error', () => client.destroy());
    client.pipe(redis).pipe(client);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `rediss://localhost:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
