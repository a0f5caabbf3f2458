import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { settingsReader } from '../../src/config/file-settings.ts';
import { BASE, configWith, readWith } from './environment-of-tests.ts';

const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$/gm)].map(
  ([, key = '', standard = '']) => ({ key, standard }),
);

it('has a row for every key, and no other', () => {
  const { keys } = settingsReader({
    lookUp: () => undefined,
    ownSecrets: [],
    routes: [],
    needsSecrets: false,
    identity: 'omit',
    hasApiKey: false,
  });
  const all = keys.map((key) => key.slice(1));
  const isAbove = (key: string) =>
    all.some((other) => /^[.[]/.test(other.slice(key.length)) && other.startsWith(key));
  expect(rows.map(({ key }) => key).sort()).toEqual(all.filter((key) => !isAbove(key)).sort());
});

it('shows an example that is taken without a problem or a warning', () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
  const read = readWith(example, {
    INTAKE_DEPLOYS_SECRET: 'the-secret-of-deploys',
    INTAKE_BACKUPS_SECRET: 'the-secret-of-backups',
    INTAKE_RELEASES_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  });
  expect(read).toMatchObject({
    ok: true,
    warnings: [],
    config: {
      sources: [
        { id: 'deploys', auth: { kind: 'bearer' } },
        { id: 'backups', auth: { kind: 'header' } },
        { id: 'releases', auth: { kind: 'standard-webhooks' } },
      ],
      routes: [{ name: 'production', quorum: 2 }, { name: 'staging' }],
    },
  });
});

const least = () => ({
  sources: [{ id: 'deploys', secret: 'INTAKE_DEPLOYS', routes: ['production'] }],
  routes: {
    production: { channel: 'C0PROD', reviewers: {}, outcomes: {}, reason: {}, remind: {} },
  },
  move: { rules: [{ who: {} }] },
});
const defaults = rows.flatMap(({ key, standard }) => {
  const [, value] = /^`([^`]+)`$/.exec(standard) ?? [];
  return value === undefined ? [] : [[key, value] as const];
});

it('names most defaults as they would be written', () => {
  expect(defaults.length).toBeGreaterThan(rows.length / 2);
});

it.each(defaults)('says what holds without %s: %s', (key, value) => {
  const file: unknown = least();
  const path = key.replace('<name>', 'production').replace('[]', '.0').split('.');
  let at = file as Record<string, unknown>; // as: a tree of objects, and lists that are like objects
  for (const step of path.slice(0, -1)) {
    at[step] ??= {};
    at = at[step] as Record<string, unknown>; // as: see above
  }
  at[path.at(-1) ?? ''] = parse(value);
  expect(configWith(stringify(file), BASE)).toEqual(configWith(stringify(least()), BASE));
});
