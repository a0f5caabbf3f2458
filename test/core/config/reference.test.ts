import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { ROUTE_RULES } from '../../../src/app/configuration.ts';
import { BARE, fileShape, jsonSchemaOfFile } from '../../../src/core/config/file.ts';
import { sectionOf } from '../../support/headings.ts';
import { BASE, configWith, readWith } from './environment-of-tests.ts';

const text = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
/** A row can have several keys, such as people and user groups. */
const [, keysOfFile = ''] = text.split('<!-- /variables -->');
const rows = [
  ...keysOfFile.matchAll(/^\| ((?:`[^`]+`, )*`[^`]+`) \| ([^|]+) \| [^|]+ \|$/gm),
].flatMap(([, keys = '', standard = '']) =>
  keys.split(', ').map((key) => ({ key: key.slice(1, -1), standard })),
);

it('the reference has one row for each key, and no other', () => {
  const shape = fileShape({ ...BARE, rules: ROUTE_RULES });
  const schema = z.toJSONSchema(z.object(shape), { io: 'input', unrepresentable: 'any' });
  const keys = keysIn(schema).map((key) => key.slice(1));
  expect(rows.map(({ key }) => key).sort()).toEqual(keys.sort());
});

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The keys of sections, as the page writes them: `.channel`, `[].id`, `.<name>.quorum`. */
function keysIn({ anyOf, properties = {}, items, additionalProperties }: JsonSchema): string[] {
  const below = (step: string, inner: unknown): string[] => {
    const keys = typeof inner === 'object' ? keysIn(inner as JsonSchema) : []; // as: what stands here in a schema is one
    return keys.map((key) => `${step}${key}`);
  };
  const members = Object.entries(properties).flatMap(([key, inner]) => {
    const keys = below(`.${key}`, inner);
    return keys.length === 0 ? [`.${key}`] : keys;
  });
  const either = (anyOf ?? []).flatMap((each) => below('', each));
  return [...members, ...either, ...below('[]', items), ...below('.<name>', additionalProperties)];
}

it('the example in the reference is valid, without warnings', () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
  const read = readWith(example, {
    INTAKE_DEPLOYS_SECRET: 'the-secret-of-deploys',
  });
  expect(read).toMatchObject({
    ok: true,
    warnings: [],
    config: {
      sources: [{ id: 'deploys', auth: { kind: 'bearer' } }],
      routes: [{ name: 'production', quorum: 2 }, { name: 'staging' }],
    },
  });
});

const recipes = sectionOf(text, 'recipes').split('\n### ').slice(1);

it.each(recipes.map((recipe) => [recipe.split('\n', 1)[0], recipe]))(
  'the recipe %s is valid, without warnings',
  (_, recipe) => {
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(recipe) ?? [];
    expect(yaml).toContain('channel: C0PRODUCTION');
    // Beside the settings that the setup writes.
    const env = yaml.includes('sources:') ? {} : { GATEPOST_INTAKE_SECRET: 's'.repeat(40) };
    expect(readWith(yaml, env)).toMatchObject({ ok: true, warnings: [] });
  },
);

it('there is a recipe for two groups, escalation, who is on call, and CI systems', () => {
  expect(recipes).toHaveLength(4);
});

/** The keys that a file sets, written as the page does; names of entries that people choose are one. */
function keysSet(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysSet(item, `${path}[]`)).concat(path);
  if (typeof value !== 'object' || value === null) return [path];
  const isNamed = path === 'routes' || path === 'identity.overrides';
  const keys = Object.entries(value).flatMap(([key, inner]) =>
    keysSet(inner, [path, isNamed ? '<name>' : key].filter((part) => part !== '').join('.')),
  );
  return [...keys, path];
}

it('gatepost.example.yaml is valid, without warnings, and sets every key', () => {
  const example = readFileSync(new URL('../../../gatepost.example.yaml', import.meta.url), 'utf8');
  const read = readWith(example, {
    SERVICE_API_KEY: 'the-key-of-the-service',
    INTAKE_DEPLOYS_SECRET: 'the-secret-of-deploys',
    INTAKE_BACKUPS_SECRET: 'the-secret-of-backups',
    CALLBACK_DEPLOYS_SECRET: `whsec_${Buffer.alloc(32, 2).toString('base64')}`,
    INTAKE_ROLLOUTS_SECRET: 'the-secret-of-rollouts-in-a-path',
    INTAKE_BOARD_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  });
  expect(read).toMatchObject({ ok: true, warnings: [] });
  const set = new Set(keysSet(parse(example)));
  expect(rows.map(({ key }) => key).filter((key) => !set.has(key))).toEqual([]);
});

it('gatepost.schema.json is current, and accepts the example but no wrong files', () => {
  const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
  const schema = JSON.parse(read('gatepost.schema.json'));
  expect(schema, 'run: gatepost config schema > gatepost.schema.json').toEqual(
    jsonSchemaOfFile(ROUTE_RULES),
  );
  const example = read('gatepost.example.yaml');
  expect(example).toMatch(/^# yaml-language-server: \$schema=gatepost\.schema\.json\n/);
  const editor = z.fromJSONSchema(schema);
  expect(editor.safeParse(parse(example)).error).toBeUndefined();
  const wrong = [
    { rotues: {} },
    { routes: { production: { chanel: 'C0PROD' } } },
    { routes: { production: { channel: '#prod' } } },
    { budget: { perMinute: 0.5 } },
    { watch: { maxAge: '7 days' } },
    { sources: [{ id: 'deploys', secret: 'INTAKE', routes: [3] }] },
  ];
  expect(wrong.filter((file) => editor.safeParse(file).success)).toEqual([]);
});

/** With what the key needs beside it. */
const least = (key = '') => ({
  sources: [
    {
      ...{ id: 'deploys', secret: 'INTAKE_DEPLOYS', routes: ['production'] },
      ...(key === 'sources[].header' && { auth: 'header' }),
    },
  ],
  routes: {
    production: {
      channel: 'C0PROD',
      reviewers: {},
      need: [{ name: 'SRE', of: { groups: ['S0SRE'] } }],
      escalate: [{ after: '30m', to: { groups: ['S0LEADS'] } }],
      outcomes: {},
      reason: {},
      remind: key === 'routes.<name>.remind.times' ? { after: '30m' } : {},
    },
  },
  move: { rules: [{ who: {} }] },
});
const defaults = rows.flatMap(({ key, standard }) => {
  const [, value] = /^`([^`]+)`$/.exec(standard) ?? [];
  return value === undefined ? [] : [[key, value] as const];
});

it('more than half of the rows have a default that can be checked', () => {
  expect(defaults.length).toBeGreaterThan(rows.length / 2);
});

it.each(defaults)('the default documented for %s is the one in use: %s', (key, value) => {
  const file: unknown = least(key);
  const path = key.replace('<name>', 'production').replaceAll('[]', '.0').split('.');
  let at = file as Record<string, unknown>; // as: a tree of objects, and lists that are like objects
  for (const step of path.slice(0, -1)) {
    at[step] ??= {};
    at = at[step] as Record<string, unknown>; // as: see above
  }
  at[path.at(-1) ?? ''] = parse(value);
  expect(configWith(stringify(file), BASE)).toEqual(configWith(stringify(least(key)), BASE));
});

it('the keys of a route keep their order: stored digests of its rules depend on it', () => {
  const [route = {}] = configWith(stringify(least()), BASE).routes;
  expect(Object.keys(route).join(' ')).toBe(
    'channel outcomes reviewers quorum need escalate quiet closed closers closedAllows substitutes hold selfApproval guests requester reason confirm several identity remind name',
  );
});
