import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type Import,
  importsOf,
  readSources,
  type SourceFile,
  touchesProcess,
} from './support/source-imports.ts';

/** What each folder of `src`, and each file beside them, may import besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['app.ts', 'demo.ts', 'logger.ts', 'people', 'config', 'sandbox'],
  'demo.ts': ['app.ts', 'serve.ts', 'config'],
  'logger.ts': ['slack', 'lib'],
  'app.ts': ['app', 'serve.ts', ...everyFeature()],
  app: everyFeature(),
  'serve.ts': features(),
  approvals: features('people', 'notices'),
  tasks: features('people'),
  'test-cases': features('people'),
  people: features('notices'),
  notices: features(),
  // The rules on people say what they want to know of a Slack person; Slack's side answers in that form.
  slack: ['people/slack-person.ts', 'lib'],
  service: ['lib'],
  store: ['config', 'lib'],
  reconcile: ['store', 'lib'],
  // Messages that belong to a record and are posted once.
  posts: ['slack', 'store', 'reconcile', 'lib'],
  http: ['lib'],
  config: ['lib'],
  sandbox: ['lib'],
  lib: [],
};

function everyFeature(): string[] {
  return features('approvals', 'tasks', 'test-cases', 'people', 'notices');
}

function features(...more: string[]): string[] {
  return [...more, 'config', 'slack', 'service', 'store', 'reconcile', 'posts', 'http', 'lib'];
}

/** Packages that are hidden behind one folder. */
const OWNERS: readonly { readonly name: string; readonly may: RegExp }[] = [
  { name: '@slack/bolt', may: /^slack\/|(^|\/)listeners\.ts$/ },
  { name: '@slack/socket-mode', may: /^slack\// },
  { name: 'ws', may: /^sandbox\// },
  { name: '@slack/web-api', may: /^slack\// },
  { name: 'ioredis', may: /^store\/redis\// },
  { name: 'lmdb', may: /^store\/embedded\// },
  { name: 'preact', may: /^sandbox\/page\/client\// },
  { name: 'esbuild', may: /^sandbox\/page\/bundle-page\.ts$/ },
  { name: 'undici', may: /^service\// },
  // The guard of the folder asks the system whether the process that left its note still runs.
  { name: 'process', may: /^main\.ts$|^store\/embedded\// },
];

/** What runs in the browser begins here; it reads the types of the rest of its page and nothing else. */
const PAGE = 'sandbox/page/client/main.tsx';
const SHARED_WITH_PAGE = /^sandbox\/(page\/page-state|wire)\.ts$/;

/** Files that are started by themselves. */
const ENTRIES = ['main.ts', 'store/embedded/read-through.ts', PAGE];

/** Every breach, in words that name the file and the import. */
function breaches(files: readonly SourceFile[]): string[] {
  const imports = files.flatMap(importsOf);
  return [
    ...imports.flatMap(wrongDirection),
    ...imports.flatMap(wrongPackage),
    ...imports.flatMap(wrongForBrowser),
    ...files.filter(wrongProcess).map(({ path }) => `${path} touches process`),
    ...unreached(files, imports).map((path) => `${path} is imported by nothing`),
    ...cycles(files, imports).map((path) => `${path.join(' → ')} is a cycle`),
  ];
}

function wrongDirection({ from, to, isDynamic }: Import): string[] {
  if (to === '?') return [`${from} computes what it imports`];
  if (!/\.tsx?$/.test(to)) return [];
  const breach = [`${from} imports ${to}`];
  const [own, other] = [zoneOf(from), zoneOf(to)];
  if (own === other) return [];
  if (other === 'sandbox' && !isDynamic) return breach;
  const allowed = MAY_IMPORT[own] ?? [];
  return allowed.includes(other) || allowed.includes(to) ? [] : breach;
}

function wrongPackage({ from, to }: Import): string[] {
  const name = to.replace(/^node:/, '');
  const owner = OWNERS.find((each) => name === each.name || name.startsWith(`${each.name}/`));
  return owner === undefined || owner.may.test(from) ? [] : [`${from} imports ${to}`];
}

function wrongForBrowser({ from, to }: Import): string[] {
  const client = dirname(PAGE);
  const [isFrom, isTo] = [from.startsWith(client), to.startsWith(client)];
  if (!isFrom) return isTo ? [`${from} imports ${to}`] : [];
  const isServer = to.startsWith('node:') || (to.startsWith('sandbox/') && !isTo);
  return isServer && !SHARED_WITH_PAGE.test(to) ? [`${from} imports ${to}`] : [];
}

function wrongProcess(file: SourceFile): boolean {
  return file.path !== 'main.ts' && touchesProcess(file);
}

function zoneOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function unreached(files: readonly SourceFile[], imports: readonly Import[]): string[] {
  const reached = new Set(ENTRIES);
  for (const path of reached) {
    for (const { from, to } of imports) if (from === path) reached.add(to);
  }
  return files.map(({ path }) => path).filter((path) => !reached.has(path));
}

/** One path round each cycle that a walk from file to file comes upon. */
function cycles(files: readonly SourceFile[], imports: readonly Import[]): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) found.push([...trail.slice(at), path]);
    if (at !== -1 || done.has(path)) return;
    for (const { from, to } of imports) if (from === path) walk(to, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) walk(path, []);
  return found;
}

const folder = `${dirname(fileURLToPath(import.meta.url))}/../src`;

test('no file imports what it may not, and none is left over', async () => {
  const files = await readSources(folder);
  expect(files.length).toBeGreaterThan(100);
  expect(breaches(files)).toEqual([]);
});

test('every folder has its rule', async () => {
  const zones = new Set((await readSources(folder)).map(({ path }) => zoneOf(path)));
  expect([...zones].filter((zone) => MAY_IMPORT[zone] === undefined)).toEqual([]);
});

describe('the rules', () => {
  const main = (...imported: string[]) => ({
    path: 'main.ts',
    text: imported.map((path) => `import '${path}';`).join('\n'),
  });
  const app = (...imported: string[]) => [
    main('./app.ts'),
    { ...main(...imported), path: 'app.ts' },
  ];
  const world = (path: string, text: string, ...rest: SourceFile[]) => [
    ...app(`./${path}`, ...rest.map((file) => `./${file.path}`)),
    { path, text },
    ...rest,
  ];
  const empty = (path: string) => ({ path, text: '' });

  test.each<[string, readonly SourceFile[], string]>([
    [
      'one feature in another',
      world('tasks/a.ts', "import { b } from '../approvals/b.ts';", empty('approvals/b.ts')),
      'tasks/a.ts imports approvals/b.ts',
    ],
    [
      'a type of a feature in the store',
      world('store/a.ts', "import type { B } from '../approvals/b.ts';", empty('approvals/b.ts')),
      'store/a.ts imports approvals/b.ts',
    ],
    [
      'a type in the middle of a type',
      world('lib/a.ts', "type A = import('../slack/b.ts').B;", empty('slack/b.ts')),
      'lib/a.ts imports slack/b.ts',
    ],
    [
      'a re-export over several lines',
      world('lib/a.ts', "export {\n  b,\n  c,\n} from '../http/b.ts';", empty('http/b.ts')),
      'lib/a.ts imports http/b.ts',
    ],
    [
      'more of people in Slack than its form of a person',
      world('slack/a.ts', "import '../people/directory.ts';", empty('people/directory.ts')),
      'slack/a.ts imports people/directory.ts',
    ],
    [
      'Bolt outside the listeners',
      world('approvals/plan.ts', "import { App } from '@slack/bolt';"),
      'approvals/plan.ts imports @slack/bolt',
    ],
    [
      'a file of a package',
      world('http/a.ts', "import x from 'undici/lib/api.js';"),
      'http/a.ts imports undici/lib/api.js',
    ],
    [
      'the sandbox, even in main.ts, at the start',
      [main('./sandbox/a.ts'), empty('sandbox/a.ts')],
      'main.ts imports sandbox/a.ts',
    ],
    [
      'the program in the sandbox',
      [
        { path: 'main.ts', text: "await import('./sandbox/a.ts');" },
        { path: 'sandbox/a.ts', text: "import '../service/b.ts';" },
        empty('service/b.ts'),
      ],
      'sandbox/a.ts imports service/b.ts',
    ],
    [
      'the server in what runs in the browser',
      [
        main(),
        { path: PAGE, text: "import '../serve-page.ts';" },
        empty('sandbox/page/serve-page.ts'),
      ],
      `${PAGE} imports sandbox/page/serve-page.ts`,
    ],
    [
      'a path that is computed',
      world('lib/a.ts', 'await import(name);'),
      'lib/a.ts computes what it imports',
    ],
    [
      'the environment',
      world('lib/a.ts', 'const level = process.env.LEVEL;'),
      'lib/a.ts touches process',
    ],
    [
      'the process as a module',
      world('lib/a.ts', "import { env } from 'node:process';"),
      'lib/a.ts imports node:process',
    ],
    ['a file that is left over', [...app(), empty('lib/a.ts')], 'lib/a.ts is imported by nothing'],
    [
      'a cycle',
      world('lib/a.ts', "import './b.ts';", { path: 'lib/b.ts', text: "import './a.ts';" }),
      'lib/a.ts → lib/b.ts → lib/a.ts is a cycle',
    ],
  ])('find %s', (_what, files, breach) => {
    expect(breaches(files)).toEqual([breach]);
  });

  test('leave alone what is allowed, and what only a comment says', () => {
    const text = [
      "// import '../slack/b.ts' would be wrong; so would process.env",
      "/* import '../slack/b.ts' */",
      "import { b } from '../lib/b.ts';",
      'const done = queue.process.call(b);',
    ].join('\n');
    expect(breaches(world('http/a.ts', text, empty('lib/b.ts')))).toEqual([]);
  });
});
