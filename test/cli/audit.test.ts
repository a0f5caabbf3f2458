import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { safeJson } from '../../src/cli/output.ts';
import { Interruption } from '../../src/cli/terminal.ts';
import { shortIdOf } from '../../src/core/lib/short-id.ts';
import { system } from '../../src/core/lib/system.ts';
import { auditSigner, linkAfter, NO_LINK } from '../../src/core/store/audit-chain.ts';
import { createEmbeddedStore } from '../../src/core/store/embedded/create-embedded-store.ts';
import { DATA } from '../../src/core/store/embedded/folder-check.ts';
import { openTables } from '../../src/core/store/embedded/tables.ts';
import type { AuditKey, AuditRow } from '../../src/core/store/tables/tables.ts';
import { canStartRedis, startRedisServer } from '../support/redis.ts';
import { startWorld, type World } from '../support/world.ts';
import { FOLDERS } from './folders.ts';
import { withoutRedis } from './hurried.ts';
import { type RunOptions, runHere } from './run-here.ts';

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
let folder: string;
let env: Record<string, string>;
let world: World;
let id: string;

interface Row {
  readonly key: AuditKey;
  readonly value: AuditRow;
}

const audit = (words: string, more: Record<string, string> = {}, options: RunOptions = {}) =>
  runHere(['audit', ...words.split(' ')], { env: { ...env, ...more }, ...options });

