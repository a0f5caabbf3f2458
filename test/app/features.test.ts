import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, test } from 'vitest';
import {
  entryOf,
  FEATURE_NAMES,
  FEATURES,
  featureOf,
  isAlwaysSigned,
  OPERATES,
  ROWS,
} from '../../src/app/features.ts';
import { registerHandlers } from '../../src/app/handlers.ts';
import { WIRED } from '../../src/app/wiring.ts';
import { OPERATORS } from '../../src/approvals/ways-in/parts.ts';
import { createMetrics } from '../../src/core/http/metrics.ts';
import { writtenActions } from '../support/audit-actions.ts';
import { NOTHING, type RegisteredListener, registeredBy } from '../support/registered-listeners.ts';
import { readSources } from '../support/source-imports.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const sources = await readSources(SRC);
const written = await writtenActions(SRC);
const actions = [...new Set(written.map(({ action }) => action))].filter((text) => text !== '?');

/** Has these members, and as all others what has every member. */
function having(members: Readonly<Record<string | symbol, unknown>>): never {
  // as: it stands for anything that is read of it
  return new Proxy({}, { get: (_, name) => (name in members ? members[name] : NOTHING) }) as never;
}

const isOf = (files: string, path: string) => path.startsWith(`${files}/`);

test('every folder of a feature has a row, and every row a folder', async () => {
  const folders = await readdir(`${SRC}/operations`);
  const shared = ['batch', 'flow'];
  const wanted = folders
    .filter((name) => !shared.includes(name))
    .map((name) => `operations/${name}`);
  const listed = ROWS.map(({ files }) => files);
  expect(listed).toEqual(expect.arrayContaining(['approvals', ...wanted]));
  expect(listed.filter((files) => !existsSync(`${SRC}/${files}`))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

describe('kinds of records', () => {
  const kinds = ROWS.flatMap((row) => row.kinds);

  test('every row has a worker for each of its kinds, and none has another', () => {
    for (const row of WIRED)
      expect(Object.keys(row.workers(NOTHING)).sort()).toEqual([...row.kinds].sort());
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  test('every kind in the code is in the row of its files, and every kind of a row is in the code', () => {
    const named = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/^export const \w+_KIND = '([^']+)'/gm)].map(([, kind]) => ({
        path,
        kind,
      })),
    );
    expect(named.map(({ kind }) => kind).sort()).toEqual([...kinds].sort());
    for (const { path, kind } of named) {
      const row = ROWS.find(({ files }) => isOf(files, path));
      expect({ path, kinds: row?.kinds }).toEqual({ path, kinds: expect.arrayContaining([kind]) });
    }
  });
});

describe('what people use in Slack', () => {
  const idsOf = (listeners: readonly RegisteredListener[], wanted: string) =>
    listeners.flatMap(([method, id]) => (method === wanted ? [id] : [])).sort();

  test.each(WIRED)(
    'the row of $files lists what its code listens to',
    ({ slack, listen, prefix }) => {
      const listeners = registeredBy((app) => listen?.(app, NOTHING));
      expect({
        commands: idsOf(listeners, 'command'),
        shortcuts: idsOf(listeners, 'shortcut'),
        events: [...new Set(idsOf(listeners, 'event'))],
        hasOptions: idsOf(listeners, 'options').length > 0,
      }).toEqual({
        commands: [...(slack?.commands ?? [])].sort(),
        shortcuts: [...(slack?.shortcuts ?? [])].sort(),
        events: [...(slack?.events ?? [])].sort(),
        hasOptions: slack?.hasOptions ?? false,
      });
      const own = listeners.filter(([method]) => !['command', 'event'].includes(method));
      expect(own.filter(([, id]) => featureOf(id)?.prefix !== prefix)).toEqual([]);
    },
  );

  test('without a service exactly the rows without a sentence are listened to', () => {
    const core = having({ config: having({ service: null }) });
    const commands = idsOf(
      registeredBy((app) => registerHandlers(app, core)),
      'command',
    );
    const on = ROWS.filter(({ off }) => off === undefined);
    expect(commands).toEqual(on.flatMap(({ slack }) => slack?.commands ?? []).sort());
    for (const { off, slack, prefix } of ROWS)
      for (const id of [...(slack?.commands ?? []), `${prefix}.press`])
        expect([id, featureOf(id)?.off]).toEqual([id, off]);
    expect(ROWS.filter(({ off }) => off !== undefined).length).toBeGreaterThan(2);
  });
});

