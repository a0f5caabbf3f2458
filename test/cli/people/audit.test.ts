import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import { writeLink } from '../../../src/core/people/identity-link.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { DATA } from '../../../src/core/store/embedded/folder-check.ts';
import type { AuditEntry, Store } from '../../../src/core/store/store.ts';
import { canStartRedis, startRedisServer } from '../../support/redis.ts';
import { FOLDERS } from '../folders.ts';
import { withoutRedis } from '../hurried.ts';
import { type RunOptions, runPeople } from './people-stage.ts';

const ANA = '6f1c0d00-0000-4000-8000-000000000001';
const hasRedis = await canStartRedis();
let sandbox: Sandbox;
let folder: string;
/** A folder with something that is not a store. */
let strange: string;
/** Of the store. */
let data: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  folder = await mkdtemp(join(FOLDERS, 'gatepost-test-'));
  strange = join(folder, 'strange');
  await mkdir(join(strange, DATA), { recursive: true });
  data = join(folder, 'empty');
  await inStore(async () => {});
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  sandbox.reset();
  data = await mkdtemp(join(folder, 'data-'));
  await copyFile(join(folder, 'empty', DATA), join(data, DATA));
  env = { DATA_DIR: data };
});

let env: Readonly<Record<string, string>>;
const people = (
  words: string,
  more: Readonly<Record<string, string>> = env,
  options: RunOptions = {},
) => runPeople(sandbox, words.split(' '), { env: more, ...options });

/**
 * Open for no longer than this takes: two LMDB environments of one folder in one process can wait for each other forever.
 * As a visitor, like the commands: a bot that finds the file changed by one starts a process to read it.
 */
async function inStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  await using store = await createEmbeddedStore({ ...system, folder: data, guard: false });
  return await use(store);
}

async function collect<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const entries = (): Promise<AuditEntry[]> => inStore((store) => collect(store.readAudit({})));

const told = async () => (await entries()).map(({ action, facts }) => [action, facts.outcome]);