beforeAll(async () => {
  folder = await mkdtemp(join(FOLDERS, 'gatepost-audit-'));
  env = { DATA_DIR: folder, GATEPOST_KEYS: KEYS };
  world = await startWorld({ env });
  const asked = await world.ask({ title: 'Deploy 4.2' });
  id = asked.id;
  await world.click('U0CLEO', asked.ts, 'Approve');
  await world.sandbox.until(() => world.told('U0CLEO').length > 0, { what: 'a refusal' });
  await world.click('U0ANA', asked.ts, 'Approve');
  await world.until(asked.ts, /Approved by/);
  // Not two LMDB environments of one folder in one process: each would wait for the other forever.
  await world.app.stop();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('audit, for a log written by a bot', () => {
  test('show lists the history of an approval, by its id, a prefix of it or its short id', async () => {
    const { code, out } = await audit(`show ${id}`);
    expect(code).toBe(0);
    const [head, ...lines] = out.trimEnd().split('\n');
    expect(head).toBe(`${id}  "Deploy 4.2"`);
    expect(lines.map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}/, ''))).toEqual([
      'default  asked for a decision on route default in C0DEPLOYS',
      'gatepost  posted message in C0DEPLOYS',
      'U0CLEO  pressed approve: refused (not a reviewer)',
      expect.stringMatching(
        /^gatepost {2}told U0CLEO \(where they pressed; refusal\): “You are not a reviewer of .+”$/,
      ),
      'U0ANA  pressed approve: accepted, as named reviewer',
      expect.stringMatching(/^U0ANA {2}about to send approve to the service as [\w-]+$/),
      'gatepost  the service answered APPROVED',
      expect.stringMatching(/^U0ANA {2}outcome APPROVED, confirmed by the service, at .+ clock$/),
      ...lines.slice(8).map(() => expect.stringMatching(/^gatepost {2}posted outcome/)),
    ]);
    const [read] = world.told('U0CLEO');
    expect(out.replace(/<http[^|]*\|([^>]*)>/g, '$1')).toContain(`“${read}”`);
    const short = shortIdOf(id).toLowerCase().replace('-', '');
    for (const name of [id.slice(2, 10), shortIdOf(id), short])
      expect((await audit(`show ${name}`)).out).toContain('"Deploy 4.2"');
    const { entries, record } = JSON.parse((await audit(`show ${id} --json`)).out);
    expect({ record, first: entries[0].action }).toEqual({ record: id, first: 'approvals.asked' });
  });

  test('show ends with 1 when there is no such record', async () => {
    expect(await audit('show nobody')).toMatchObject({ code: 1, out: '' });
    expect((await audit('show 0-')).code).toBe(1);
  });

  test('list shows what happened, with the start and the digest of the settings', async () => {
    const { code, out } = await audit('list');
    expect(code).toBe(0);
    expect(out).toMatch(/started version \S+ with settings k1\.[\w-]{43}/);
    expect(out).toMatch(/U0CLEO +pressed approve: refused/);
  });

  test('list keeps to a time, a kind and a person', async () => {
    const actions = async (words: string) => {
      const { entries } = JSON.parse((await audit(`list --json ${words}`)).out);
      return entries.map(({ action }: { action: string }) => action);
    };
    expect(await actions('--kind approvals.ballot')).toEqual([
      'approvals.ballot',
      'approvals.ballot',
    ]);
    expect(await actions('--kind ballot')).toEqual(await actions('--kind approvals.ballot'));
    expect(await actions('--kind ball')).toEqual([]);
    expect(await actions('--kind gatepost')).toEqual([
      'gatepost.rules.text',
      'gatepost.rules.text',
      'gatepost.start',
      'gatepost.stop',
    ]);
    expect(await actions('--who U0CLEO')).toEqual(['approvals.ballot']);
    expect(await actions('--since 1h --who U0NOBODY')).toEqual([]);
    const later = { ...system, clock: { ...system.clock, now: () => Date.now() + 3 * 3_600_000 } };
    const none = await runHere(['audit', 'list', '--json', '--since', '2h'], {
      env,
      system: later,
    });
    expect(JSON.parse(none.out)).toEqual({ entries: [] });
    expect(await audit('list --since long')).toMatchObject({ code: 2, out: '' });
  });

  test('export writes a line for each entry, as JSON or CSV', async () => {
    const lines = (await audit('export --format jsonl')).out.trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line));
    expect(entries[2]).toMatchObject({ action: 'gatepost.start', actor: 'gatepost', record: null });
    const rows = (await audit('export --format csv')).out.trimEnd().split('\n');
    expect(rows[0]).toBe('id,at,action,record,actor,facts');
    expect(rows).toHaveLength(entries.length + 1);
    expect(rows[4]).toContain(
      '"{""route"":""default"",""channel"":""C0DEPLOYS"",""title"":""Deploy 4.2"",""requester.known"":false}"',
    );
    expect((await audit('export --format xml')).code).toBe(2);
  });

  test.each(['list', 'export', 'export --format csv'])(
    '%s says that its output is incomplete when interrupted',
    async (words) => {
      const signal = AbortSignal.abort(new Interruption('SIGINT'));
      const { code, err } = await runHere(['audit', ...words.split(' ')], { env, signal });
      expect({ code, err }).toEqual({
        code: 130,
        err: 'Interrupted: not all entries were written.\n',
      });
    },
  );

  test('verify confirms a whole log, and a saved head that belongs to it', async () => {
    const whole = await audit('verify');
    expect(whole.code).toBe(0);
    expect(whole.out).toMatch(/^\d+ entries: none is missing, changed or moved\.\n$/);
    const { out: head } = await audit('verify --head');
    expect(head).toMatch(/^0:\d+:[0-9a-f]{64}\n$/);
    expect((await audit(`verify ${head.trim()}`)).code).toBe(0);
    const [, seq, link] = head.trim().split(':');
    const cut = await audit(`verify 0:${Number(seq) + 5}:${link}`);
    expect(cut.code).toBe(1);
    expect(cut.out).toMatch(/was there once/);
    const elsewhere = await audit(`verify ${head.trim()},5:${seq}:${link}`);
    expect(elsewhere).toMatchObject({ code: 1 });
    expect(elsewhere.out).toContain('The log that this head belongs to is missing.');
    expect((await audit('verify nothing')).code).toBe(2);
    for (const empty of ['', '\n']) {
      const { code, out, err } = await runHere(['audit', 'verify', empty], { env });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^error: the head is empty: nothing would be compared\.\n/);
    }
    expect(JSON.parse((await audit('verify --json')).out)).toMatchObject({ ok: true, unsigned: 0 });
  });

  test('verify names the keys whose signatures it cannot check', async () => {
    const other = `k9:${Buffer.alloc(32, 9).toString('base64')}`;
    const { code, out } = await audit('verify', { GATEPOST_KEYS: other });
    expect(code).toBe(1);
    expect(out).toMatch(/could not be checked\. They may have been changed\. .*: k1\.\n$/);
    expect(out).not.toMatch(/none is missing|not intact/);
    expect(JSON.parse((await audit('verify --json', { GATEPOST_KEYS: other })).out)).toMatchObject({
      ok: false,
      problems: [],
    });
    const stolen = `k1:${Buffer.alloc(32, 9).toString('base64')}`;
    expect(await audit('verify', { GATEPOST_KEYS: stolen })).toMatchObject({ code: 1 });
  });
});