describe('the audit log', () => {
  test('every action that any code writes belongs to a row, the one of its files', () => {
    expect(actions.length).toBeGreaterThan(40);
    // It reads entries.
    expect(written.filter(({ action }) => action.includes('?'))).toEqual([
      { action: '?', path: 'core/store/tables/audit.ts' },
    ]);
    expect(actions.filter((action) => featureOf(action) === undefined)).toEqual([]);
    for (const { path, action } of written) {
      const row = ROWS.find(({ files }) => isOf(files, path));
      if (row !== undefined && action !== '?')
        expect({ path, prefix: action.split('.')[0] }).toEqual({ path, prefix: row.prefix });
    }
  });

  test('everything but what the command line writes too has to be signed', () => {
    const unsigned = actions.filter((action) => !isAlwaysSigned(action));
    expect([...new Set(unsigned.map((action) => action.split('.')[0]))]).toEqual(['people']);
    expect(isAlwaysSigned('of-nobody.asked')).toBe(false);
  });

  test('every action with words or a log line is written', () => {
    const known = ROWS.flatMap(({ entries }) => Object.keys(entries ?? {}));
    expect(known.length).toBeGreaterThan(15);
    expect(known.filter((action) => !actions.includes(action))).toEqual([]);
  });

  test('every operation is logged from its start to its end, and its end is counted', async () => {
    const begun = actions.filter((action) => action.endsWith('.send'));
    const listed = ROWS.flatMap(({ operation }) => operation?.action ?? []);
    expect(begun.sort()).toEqual(listed.map((action) => `${action}.send`).sort());
    for (const { operation } of ROWS) {
      if (operation === undefined) continue;
      const { action, what, done, otherwise, success } = operation;
      const line = (end: string, outcome?: string) =>
        entryOf(`${action}.${end}`)?.line?.(outcome === undefined ? {} : { outcome }, 'U1');
      expect(line('asked')).toMatchObject({ message: 'asked', facts: { what, user: 'U1' } });
      expect(line('send')).toMatchObject({ message: 'sent', facts: { what } });
      for (const outcome of success)
        expect(line('outcome', outcome)).toMatchObject({
          message: done,
          facts: { result: outcome },
        });
      expect(line('outcome', 'unknown')).toMatchObject({ message: otherwise });
      expect(line('refused')).toMatchObject({
        message: otherwise,
        facts: { result: 'not-allowed' },
      });
      const metrics = createMetrics();
      entryOf(`${action}.outcome`)?.count?.({ outcome: 'unknown' }, metrics, NOTHING);
      entryOf(`${action}.refused`)?.count?.({}, metrics, NOTHING);
      const text = await metrics.text();
      for (const result of ['unknown', 'not-allowed'])
        expect(text).toContain(
          `gatepost_operations_total{kind="${action}",result="${result}"} 1\n`,
        );
    }
  });

  test('every cause of an alert in the code is counted from 0', () => {
    const known = WIRED.flatMap(({ alerts }) => alerts ?? []);
    const causes = sources.flatMap(({ text }) =>
      [...text.matchAll(/\babout: [`']([a-z-]+\.[a-z-]+)(?=[.'`])/g)].map(([, cause]) => cause),
    );
    expect(causes.length).toBeGreaterThan(6);
    expect(causes.filter((cause) => !known.some((each) => each === cause))).toEqual([]);
  });
});

it('loads no feature, so that commands that need none start fast', async () => {
  const loaded = (await loadedBy('app/features.ts')).files;
  const own = loaded.filter((path) => !/^core\/(config|lib)\//.test(path));
  // Rules without what they rule.
  const light = ['approvals/electorate/through.ts', 'operations/accounts/change.ts'];
  expect(own.sort()).toEqual(['app/entries.ts', 'app/features.ts', ...light].sort());
});

test('every command for operators has what runs for it', () => {
  expect([...OPERATORS.keys()]).toEqual(Object.keys(OPERATES));
});

test('commands for operators load neither Slack nor HTTP', async () => {
  const { packages } = await loadedBy('cli/operate.ts');
  const others = packages.filter((name) => !name.startsWith('node:')).sort();
  // The first two once their store is opened.
  expect(others).toEqual(['ioredis', 'lmdb', 'yaml', 'zod']);
});

test('the configuration is read without loading what talks to Slack or to the store', async () => {
  const { packages } = await loadedBy('app/configuration.ts');
  expect(packages.filter((name) => !name.startsWith('node:')).sort()).toEqual(['yaml', 'zod']);
});

/** Files of `src`, and packages. */
async function loadedBy(
  path: string,
): Promise<{ readonly files: readonly string[]; readonly packages: readonly string[] }> {
  const { metafile } = await build({
    entryPoints: [`${SRC}/${path}`],
    absWorkingDir: SRC,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const packages = imports.filter(({ external }) => external).map((each) => each.path);
  return { files: Object.keys(metafile.inputs), packages: [...new Set(packages)] };
}

it('lists every row once', () => {
  expect(FEATURE_NAMES.map((name) => FEATURES[name])).toEqual(ROWS);
  const prefixes = ROWS.map(({ prefix }) => prefix);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});
