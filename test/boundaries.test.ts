import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type Import,
  importsOf,
  importsSystem,
  readProgram,
  readSources,
  type SourceFile,
  touchesProcess,
  touchesTime,
  withoutComments,
} from './support/source-imports.ts';

/** Pieces of the program that the package `ask` contains too: they know no record, no store and no configuration. */
const ON_TERMINALS = ['cli/moving-line.ts', 'cli/output.ts', 'cli/terminal.ts'];
const OF_CLIENTS = ofCore(
  'config/also.ts',
  'config/environment.ts',
  'config/proxies.ts',
  'config/values.ts',
  'http/exchange.ts',
  'identity-tokens/claims.ts',
  'lib',
);

/** Each folder of `src`, or its subfolders if they have rules of their own, with the folders it can import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  // The package: the command, and what it shares with the intake. It knows nothing of the program but these.
  '../ask/contract': ofCore('lib'),
  '../ask/build.ts': ['../scripts'],
  '../ask': ['../ask/contract', ...ON_TERMINALS, ...OF_CLIENTS],
  'main.ts': ['../ask', 'app', 'cli', 'core'],
  app: ['approvals', 'operations', 'core'],
  cli: [
    ...ON_TERMINALS,
    ...['../ask', 'app/configuration.ts', 'app/features.ts'],
    ...['approvals', 'operations', 'core'],
  ],
  // Each knows only the folders after it: a transition returns codes and facts, whoever says them.
  'approvals/ways-in': ofApprovals('tell', 'decision', 'electorate'),
  'approvals/tell': ofApprovals('decision', 'electorate'),
  'approvals/decision': ofApprovals('electorate'),
  'approvals/electorate': ofApprovals(),
  'approvals/approval-flow.ts': ['approvals', 'core'],
  'approvals/plan.ts': ['approvals', 'core'],
  'approvals/steps.ts': ['approvals', 'core'],
  // The record.
  approvals: ['core'],
  'operations/tasks': ['operations/batch', 'operations/flow', 'core'],
  'operations/test-cases': ['operations/batch', 'operations/flow', 'core'],
  'operations/accounts': ['operations/flow', 'core'],
  'operations/batch': [
    'operations/flow',
    ...ofCore('core.ts', 'posts', 'slack', 'engine', 'store', 'lib'),
  ],
  'operations/catalogue': ['core'],
  // Each feature defines its calls to the service, and who can make them.
  'operations/flow': ofCore('core.ts', 'posts', 'slack', 'engine', 'store', 'lib'),
  // Made of what is below it, as one value, for features and for `core/people`.
  'core/core.ts': ['core'],
  'core/report-route.ts': ['core'],
  'core/people': ofCore(
    'core.ts',
    'alerts',
    'slack',
    'service',
    'engine',
    'store',
    'config',
    'lib',
  ),
  'core/alerts': ofCore('slack', 'engine', 'store', 'config', 'lib'),
  'core/posts': ofCore('slack', 'engine', 'store', 'lib'),
  'core/engine': ofCore('store', 'lib'),
  'core/slack': ofCore('http/exchange.ts', 'lib'),
  'core/service': ofCore('http/exchange.ts', 'lib'),
  'core/store': ofCore('config', 'lib'),
  // A source proves who asks; without such a source nothing of it is loaded.
  'core/identity-tokens': ofCore('alerts', 'slack/text.ts', 'config', 'http', 'lib'),
  'core/config': ofCore('identity-tokens/presets.ts', 'identity-tokens/claims.ts', 'lib'),
  'core/http': ofCore('lib'),
  'core/lib': [],
};

function ofCore(...rooms: string[]): string[] {
  return rooms.map((room) => `core/${room}`);
}

/** Of the folders of approvals, these; all know the record. */
function ofApprovals(...rooms: string[]): string[] {
  const record = [
    'acted-at.ts',
    'alert.ts',
    'approval.ts',
    'digest.ts',
    'failure.ts',
    'history.ts',
    'lists.ts',
    'schedule.ts',
    'stored-approval.ts',
  ];
  return [...[...record, ...rooms].map((room) => `approvals/${room}`), '../ask/contract', 'core'];
}