test('verify says which entries have no signature', async () => {
  const data = await mkdtemp(join(folder, 'unsigned-'));
  const verified = async (entries: number) => {
    // Closed before the command: see `beforeAll`. A visitor, like the command: see `guard`.
    {
      await using store = await createEmbeddedStore({ ...system, folder: data, guard: false });
      const entry = { action: 'people.outcome', record: null, actor: 'os:ana@laptop', facts: {} };
      for (let n = 0; n < entries; n += 1) await store.writeAudit(entry);
    }
    return runHere(['audit', 'verify'], { env: { ...env, DATA_DIR: data } });
  };
  expect((await verified(1)).out).toMatch(
    /\n1 entry has no signature: `gatepost people` wrote it without GATEPOST_KEYS\.\n/,
  );
  expect((await verified(2)).out).toMatch(
    /\n3 entries have no signature: `gatepost people` wrote them without GATEPOST_KEYS\.\n/,
  );
});

describe('a log of several thousand entries', () => {
  let data: string;
  const ENTRIES = 3_000;
  beforeAll(async () => {
    data = await mkdtemp(join(folder, 'long-'));
    await using store = await createEmbeddedStore({ ...system, folder: data });
    for (let batch = 0; batch < ENTRIES / 250; batch += 1) {
      const facts = { text: 'x'.repeat(batch) };
      const entry = { action: 'a', record: `0-${batch}${'r'.repeat(14)}`, actor: 'U1', facts };
      await Promise.all(Array.from({ length: 250 }, () => store.writeAudit(entry)));
    }
  });
  const read = (words: string, options: RunOptions = {}) =>
    runHere(['audit', ...words.split(' ')], { env: { ...env, DATA_DIR: data }, ...options });

  test.each(['export', 'list', 'list --json'])('%s is written while it is read', async (words) => {
    const whole = await read(words);
    expect(whole.code).toBe(0);
    const controller = new AbortController();
    const { code, out, err } = await read(words, {
      signal: controller.signal,
      // Like a signal: in a turn of the event loop of its own.
      heard: () => setImmediate(() => controller.abort(new Interruption('SIGINT'))),
    });
    expect({ code, err }).toEqual({
      code: 130,
      err: 'Interrupted: not all entries were written.\n',
    });
    expect(out.length).toBeGreaterThan(1_000);
    // It is not defined which turn notices it first: the last part is never written.
    expect(out.length).toBeLessThan(whole.out.length);
    expect(whole.out.startsWith(out)).toBe(true);
  });

  test('list prints one header, and one line for each entry', async () => {
    const { out, err } = await read('list');
    const [head, ...lines] = out.trimEnd().split('\n');
    expect(head).toMatch(/^Time +Who {2}What +Kind {2}Record$/);
    expect(lines).toHaveLength(ENTRIES);
    expect(lines.filter((line) => line.startsWith('Time'))).toEqual([]);
    expect(err).toBe(`${ENTRIES} entries.\n`);
  });

  test('list --json prints one valid JSON object', async () => {
    const { out } = await read('list --json');
    const { entries } = JSON.parse(out);
    expect(entries).toHaveLength(ENTRIES);
    expect(out).toBe(safeJson({ entries }));
    const none = await read('list --json --who U0NOBODY');
    expect(none.out).toBe(safeJson({ entries: [] }));
  });

  test('show finds every entry of a record by a prefix of its id, and lists the records when the prefix is ambiguous', async () => {
    const { code, out, err } = await read('show 0-1rrr --json');
    expect(code).toBe(0);
    expect(JSON.parse(out).entries).toHaveLength(250);
    expect(out).toBe(safeJson(JSON.parse(out)));
    expect(err).toBe('');
    const twin = { action: 'a', record: `0-1${'r'.repeat(13)}s`, actor: 'U1', facts: {} };
    {
      await using store = await createEmbeddedStore({ ...system, folder: data, guard: false });
      await store.writeAudit(twin);
    }
    expect(await read('show 0-1rrr')).toEqual({
      code: 1,
      out: '',
      err: `Several records match: 0-1${'r'.repeat(14)}, ${twin.record}. Use one of these ids.\n`,
    });
  });
});

