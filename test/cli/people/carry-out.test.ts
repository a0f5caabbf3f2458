import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { switchPerson } from '../../../src/cli/people/change-person.ts';
import { importPeople } from '../../../src/cli/people/import-people.ts';
import { createOutput } from '../../../src/cli/people/output.ts';
import type { Session } from '../../../src/cli/people/session.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import { system } from '../../../src/core/lib/system.ts';
import { timingAt } from '../../../src/core/lib/timing.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import { Memory } from '../../../src/core/store/memory/memory-store.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';

let sandbox: Sandbox;
let folder: string;
/** The result of each creation of a record, in order; after the list it works. */
let creates: ('lost' | 'unavailable' | 'unknown' | 'works')[];
let session: Session;
let store: Store;
let said: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  folder = await mkdtemp(join(tmpdir(), 'gatepost-test-'));
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  sandbox.reset();
  const client = createServiceClient({
    baseUrl: sandbox.serviceUrl,
    scimToken: sandbox.credentials.scimToken,
    ...system,
  });
  const users = client.users ?? expect.unreachable();
  const memory = new Memory({ ...system, leaseMs: 20 }).openStore();
  store = memory;
  creates = [];
  const create: Store['create'] = async (...args) => {
    const fate = creates.shift() ?? 'works';
    if (fate === 'works') return memory.create(...args);
    if (fate === 'lost') await memory.create(...args);
    throw new StoreError(fate === 'unavailable' ? 'unavailable' : 'unknown', 'no answer');
  };
  const failing = new Proxy(memory, {
    get(target, name) {
      if (name === 'create') return create;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  said = '';
  const stream = () =>
    new PassThrough().on('data', (chunk) => {
      said += chunk;
    });
  const terminal: Terminal = {
    env: {},
    stdin: new PassThrough(),
    stdout: stream(),
    stderr: stream(),
    user: 'ops',
    host: 'desk',
    signal: new AbortController().signal,
    interrupted: new AbortController().signal,
    takeSignals: () => {},
  };
  session = {
    terminal,
    output: createOutput(terminal, {}),
    system,
    timing: timingAt(0.1),
    users,
    calls: users,
    pages: users,
    waiting: { sleep: (ms) => system.timers.sleep(ms), onWait() {} },
    store: async () => failing,
    records: async () => failing,
  };
  return () => client.close();
});

const deactivate = () =>
  switchPerson(session, 'ana@example.com', { verb: 'deactivate', yes: true });

async function importing(csv: string) {
  const path = join(folder, 'users.csv');
  await writeFile(path, csv);
  return importPeople(session, path, { yes: true });
}

/** What a bot finds to do; `nextDueAt`: once nobody holds it. */
const leftToBot = () => store.claim('people', 10);

describe('a change whose record may or may not have been stored', () => {
  it.each(['unavailable', 'unknown'] as const)(
    'has an unknown result when the second try is %s, since a bot may apply it',
    async (second) => {
      creates = ['lost', second];
      expect(await deactivate()).toBe(1);
      expect(said).toContain(
        'The result is not known. A running bot may still carry this out: check the account in two minutes.\n',
      );
      expect(said).not.toMatch(/not recorded|[Nn]othing was changed/);
      const isFound = async () => (await leftToBot()).held.length === 1;
      await vi.waitUntil(isFound, { timeout: 60_000, interval: 5 });
    },
  );

  it('is carried out here when the second try finds it', async () => {
    creates = ['lost'];
    expect(await deactivate()).toBe(0);
    expect(sandbox.service.requests('patchUser')).toHaveLength(1);
  });

  it('shows as not known in an import, which stops there', async () => {
    creates = ['works', 'lost', 'unavailable', 'unavailable'];
    const csv = 'user-name,active\nana@example.com,no\nben@example.com,no\ncleo@example.com,no\n';
    expect(await importing(csv)).toBe(1);
    expect(said).toMatch(/^Row 2 .* deactivated Ana Reyes .*\nRow 3 .* not known: /);
    expect(said).toMatch(/was not sent, .* Stopped at row 4: 1 of 3 rows were not tried/);
    expect(said).not.toMatch(/[Nn]othing was changed/);
  });
});

it('a change that was certainly not recorded is said not to be sent', async () => {
  creates = ['unavailable'];
  await expect(deactivate()).rejects.toMatchObject({ code: 'unavailable' });
  expect(await leftToBot()).toMatchObject({ held: [], nextDueAt: null });
});