describe('the audit log of people commands', () => {
  it('records each change and its result, without the values that were typed', async () => {
    await people('create --user-name una@example.com --title Secretary');
    await people('update ana@example.com --title Lead --department Tours');
    await people('deactivate ana@example.com --yes');
    const all = await entries();
    expect(new Set(all.map(({ actor }) => actor))).toEqual(new Set(['os:ops@desk']));
    const una = { what: 'create', account: null, attributes: 'title', foreseen: 'new' };
    const changed = { what: 'edit', account: ANA, attributes: 'title, department' };
    const off = { what: 'deactivate', account: ANA };
    const done = { found: false, account: ANA };
    const { id } = sandbox.service.users().at(-1) ?? {};
    expect(all.map(({ action, facts }) => [action, facts])).toEqual([
      ['people.asked', una],
      ['people.send', una],
      ['people.outcome', { ...una, outcome: 'created-or-linked', found: false, account: id }],
      ['people.asked', changed],
      ['people.send', changed],
      ['people.outcome', { ...changed, ...done, outcome: 'changed' }],
      ['people.asked', off],
      ['people.send', off],
      ['people.outcome', { ...off, ...done, outcome: 'deactivated' }],
    ]);
    // One record for each.
    expect(new Set(all.map(({ record }) => record)).size).toBe(3);
    expect(JSON.stringify(await entries())).not.toMatch(/Secretary|Lead|Tours/);
  });

  it('records refused changes, but no lookups or previews', async () => {
    sandbox.service.setUser('ben@example.com', { externalId: 'x' });
    await people('update ana@example.com --external-id x');
    await people('list');
    await people('deactivate ana@example.com --dry-run');
    await people('deactivate ana@example.com');
    expect(await told()).toEqual([
      ['people.asked', undefined],
      ['people.send', undefined],
      ['people.outcome', 'taken'],
    ]);
  });

  it('leaves no open work in the store', async () => {
    await people('update ana@example.com --title Lead');
    const { held, size } = await inStore((store) => store.claim('background', 10));
    expect({ held, size }).toEqual({ held: [], size: 0 });
  });

  it('records what was done before Ctrl-C, and its result was still read', async () => {
    sandbox.service.setVariant({ scimPatchStatus: 204 });
    // 29 of the requests that may be sent at once: reading the result waits for a slot.
    const rows = Array.from({ length: 14 }, (_, n) => `p${n}@example.com,\n`).join('');
    const file = join(folder, 'users.csv');
    await writeFile(file, `user-name,active\n${rows}ben@example.com,\nana@example.com,no\n`);
    const interrupt = new AbortController();
    const ran = people(`import ${file} --yes --per-minute 1`, env, {
      signal: interrupt.signal,
    });
    const isDone = () => sandbox.service.users().some(({ id, active }) => id === ANA && !active);
    await vi.waitFor(() => expect(isDone()).toBe(true), 60_000);
    interrupt.abort();
    expect((await ran).out).toMatch(/ana@example\.com {2}deactivated .*\n$/);
    const { action, facts } = (await entries()).at(-1) ?? {};
    expect([action, facts?.outcome]).toEqual(['people.outcome', 'deactivated']);
  });

  it.each([
    ['Redis', () => ({ REDIS_URL: 'redis://127.0.0.1:1' })],
    ['a folder that nobody may look into', () => ({ DATA_DIR: '/dev/null/data' })],
    ['a folder with something else in it', () => ({ DATA_DIR: strange })],
  ])('is required: without %s nothing is changed', async (_what, more) => {
    const { code, err } = await people('deactivate ana@example.com --yes', more(), {
      system: withoutRedis,
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^This change was not sent, because Gatepost could not record it/);
    expect(sandbox.service.requests('patchUser')).toEqual([]);
  });

  it.skipIf(!hasRedis)(
    'is required: nothing is changed when Redis lacks the database',
    async () => {
      await using redis = await startRedisServer({ settings: { databases: '1' } });
      const more = { REDIS_URL: `${redis.url}/1` };
      const file = join(folder, 'one.csv');
      await writeFile(file, 'user-name,active\nana@example.com,no\n');
      for (const words of ['deactivate ana@example.com --yes', `import ${file} --yes`]) {
        const { code, err } = await people(words, more);
        expect(code).toBe(2);
        expect(err).toMatch(
          /^This change was not sent, because Gatepost could not record it in its store: Redis has no database 1\. Set REDIS_URL /m,
        );
      }
      expect(sandbox.service.requests('patchUser')).toEqual([]);
    },
  );

  it('is signed with GATEPOST_KEYS, and the command warns when there are none', async () => {
    const GATEPOST_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
    const signed = { ...env, GATEPOST_KEYS };
    expect((await people('update ana@example.com --title Lead', signed)).err).not.toMatch(/KEYS/);
    const unsigned = () =>
      inStore(async (store) => {
        const chain = await store.auditChain(0);
        const texts = (await collect(chain?.entries() ?? [])).map(({ text }) => text);
        return texts.filter(([, , , , mac]) => mac === '').map(([action]) => action);
      });
    expect(await unsigned()).toEqual([]);
    const { err } = await people('update ana@example.com --title Head');
    expect(err).toMatch(/GATEPOST_KEYS is not set, so this is recorded unsigned/);
    expect(await unsigned()).toEqual(['people.asked', 'people.send', 'people.outcome']);
  });

  it.each([{}, { DATA_DIR: '/nowhere/at/all' }])(
    'is optional when no store is configured, with a note that says so: %j',
    async (more) => {
      const { code, err } = await people('deactivate ana@example.com --yes', more);
      expect(code).toBe(0);
      expect(err).toMatch(/There is no Gatepost store here \(REDIS_URL, DATA_DIR\)/);
      expect((await people('list', more)).err).toBe('8 accounts.\n');
    },
  );
});

const UNREAD =
  'Gatepost cannot read all administrators in its settings. gatepost doctor says what to fix. Check before you continue.\n';

describe('a warning before a Gatepost administrator is deactivated', () => {
  const warning = /belongs to a Gatepost administrator/;
  const deactivate = (settings: string) =>
    writeFile(join(folder, 'gatepost.yaml'), settings).then(() =>
      people('deactivate ana@example.com --dry-run', {
        ...env,
        GATEPOST_CONFIG: join(folder, 'gatepost.yaml'),
      }),
    );

  it('recognizes an administrator by the configuration', async () => {
    const overrides = `identity: { overrides: { U0ANA: ${ANA} } }`;
    const of = (user: string) => deactivate(`administrators: { users: [${user}] }\n${overrides}`);
    expect((await of('U0ANA')).err).toMatch(warning);
    expect((await of('U0BEN')).err).not.toMatch(warning);
  });

  it('recognizes an administrator by an external id in the configuration', async () => {
    sandbox.service.setUser(ANA, { externalId: 'x-ana' });
    const overrides = 'identity: { userId: externalId, overrides: { U0ANA: x-ana } }';
    const { err } = await deactivate(`administrators: { users: [U0ANA] }\n${overrides}`);
    expect(err).toMatch(warning);
  });

  it.each([
    ['a name', 'users: [U0BEN, ana.example, U0ANA]'],
    ['a name under groups', 'users: [U0ANA], groups: [admins]'],
    ['a user group under users', 'users: [S0ADMINS, U0ANA]'],
    ['an unknown key', 'users: [U0ANA], people: [U0BEN]'],
  ])('recognizes an administrator beside %s, which it mentions', async (_, named) => {
    const overrides = `identity: { overrides: { U0ANA: ${ANA} } }`;
    const { err } = await deactivate(`administrators: { ${named} }\n${overrides}`);
    expect(err).toMatch(warning);
    expect(err).toContain(UNREAD);
    expect(err).not.toContain('ana.example');
  });

  it('recognizes an administrator beside a name in GATEPOST_ADMINISTRATORS, which it mentions', async () => {
    await inStore((store) => writeLink(store, 'U0ANA', ANA));
    const deactivate = (named: string) =>
      people('deactivate ana@example.com --dry-run', { ...env, GATEPOST_ADMINISTRATORS: named });
    const { err } = await deactivate('ben, U0ANA');
    expect(err).toMatch(warning);
    expect(err).toContain(UNREAD);
    expect((await deactivate('U0BEN, U0ANA')).err).not.toContain(UNREAD);
  });

  it('says that it may not know all administrators if the file cannot be read', async () => {
    expect((await deactivate('administrators: [')).err).toContain(UNREAD);
    expect((await deactivate('administrators: 1')).err).toContain(UNREAD);
  });

  it('is known by what the bot found out', async () => {
    const administrators = 'administrators: { users: [U0BEN, U0ANA] }';
    expect((await deactivate(administrators)).err).not.toMatch(warning);
    await inStore((store) => writeLink(store, 'U0ANA', ANA));
    expect((await deactivate(administrators)).err).toMatch(warning);
  });
});

describe('Gatepost administrators who are named by a user group', () => {
  const sentence =
    'This command cannot tell who is a Gatepost administrator through a user group. Check before you continue.\n';
  const settings = { GATEPOST_ADMINISTRATORS: 'S0ADMINS' };

  it.each(['deactivate', 'delete'])('are not known to `people %s`, which says so', async (verb) => {
    const words = `${verb} ana@example.com --dry-run`;
    expect((await people(words, { ...env, ...settings })).err).toBe(sentence);
    expect((await people(words)).err).toBe('');
  });

  it('are not known to an import that deactivates, which says so once', async () => {
    const file = join(folder, 'users.csv');
    const importing = (cell: string) =>
      writeFile(file, `user-name,active\nana@example.com,${cell}\nben@example.com,${cell}\n`).then(
        () => people(`import ${file} --dry-run`, { ...env, ...settings }),
      );
    expect((await importing('no')).err.split(sentence)).toHaveLength(2);
    expect((await importing('yes')).err).not.toContain(sentence);
  });
});