test('verify ends with 1 when an entry was changed', async () => {
  const data = await mkdtemp(join(folder, 'changed-'));
  {
    await using store = await createEmbeddedStore({ ...system, folder: data });
    for (const actor of ['U1', 'U2', 'U3']) {
      await store.writeAudit({ action: 'a', record: null, actor, facts: {} });
    }
    const { root, audit: table } = openTables(data);
    const [, second] = [...table.getRange()];
    if (second === undefined) throw new Error('there are three');
    const text = ['a', '', 'U9', '{}', ''] as const;
    await root.transaction(() => table.putSync(second.key, { ...second.value, text }));
  }
  const { code, out } = await audit('verify --json', { DATA_DIR: data });
  expect(code).toBe(1);
  const { ok, problems } = JSON.parse(out);
  expect({ ok, problems }).toMatchObject({ ok: false, problems: [{ kind: 'changed', seq: 2 }] });
});

test('verify says how much of a log is not sealed', async () => {
  const data = await mkdtemp(join(folder, 'older-'));
  const written = async (count: number) => {
    await using store = await createEmbeddedStore({ ...system, folder: data });
    const entry = { action: 'people.asked', record: null, actor: 'U1', facts: {} };
    for (let n = 0; n < count; n += 1) await store.writeAudit(entry);
  };
  await written(3);
  const { code, out } = await audit('verify', { DATA_DIR: data });
  expect(code).toBe(0);
  expect(out).toMatch(/\nNot sealed \(from before the first checkpoint\): 3\.\n$/);
});