/** Packages that only one folder may use. */
const OWNERS: readonly { readonly name: string; readonly may: RegExp }[] = [
  { name: '@slack/bolt', may: /^core\/slack\/|\/slack\.ts$/ },
  { name: '@slack/socket-mode', may: /^core\/slack\// },
  { name: '@slack/web-api', may: /^core\/slack\// },
  { name: 'ioredis', may: /^core\/store\/redis\// },
  { name: 'lmdb', may: /^core\/store\/embedded\// },
  // Loaded at the first message of an agent.
  { name: '@modelcontextprotocol/server', may: /^approvals\/ways-in\/mcp\// },
  { name: 'jose', may: /^core\/identity-tokens\// },
  { name: 'undici', may: /^core\/http\/exchange\.ts$/ },
  // The folder's guard asks the system whether the process that left its note still runs.
  {
    name: 'process',
    may: /^main\.ts$|^\.\.\/ask\/(?:own-process|main|build)\.ts$|^core\/store\/embedded\//,
  },
];

/** Files that are programs of their own. */
/** The last is imported by scripts/slack-hook.ts alone, so that no build has it. */
const ENTRIES = [
  'main.ts',
  '../ask/main.ts',
  '../ask/build.ts',
  'core/store/embedded/read-through.ts',
  'cli/setup/slack-run.ts',
];

/** Every violation, with the file and the import. */
function breaches(files: readonly SourceFile[]): string[] {
  const imports = files.flatMap(importsOf);
  return [
    ...imports.flatMap(wrongDirection),
    ...imports.flatMap((each) => wrongPackage(each, OWNERS)),
    ...files.filter(wrongProcess).map(({ path }) => `${path} touches process`),
    ...files.filter(wrongTime).map(({ path }) => `${path} has a time or chance of its own`),
    ...unreached(files, imports, ENTRIES),
    ...cycles(files, imports),
  ];
}

function wrongDirection({ from, to }: Import): string[] {
  // The demo, which a build puts beside it: see `demo` there.
  if (to === '?' && from === 'main.ts') return [];
  if (to === '?') return [`${from} computes what it imports`];
  if (!/\.tsx?$/.test(to)) return [];
  const [own, other] = [zoneOf(from), zoneOf(to)];
  if (own === undefined) return [`${from} has no rule`];
  if (own === other) return [];
  const isAllowed = MAY_IMPORT[own]?.some((zone) => isIn(zone, to));
  return isAllowed ? [] : [`${from} imports ${to}`];
}

function wrongPackage({ from, to }: Import, owners: typeof OWNERS): string[] {
  const name = to.replace(/^node:/, '');
  const owner = owners.find((each) => name === each.name || name.startsWith(`${each.name}/`));
  return owner === undefined || owner.may.test(from) ? [] : [`${from} imports ${to}`];
}

const PROGRAM =
  /^main\.ts$|^core\/store\/embedded\/read-through\.ts$|^\.\.\/ask\/(?:own-process|main)\.ts$/;

function wrongProcess(file: SourceFile): boolean {
  return !PROGRAM.test(file.path) && touchesProcess(file);
}

/** The real clock, timers and randomness, which are passed in elsewhere. */
const SYSTEM = /^core\/lib\/(clock|timers|random|system)\.ts$/;
/** Programs, or files that assemble one: they pass the system on. */
const HANDS_ON =
  /^((?:\.\.\/ask\/)?main\.ts|app\/.*|cli\/.*session\.ts|core\/store\/embedded\/read-through\.ts)$/;

/** Time and randomness are arguments, so that a whole Gatepost can run in simulated time. */
function wrongTime(file: SourceFile): boolean {
  const { path } = file;
  if (SYSTEM.test(path)) return false;
  return touchesTime(file) || (importsSystem(file) && !HANDS_ON.test(path));
}

function zoneOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((zone) => isIn(zone, path));
}

function isIn(zone: string, path: string): boolean {
  return path === zone || path.startsWith(`${zone}/`);
}

function unreached(
  files: readonly SourceFile[],
  imports: readonly Import[],
  entries: readonly string[],
): string[] {
  const reached = new Set(entries);
  for (const path of reached) {
    for (const { from, to } of imports) if (from === path) reached.add(to);
  }
  const left = files.filter(({ path }) => !reached.has(path));
  return left.map(({ path }) => `${path} is imported by nothing`);
}

/** One path for each cycle of imports. */
function cycles(files: readonly SourceFile[], imports: readonly Import[]): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) found.push(`${[...trail.slice(at), path].join(' → ')} is a cycle`);
    if (at !== -1 || done.has(path)) return;
    for (const { from, to } of imports) if (from === path) walk(to, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) walk(path, []);
  return found;
}

/**
 * The sandbox, with paths that start with `sandbox`. It knows nothing of the product, or it would repeat its mistakes;
 * only the demo, which starts the real bot, does.
 */
const DEMO = 'demo.ts';
/** The command of the package, and the file that builds the package. */
const CLI = 'cli.ts';
const BUILD = 'build.ts';
/** The entry of the browser program; it imports the rest of the page only as types. */
const PAGE = 'page/client/main.tsx';
const PANEL = 'backstage/client/main.tsx';
const IN_BROWSER = /^(page|backstage)\/client\//;
const SHARED_WITH_BROWSER = /^(page\/page-state|backstage\/backstage-state|wire)\.ts$/;
/**
 * The workspace is a package for anybody. The product's own additions are not part of it, and it does not know them.
 */
const OF_THE_PRODUCT =
  /^(automation|backstage|service)\/|^(credentials|demo|sandbox|start-sandbox)\.ts$/;
const SANDBOX_OWNERS: typeof OWNERS = [
  { name: 'preact', may: IN_BROWSER },
  { name: 'esbuild', may: /^(page\/serve-page|build)\.ts$/ },
  { name: 'process', may: /^(demo|cli)\.ts$|^test\// },
  // Packages of the repository as a whole, such as those that check and compile it.
  { name: 'vitest', may: /^test\// },
  { name: '@slack/bolt', may: /^test\/apps\// },
];

/** Every violation in the sandbox. @param packages its own dependencies */
function sandboxBreaches(files: readonly SourceFile[], packages: readonly string[]): string[] {
  const imports = files.flatMap(importsOf);
  const known = [...packages, ...SANDBOX_OWNERS.map(({ name }) => name)];
  const isTest = (path: string) => path.startsWith('test/');
  const program = files.filter(({ path }) => !isTest(path));
  const programImports = imports.filter(({ from }) => !isTest(from));
  const breaches = [
    ...imports.filter((each) => isOutside(each) || isUnlisted(each, known)).map(inWords),
    ...imports.flatMap((each) => wrongPackage(each, SANDBOX_OWNERS)),
    ...programImports.filter(({ to }) => isTest(to)).map(inWords),
    ...programImports.filter(wrongForBrowser).map(inWords),
    ...programImports
      .filter(({ from, to }) => OF_THE_PRODUCT.test(to) && !OF_THE_PRODUCT.test(from))
      .map(inWords),
    ...program
      .filter((file) => ![DEMO, CLI].includes(file.path) && touchesProcess(file))
      .map(({ path }) => `${path} touches process`),
    ...unreached(program, programImports, [DEMO, CLI, BUILD, PAGE, PANEL]),
    ...cycles(files, imports),
  ];
  return breaches.map((breach) => `sandbox/${breach}`);
}

function inWords({ from, to }: Import): string {
  return `${from} imports ${to}`;
}

function isOutside({ from, to }: Import): boolean {
  return to.startsWith('../') && !(from === DEMO && to.startsWith('../src/'));
}

/** A package of the product, or one that is installed by chance; a computed path. */
function isUnlisted({ to }: Import, packages: readonly string[]): boolean {
  const isPackage = !to.startsWith('node:') && !/\.(tsx?|css|json)$/.test(to);
  return isPackage && !packages.some((name) => to === name || to.startsWith(`${name}/`));
}

function wrongForBrowser({ from, to }: Import): boolean {
  const isTo = IN_BROWSER.test(to);
  if (!IN_BROWSER.test(from)) return isTo;
  const isServer = to.startsWith('node:') || (/\.ts$/.test(to) && !isTo);
  return isServer && !SHARED_WITH_BROWSER.test(to);
}

const root = `${dirname(fileURLToPath(import.meta.url))}/..`;
const folder = `${root}/src`;

test('no file has a forbidden import, and none is unused', async () => {
  const files = await readProgram();
  expect(files.length).toBeGreaterThan(100);
  expect(breaches(files)).toEqual([]);
});

test('the package ask reaches nothing of the program but what is listed, and its own packages', async () => {
  const files = await readProgram();
  const imports = files.flatMap(importsOf);
  const reached = new Set(['../ask/main.ts']);
  for (const path of reached) {
    for (const { from, to } of imports) if (from === path) reached.add(to);
  }
  const others = [...reached].filter((path) => !path.startsWith('node:'));
  const { devDependencies } = JSON.parse(await readFile(`${root}/ask/package.json`, 'utf8'));
  expect(others.filter((path) => !/\.ts$/.test(path)).sort()).toEqual(
    Object.keys(devDependencies).filter((name) => name !== 'esbuild'),
  );
  const allowed = [...ON_TERMINALS, ...OF_CLIENTS, '../ask'];
  const isAllowed = (path: string) => allowed.some((zone) => isIn(zone, path));
  expect(others.filter((path) => /\.ts$/.test(path) && !isAllowed(path))).toEqual([]);
});

test('engine and store know no word of a feature', async () => {
  const files = await readSources(`${folder}/core`);
  const own = files.filter(({ path }) => /^(?:engine|store)\//.test(path));
  expect(own.length).toBeGreaterThan(40);
  const words = /\b(?:ballots?|reviewers?|quorum|gates?|absen(?:ce|t)|electorate|work items?)\b/i;
  const found = own.flatMap(({ path, text }) => {
    const [word] = words.exec(withoutComments(text)) ?? [];
    return word === undefined ? [] : [`${path}: ${word}`];
  });
  expect(found).toEqual([]);
});

test('the one path that main.ts computes is that of the demo', async () => {
  const main = (await readSources(folder)).find(({ path }) => path === 'main.ts')?.text ?? '';
  expect(main.match(/import\((?!').*?\)/g)).toEqual(['import(file.href)']);
  expect(main.match(/const file = .*/g)).toEqual([
    "const file = new URL('demo.js', import.meta.url);",
  ]);
});

test('the sandbox imports nothing of the product, but to start the bot in its demo', async () => {
  const files = await readSources(`${root}/sandbox`);
  expect(files.length).toBeGreaterThan(100);
  const { devDependencies } = JSON.parse(await readFile(`${root}/sandbox/package.json`, 'utf8'));
  expect(sandboxBreaches(files, Object.keys(devDependencies))).toEqual([]);
});

test('the code that judges simulation runs imports nothing from the product', async () => {
  const judge =
    /^(absent|closed-then|evidence|claims|case|checker|enough|group-by|newer|places|story)\.ts$|^checks\//;
  const files = (await readSources(`${root}/proof/simulation`)).filter(({ path }) =>
    judge.test(path),
  );
  expect(files.length).toBeGreaterThan(8);
  const isForeign = ({ to }: Import) => !judge.test(to) && !to.startsWith('node:');
  const foreign = files.flatMap(importsOf).filter(isForeign);
  expect(foreign.map(inWords)).toEqual([]);
});

test('the chaos runs the product and imports nothing of it', async () => {
  const files = await readSources(`${root}/proof/chaos`);
  expect(files.length).toBeGreaterThan(8);
  const foreign = files.flatMap(importsOf).filter(({ to }) => to.startsWith('../../src/'));
  expect(foreign.map(inWords)).toEqual([]);
});

test('every file belongs to a zone with import rules, and every zone has files', async () => {
  const zones = (await readProgram()).map(({ path }) => zoneOf(path) ?? path);
  expect([...new Set(zones)].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

describe('the import rules', () => {
  const main = (...imported: string[]) => ({
    path: 'main.ts',
    text: imported.map((path) => `import '${path}';`).join('\n'),
  });
  const app = (...imported: string[]) => [
    main('./app/app.ts'),
    { ...main(...imported), path: 'app/app.ts' },
  ];
  const world = (path: string, text: string, ...rest: SourceFile[]) => [
    ...app(`../${path}`, ...rest.map((file) => `../${file.path}`)),
    { path, text },
    ...rest,
  ];
  const empty = (path: string) => ({ path, text: '' });

  test.each<[string, readonly SourceFile[], string]>([
    [
      'one feature in another',
      world(
        'operations/tasks/a.ts',
        "import { b } from '../accounts/b.ts';",
        empty('operations/accounts/b.ts'),
      ),
      'operations/tasks/a.ts imports operations/accounts/b.ts',
    ],
    [
      'an approval in an operation',
      world(
        'operations/flow/a.ts',
        "import { b } from '../../approvals/b.ts';",
        empty('approvals/b.ts'),
      ),
      'operations/flow/a.ts imports approvals/b.ts',
    ],
    [
      'a sentence in a transition',
      world(
        'approvals/decision/a.ts',
        "import { b } from '../tell/b.ts';",
        empty('approvals/tell/b.ts'),
      ),
      'approvals/decision/a.ts imports approvals/tell/b.ts',
    ],
    [
      'a type of a feature in the store',
      world(
        'core/store/a.ts',
        "import type { B } from '../../approvals/b.ts';",
        empty('approvals/b.ts'),
      ),
      'core/store/a.ts imports approvals/b.ts',
    ],
    [
      'a type in the middle of a type',
      world('core/lib/a.ts', "type A = import('../slack/b.ts').B;", empty('core/slack/b.ts')),
      'core/lib/a.ts imports core/slack/b.ts',
    ],
    [
      'a re-export over several lines',
      world(
        'core/lib/a.ts',
        "export {\n  b,\n  c,\n} from '../http/b.ts';",
        empty('core/http/b.ts'),
      ),
      'core/lib/a.ts imports core/http/b.ts',
    ],
    [
      'more of HTTP in Slack than its calls',
      world('core/slack/a.ts', "import '../http/router.ts';", empty('core/http/router.ts')),
      'core/slack/a.ts imports core/http/router.ts',
    ],
    [
      'a call of the service in the flow of operations',
      world(
        'operations/flow/a.ts',
        "import '../../core/service/b.ts';",
        empty('core/service/b.ts'),
      ),
      'operations/flow/a.ts imports core/service/b.ts',
    ],
    [
      'people in Slack',
      world(
        'core/slack/a.ts',
        "import '../people/directory.ts';",
        empty('core/people/directory.ts'),
      ),
      'core/slack/a.ts imports core/people/directory.ts',
    ],
    [
      'Bolt outside slack.ts',
      world('approvals/plan.ts', "import { App } from '@slack/bolt';"),
      'approvals/plan.ts imports @slack/bolt',
    ],
    [
      'a file of a package',
      world('core/http/a.ts', "import x from 'undici/lib/api.js';"),
      'core/http/a.ts imports undici/lib/api.js',
    ],
    [
      'the sandbox in main.ts, even when it is asked for',
      [{ path: 'main.ts', text: "await import('../sandbox/start-sandbox.ts');" }],
      'main.ts imports ../sandbox/start-sandbox.ts',
    ],
    [
      'a path that is computed',
      world('core/lib/a.ts', 'await import(name);'),
      'core/lib/a.ts computes what it imports',
    ],
    [
      'the environment',
      world('core/lib/a.ts', 'const level = process.env.LEVEL;'),
      'core/lib/a.ts touches process',
    ],
    [
      'the process as a module',
      world('core/lib/a.ts', "import { env } from 'node:process';"),
      'core/lib/a.ts imports node:process',
    ],
    [
      'a timer',
      world('core/http/a.ts', 'const timer = setTimeout(() => end(), 5);'),
      'core/http/a.ts has a time or chance of its own',
    ],
    [
      'a clock that is read past what is given',
      world('core/store/a.ts', 'const at = new Date().toISOString();'),
      'core/store/a.ts has a time or chance of its own',
    ],
    [
      'chance',
      world('core/slack/a.ts', "import { randomUUID } from 'node:crypto';"),
      'core/slack/a.ts has a time or chance of its own',
    ],
    [
      "the machine's clock as what is used without another",
      world(
        'core/store/a.ts',
        "import { type Clock, systemClock } from '../lib/clock.ts';",
        empty('core/lib/clock.ts'),
      ),
      'core/store/a.ts has a time or chance of its own',
    ],
    [
      'a file that is left over',
      [...app(), empty('core/lib/a.ts')],
      'core/lib/a.ts is imported by nothing',
    ],
    [
      'a cycle',
      world('core/lib/a.ts', "import './b.ts';", {
        path: 'core/lib/b.ts',
        text: "import './a.ts';",
      }),
      'core/lib/a.ts → core/lib/b.ts → core/lib/a.ts is a cycle',
    ],
  ])('find %s', (_what, files, breach) => {
    expect(breaches(files)).toEqual([breach]);
  });

  const demo = (...imported: string[]) => [{ ...main(...imported), path: DEMO }];

  test.each<[string, readonly SourceFile[], string]>([
    [
      'the program in the sandbox',
      [...demo('./a.ts'), { path: 'a.ts', text: "import '../src/core/lib/clock.ts';" }],
      'sandbox/a.ts imports ../src/core/lib/clock.ts',
    ],
    [
      'a type of the program in a test of the sandbox',
      [...demo(), { path: 'test/a.test.ts', text: "type A = import('../../src/lib/b.ts').B;" }],
      'sandbox/test/a.test.ts imports ../src/lib/b.ts',
    ],
    [
      'more than the program in the demo',
      demo('../src/app/app.ts', '../test/support/world.ts'),
      'sandbox/demo.ts imports ../test/support/world.ts',
    ],
    [
      'a package that is not its own',
      [...demo('./a.ts'), { path: 'a.ts', text: "import { Redis } from 'ioredis';" }],
      'sandbox/a.ts imports ioredis',
    ],
    [
      'the server in what runs in the browser',
      [
        ...demo('./page/serve-page.ts'),
        { path: PAGE, text: "import '../serve-page.ts';" },
        empty('page/serve-page.ts'),
      ],
      `sandbox/${PAGE} imports page/serve-page.ts`,
    ],
    [
      'the service in the workspace',
      [
        ...demo('./workspace/a.ts', './service/b.ts'),
        { path: 'workspace/a.ts', text: "import type { B } from '../service/b.ts';" },
        empty('service/b.ts'),
      ],
      'sandbox/workspace/a.ts imports service/b.ts',
    ],
    [
      'what is behind the scenes in the page',
      [
        { path: PAGE, text: "import './a.tsx';" },
        { path: PANEL, text: "import './b.tsx';" },
        { path: 'page/client/a.tsx', text: "import '../../backstage/client/b.tsx';" },
        empty('backstage/client/b.tsx'),
      ],
      'sandbox/page/client/a.tsx imports backstage/client/b.tsx',
    ],
    [
      'the process outside the demo',
      [...demo('./a.ts'), { path: 'a.ts', text: 'const level = process.env.LEVEL;' }],
      'sandbox/a.ts touches process',
    ],
    [
      'what only tests use',
      [...demo(), empty('a.ts'), { path: 'test/a.test.ts', text: "import '../a.ts';" }],
      'sandbox/a.ts is imported by nothing',
    ],
  ])('find %s', (_what, files, breach) => {
    expect(sandboxBreaches(files, ['ws'])).toEqual([breach]);
  });

  test('accept allowed imports, and ignore comments', () => {
    const text = [
      "// import '../slack/b.ts' would be wrong; so would process.env",
      "/* import '../slack/b.ts' */",
      "import { b, type Clock, type System } from '../lib/b.ts';",
      'const at = new Date(clock.now()); // not Date.now()',
      'const done = queue.process.call(b);',
    ].join('\n');
    expect(breaches(world('core/http/a.ts', text, empty('core/lib/b.ts')))).toEqual([]);
  });
});
