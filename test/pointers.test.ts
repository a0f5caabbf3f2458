import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FEATURE_NAMES, FEATURES } from '../src/app/features.ts';
import { REQUIRED_SCOPES } from '../src/core/slack/scopes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFile(`${ROOT}/${path}`, 'utf8');

/** What people read outside a page, and where it may point to one. */
const PLACES = ['src', 'docs', 'integrations', 'scripts', '.github'];
const FILES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'manifest.yml', 'gatepost.example.yaml'],
  ...['.env.sample', 'Dockerfile', 'compose.yaml', 'compose.simple.yaml', 'package.json'],
];
const texts = await readTexts();

async function readTexts(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const entries = await Promise.all(
    PLACES.map((place) => readdir(`${ROOT}/${place}`, { recursive: true, withFileTypes: true })),
  );
  const found = entries
    .flat()
    .filter((entry) => entry.isFile() && !/\.(png|svg|lua)$/u.test(entry.name))
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(ROOT.length))
    .map((path) => path.replace(/^\//u, ''));
  const paths = [...FILES, ...found].sort();
  return Promise.all(paths.map(async (path) => ({ path, text: await read(path) })));
}

function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every page of docs/ that a text names exists, with the heading', async () => {
  const pages = new Map(
    await Promise.all(
      texts
        .filter(({ path }) => /^docs\/[^/]+\.md$/u.test(path))
        .map(async ({ path, text }) => [path, anchorsOf(text)] as const),
    ),
  );
  const named = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w/.-])(docs\/[\w-]+\.md)(?:#([\w-]+))?/gu)].map(
      ([, page = '', anchor]) => ({ path, page, anchor }),
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  const stale = named.filter(({ page, anchor }) => {
    const anchors = pages.get(page);
    return anchors === undefined || (anchor !== undefined && !anchors.includes(anchor));
  });
  expect(stale).toEqual([]);
});

test('nothing says that the README explains what it no longer does', () => {
  const stale = /[^\n.]*\bREADME(?:\.md)? (?:explains|lists|says|shows)[^\n.]*/giu;
  const said = texts.flatMap(({ path, text }) =>
    [...text.matchAll(stale)].map(([words]) => `${path}: ${words.trim()}`),
  );
  expect(said).toEqual([]);
});

test('a version of Gatepost that a text tells people to use is the one of package.json', async () => {
  const { version } = JSON.parse(await read('package.json'));
  const used = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:gatepost[\w/.-]*[@:]v?|gatepost-gatepost-)(\d+\.\d+\.\d+)/gu)].map(
      ([whole, number]) => ({ path, whole, number }),
    ),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter(({ number }) => number !== version)).toEqual([]);
});

test('docs/slack.md has every scope with its reason, and every event of the manifest', async () => {
  const page = await read('docs/slack.md');
  const scopes = [...page.matchAll(/^\| `([\w:.]+)` \| (.+) \|$/gmu)]
    .map(([, scope = '', why = '']) => [scope, why] as const)
    .filter(([scope]) => scope in REQUIRED_SCOPES);
  expect(scopes).toEqual(Object.entries(REQUIRED_SCOPES));
  expect(page).toContain(`The bot asks for ${NUMBERS[scopes.length]} scopes.`);
  const events = new Set(FEATURE_NAMES.flatMap((name) => FEATURES[name].slack?.events ?? []));
  const section = /^## Events\n[\s\S]*?(?=^## )/mu.exec(page)?.[0] ?? '';
  const rows = [...section.matchAll(/^\| (`.+`) \|/gmu)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/gu)].map(([, event]) => event),
  );
  expect(rows.sort()).toEqual([...events].sort());
});

const NUMBERS: Readonly<Record<number, string>> = { 10: 'ten', 11: 'eleven', 12: 'twelve' };

test('docs/security.md says of every kind of record what it holds', async () => {
  const page = await read('docs/security.md');
  const section = /^## What is stored\n[\s\S]*?(?=^## )/mu.exec(page)?.[0] ?? '';
  const kinds = FEATURE_NAMES.flatMap((name) => FEATURES[name].kinds);
  const named = [...section.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|/gmu)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w-]+)`/gu)].map(([, kind]) => kind),
  );
  expect(named.sort()).toEqual([...kinds].sort());
});

/** What people ask first: the page and heading that answer it, and words of the answer. */
const QUESTIONS: readonly (readonly [question: string, place: string, answer: RegExp])[] = [
  [
    'Can somebody who can push approve their own deployment?',
    'docs/identity.md#who-asked',
    /whoever pushed approve their own deployment\? Not if/u,
  ],
  [
    'What if Slack is down?',
    'docs/slack.md#while-slack-is-down-or-slow',
    /silence approves nothing/u,
  ],
  ['Which scopes does it want, and why?', 'docs/slack.md#scopes', /`chat:write`/u],
  ['What is stored, where, for how long?', 'docs/security.md#what-is-stored', /`retention.done`/u],
  ['How do I cancel a request by hand?', 'docs/asking.md#withdraw', /gatepost withdraw --key/u],
  ['Can two teams have to approve?', 'docs/identity.md#one-of-sre-and-one-of-security', /need:/u],
  ['What was decided yesterday?', 'docs/approvers.md#finding-requests', /`\/approvals decided`/u],
  ['How do I rotate a secret?', 'docs/operations.md#rotate-secrets', /GATEPOST_KEYS/u],
  ['Can I try it without Slack?', 'README.md#try-it', /no Slack account/u],
  ['What does it cost to run?', 'docs/scale.md#what-it-costs-to-run', /MB of memory/u],
];

test.each(QUESTIONS)('%s', async (_, place, answer) => {
  const [path = '', anchor = ''] = place.split('#');
  const page = await read(path);
  const lines = page.split('\n');
  const at = lines.findIndex((line) => /^#+ /u.test(line) && anchorsOf(line).includes(anchor));
  expect(at, place).toBeGreaterThan(-1);
  const level = /^#+/u.exec(lines[at] ?? '')?.[0].length ?? 1;
  const after = lines.slice(at + 1);
  const end = after.findIndex((line) => (/^#+(?= )/u.exec(line)?.[0].length ?? 9) <= level);
  expect(after.slice(0, end === -1 ? undefined : end).join('\n')).toMatch(answer);
});