test('verify says how many entries a build before 0.2.0 signed', async () => {
  const data = await mkdtemp(join(folder, 'earlier-'));
  {
    const sign = auditSigner([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
    const signAudit = (said: string) => sign(JSON.parse(said).slice(2).join('\n'));
    await using store = await createEmbeddedStore({ ...system, folder: data, signAudit });
    const entry = { action: 'approvals.asked', record: '0-a', actor: 'default', facts: {} };
    await store.writeAudit(entry);
    await store.writeAudit(entry);
  }
  const { code, out } = await audit('verify', { DATA_DIR: data });
  expect(code).toBe(0);
  expect(out).toContain('\nSigned by a build before 0.2.0: 2 entries.\n');
  const { out: json } = await audit('verify --json', { DATA_DIR: data });
  expect(JSON.parse(json)).toMatchObject({ ok: true, entries: 2, earlier: 2, unsigned: 0 });
});

describe('verify, for a log sealed by a bot', () => {
  let data: string;
  beforeEach(async () => {
    data = await mkdtemp(join(folder, 'sealed-'));
    await copyFile(join(folder, DATA), join(data, DATA));
  });

  /** Recomputes numbers and links; returns what `verify` says then. */
  async function forged(forge: (kept: Row[]) => Row[]) {
    const { root, audit: table, chain } = openTables(data);
    const [before, rows] = [chain.get('audit'), [...table.getRange()]];
    if (before === undefined) throw new Error('the bot has written');
    let head = { seq: 0, link: NO_LINK };
    await root.transaction(() => {
      for (const { key } of rows) table.removeSync(key);
      for (const { key, value } of forge(rows)) {
        const place = { at: key[0], seq: head.seq + 1 };
        head = { seq: place.seq, link: linkAfter('sha256', head.link, place, value.text) };
        table.putSync([place.at, place.seq], { text: value.text, link: head.link });
      }
      chain.putSync('audit', { ...before, head });
    });
    await root.close();
    return audit('verify', { DATA_DIR: data });
  }

  test('confirms an unchanged log', async () => {
    const { code, out } = await forged((kept) => kept);
    expect({ code, out }).toEqual({ code: 0, out: expect.not.stringMatching(/sealed/) });
  });

  test('reports an entry removed from the middle', async () => {
    const { code, out } = await forged((kept) => kept.toSpliced(4, 1));
    expect(code).toBe(1);
    expect(out).toMatch(/^Entries \d+ to \d+ are not what checkpoint \d+ signed: one was removed/);
  });

  test('reports an added unsigned entry, even one about accounts', async () => {
    const text = ['people.outcome', '', 'U0ANA', '{"outcome":"deactivated"}', ''] as const;
    const { code, out } = await forged((kept) => [
      ...kept,
      ...kept.slice(-1).map(({ key, value }) => ({ key, value: { ...value, text } })),
    ]);
    expect(code).toBe(1);
    expect(out).toMatch(/^Entry \d+ has no signature: it was forged, or the command line/);
    expect(out).toMatch(/\n1 entry has no signature\.\n$/);
  });
});

describe('verify, against somebody with the keys', () => {
  const signAudit = auditSigner([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
  const kept = async () => {
    const file = join(folder, 'audit.log');
    await writeFile(file, (await audit('export --format chain')).out);
    return { file, head: (await audit('verify --head')).out.trim() };
  };
  const forge = async (data: string, count: number) => {
    await using store = await createEmbeddedStore({
      ...{ ...system, folder: data, signAudit },
      guard: false,
    });
    const entry = { action: 'approvals.told', record: null, actor: 'gatepost', facts: {} };
    for (let n = 0; n < count; n += 1) await store.writeAudit(entry);
  };

  test('claims nothing about a log that was written anew, and a head or what left the house shows it', async () => {
    const { file, head } = await kept();
    const data = await mkdtemp(join(folder, 'anew-'));
    await createEmbeddedStore({ ...system, folder: data }).then((it) => it[Symbol.asyncDispose]());
    await forge(data, 17);
    const verified = (words: string) => audit(words, { DATA_DIR: data });
    const { code, out } = await verified('verify');
    expect({ code, first: out.split('\n')[0] }).toEqual({
      code: 0,
      first:
        '17 entries, not sealed by a checkpoint yet: whether some were removed or moved cannot be known.',
    });
    expect(await verified(`verify ${head}`)).toMatchObject({ code: 1 });
    expect(await verified(`verify --against ${file}`)).toMatchObject({ code: 1 });
    expect((await audit(`verify --against ${file}`)).out).toMatch(/^\d+ entries: none is missing/);
  });

  test('claims nothing about a log that was emptied, and a head or what left the house shows it', async () => {
    const { file, head } = await kept();
    const data = await mkdtemp(join(folder, 'emptied-'));
    await forge(data, 0);
    const verified = (words: string) => audit(words, { DATA_DIR: data });
    expect(await verified('verify')).toMatchObject({
      code: 0,
      out: '0 entries: whether some were removed cannot be known.\n',
    });
    expect(await verified(`verify ${head}`)).toMatchObject({ code: 1 });
    expect(await verified(`verify --against ${file}`)).toMatchObject({ code: 1 });
  });

  test('does not notice entries that were added at the end', async () => {
    const { file, head } = await kept();
    const data = await mkdtemp(join(folder, 'added-'));
    await copyFile(join(folder, DATA), join(data, DATA));
    await forge(data, 1);
    for (const words of ['verify', `verify ${head}`, `verify --against ${file}`]) {
      const { code, out } = await audit(words, { DATA_DIR: data });
      expect({ code, words }).toEqual({ code: 0, words });
      expect(out).toMatch(/^(\d+) of \d+ entries are sealed: none of these is missing/);
    }
  });
});

test.each([{ DATA_DIR: '/nowhere/at/all' }, { REDIS_URL: 'redis://127.0.0.1:1' }])(
  'without a reachable store ends with 1: %j',
  async (more) => {
    const { code, out, err } = await audit('list --json', more, {
      system: withoutRedis,
    });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/REDIS_URL/);
  },
);

test.skipIf(!(await canStartRedis()))(
  'ends with 2 when Redis lacks the database, as for a wrong setting',
  async () => {
    await using redis = await startRedisServer({ settings: { databases: '1' } });
    const { code, out, err } = await audit('verify', { REDIS_URL: `${redis.url}/1` });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^Cannot read the store: Redis has no database 1\. Set REDIS_URL .+\.\n$/);
  },
);
