import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { APPROVAL_ALERTS } from '../src/approvals/alert.ts';
import { accountsRefused, addressHidden, keyRefused } from '../src/core/alerts/key-alerts.ts';
import { SECRETS, VARIABLES, variablesTable } from '../src/core/config/variables.ts';
import { REQUIRED_SCOPES } from '../src/core/slack/scopes.ts';
import { readWith } from './core/config/environment-of-tests.ts';
import { anchorsOf, sectionOf } from './support/headings.ts';
import { readSources } from './support/source-imports.ts';

/** Each folder has a page. */
const INTEGRATIONS = (await readdir(new URL('../integrations', import.meta.url))).filter(
  (name) => name !== 'README.md',
);

const DOCUMENTS = [
  'README.md',
  'docs/approvers.md',
  'docs/asking.md',
  'docs/intake.md',
  'docs/people.md',
  'docs/architecture.md',
  'docs/configuration.md',
  'docs/how-it-works.md',
  'docs/identity.md',
  'docs/logs-and-metrics.md',
  'docs/operations.md',
  'docs/sandbox.md',
  'docs/security.md',
  'docs/service.md',
  'docs/setup.md',
  'docs/slack.md',
  'docs/troubleshooting.md',
  'docs/work-items.md',
  'docs/README.md',
  'CONTRIBUTING.md',
  'proof/README.md',
  'proof/claims.md',
  'proof/bench/README.md',
  'proof/bench/results.md',
  'proof/removable/README.md',
  'proof/simulation/README.md',
  'proof/simulation/protocol/README.md',
  'sandbox/README.md',
  'sandbox/service/README.md',
  'proof/chaos/README.md',
  'proof/fuzz/README.md',
  'integrations/README.md',
  ...INTEGRATIONS.map((folder) => `integrations/${folder}/README.md`),
];

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');

test('the table of variables in docs/configuration.md matches the variables that the program reads', async () => {
  const [, table] =
    /<!-- variables:[^>]*-->\n([\s\S]*?)\n<!-- \/variables -->/.exec(
      await read('docs/configuration.md'),
    ) ?? [];
  expect(table?.trim()).toBe(variablesTable());
});

/** Alerts whose key contains an id, or the name of a store. */
const OTHER_ALERTS = [
  ...['people.changed', 'people.lost', 'people.taken', 'people.asks', 'people.left'],
  'people.several',
  ...['records.stuck', 'audit.cut', 'audit.changed', 'audit.stream', 'service.unreachable'],
  'sources.keys',
  ...['store.redis', 'store.redis-part', 'store.embedded'],
];

test('the table of administrator alerts in docs/configuration.md lists every alert and no other', async () => {
  const page = await read('docs/configuration.md');
  const [, table = ''] = /### What administrators are told\n([\s\S]*?)\n## /.exec(page) ?? [];
  const causes = [...table.matchAll(/^\|.*\| ((?:`[\w.-]+`(?:, )?)+) \|$/gm)].map(([, cell = '']) =>
    [...cell.matchAll(/`([\w.-]+)`/g)].map(([, cause]) => cause),
  );
  const others = [keyRefused(), accountsRefused('401'), addressHidden('U0ANA')].map(
    ({ about }) => about,
  );
  const known = [...APPROVAL_ALERTS, ...others, ...OTHER_ALERTS];
  expect(causes.flat().toSorted()).toEqual(known.toSorted());
  const sources = await readSources(new URL('../src', import.meta.url).pathname);
  const begun = sources.flatMap(({ text }) => [...text.matchAll(/\babout: [`']([a-z.-]+)/g)]);
  const written = begun.map(([, words = '']) => words.replace(/\.$/, ''));
  expect(written.filter((words) => !known.some((each) => each.startsWith(words)))).toEqual([]);
});

test('the table of packages lists every production dependency with its licence', async () => {
  const { dependencies } = JSON.parse(await read('package.json'));
  const licences = Object.keys(dependencies).map(async (name) => {
    const { license } = JSON.parse(await read(`node_modules/${name}/package.json`));
    return `${name} ${license}`;
  });
  const table = sectionOf(await read('CONTRIBUTING.md'), 'what-it-is-made-of');
  const rows = [...table.matchAll(/^\| `([^`]+)` \| (\S+) \|/gm)];
  expect(rows.map(([, name, licence]) => `${name} ${licence}`)).toEqual(
    await Promise.all(licences),
  );
});

test('every variable that the documents name exists', async () => {
  // For `ask` and similar commands, which call a running Gatepost: the bot itself does not read them.
  const ofClients = [
    ...['GATEPOST_URL', 'GATEPOST_REQUESTED_BY', 'GATEPOST_ID_TOKEN', 'GATEPOST_AUDIENCE'],
  ];
  const files = SECRETS.map((name) => `${name}_FILE`);
  const known = new Set<string>([...VARIABLES.map(({ name }) => name), ...files, ...ofClients]);
  for (const name of [
    ...DOCUMENTS,
    'Dockerfile',
    'compose.yaml',
    'compose.simple.yaml',
    '.env.sample',
  ]) {
    const named =
      (await read(name)).match(/\b(GATEPOST|SLACK|SERVICE|REDIS|SCIM|DATA|LOG)_[A-Z_]+\b/g) ?? [];
    expect(
      named.filter((variable) => !known.has(variable)),
      name,
    ).toEqual([]);
  }
});

test('every script that the documents tell people to run exists', async () => {
  const scripts = Object.keys(JSON.parse(await read('package.json')).scripts);
  for (const name of ['README.md', 'CONTRIBUTING.md', 'proof/README.md']) {
    const named = [...(await read(name)).matchAll(/npm run ([a-z:-]+)/g)].map(
      ([, script]) => script,
    );
    expect(
      named.filter((script) => !scripts.includes(script ?? '')),
      name,
    ).toEqual([]);
  }
});

test('the README starts with an animated picture, and a still one for reduced motion', async () => {
  const [picture = ''] = /<picture>[\s\S]*?<\/picture>/.exec(await read('README.md')) ?? [];
  expect(picture).toMatch(
    /media="\(prefers-reduced-motion: reduce\)" srcset="docs\/ask-still.png"/,
  );
  expect(picture).toMatch(/<img src="docs\/ask.png" alt="[^"]{40,}"/);
  const [moving, still] = await Promise.all(
    ['docs/ask.png', 'docs/ask-still.png'].map((name) =>
      readFile(new URL(`../${name}`, import.meta.url)),
    ),
  );
  expect(moving?.includes('acTL')).toBe(true);
  expect(moving?.length).toBeLessThan(2_000_000);
  expect(still?.includes('acTL')).toBe(false);
  expect(await read('CONTRIBUTING.md')).toContain('npm run pictures');
});

test('every file that the documents link to exists', async () => {
  for (const name of [
    ...DOCUMENTS,
    'CHANGELOG.md',
    'proof/bench/README.md',
    'proof/bench/results.md',
  ]) {
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    const links = [...(await read(name)).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)];
    for (const [, link] of links) {
      await expect(
        access(new URL(`../${folder}${link}`, import.meta.url)),
        `${name}: ${link}`,
      ).resolves.toBeUndefined();
    }
  }
});

test('every heading that the documents link to exists', async () => {
  const pages = [
    ...DOCUMENTS,
    'CHANGELOG.md',
    'SECURITY.md',
    'proof/bench/README.md',
    'proof/bench/results.md',
  ];
  const missing = pages.map(async (name) => {
    const text = await read(name);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const checked = links.map(async ([, path = '', anchor = '']) => {
      const target = path === '' ? name : new URL(path, `file:///${name}`).pathname.slice(1);
      const anchors = target.endsWith('.md') ? anchorsOf(await read(target)) : [anchor];
      return anchors.includes(anchor) ? [] : [`${name}: ${path}#${anchor}`];
    });
    return (await Promise.all(checked)).flat();
  });
  expect((await Promise.all(missing)).flat()).toEqual([]);
});

test('the manifest asks for exactly the scopes that the bot needs', async () => {
  const manifest = parse(await read('manifest.yml'));
  expect([...manifest.oauth_config.scopes.bot].sort()).toEqual(Object.keys(REQUIRED_SCOPES).sort());
  const { interactivity, event_subscriptions: events } = manifest.settings;
  for (const { request_url } of [interactivity, events])
    expect(request_url).toMatch(/\/slack\/events$/);
});

test('the table of scopes in docs/slack.md is that of the program', async () => {
  const [, table] =
    /<!-- scopes:[^>]*-->\n([\s\S]*?)\n<!-- \/scopes -->/.exec(await read('docs/slack.md')) ?? [];
  const rows = Object.entries(REQUIRED_SCOPES).map(([scope, why]) => `| \`${scope}\` | ${why} |`);
  expect(table?.split('\n').slice(2)).toEqual(rows);
});

test('the table of events in docs/slack.md lists those of the manifest', async () => {
  const page = await read('docs/slack.md');
  const [, table = ''] = /^## Events\n([\s\S]*?)^## /m.exec(page) ?? [];
  const listed = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z_]+)`/g)].map(([, event]) => event),
  );
  const manifest = parse(await read('manifest.yml'));
  expect(listed.toSorted()).toEqual(manifest.settings.event_subscriptions.bot_events.toSorted());
});

test('what docs/security.md says about how long data is kept are the defaults', async () => {
  const table = sectionOf(await read('docs/security.md'), 'what-is-stored');
  const taken = readWith(`sources: [{ id: a, secret: INTAKE_DEPLOYS, routes: [r] }]
routes: { r: { channel: C0PROD, reviewers: { users: [U0ANA] } } }
`);
  if (!taken.ok) throw new Error('the settings are refused');
  const { doneMs, auditMs } = taken.config.retention;
  expect(table).toContain(`\`retention.done\` (${doneMs / 86_400_000} days)`);
  expect(table).toContain(`\`retention.audit\` (${auditMs / 86_400_000} days)`);
});

test('the README stays short', async () => {
  const words = (await read('README.md')).split(/\s+/).filter((word) => word !== '');
  expect(words.length).toBeLessThanOrEqual(900);
});

test('nothing sends people to the README for what another page says', async () => {
  const folders = ['src', 'ask/contract', 'integrations', '.github', '.slack'].map(
    async (folder) => {
      const root = new URL(`../${folder}`, import.meta.url);
      const files = await readdir(root, { recursive: true, withFileTypes: true });
      return files.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
    },
  );
  const others = ['Dockerfile', 'compose.yaml', 'compose.simple.yaml', '.env.sample'];
  const examples = ['gatepost.example.yaml', 'manifest.yml', ...others].map((name) =>
    fileURLToPath(new URL(`../${name}`, import.meta.url)),
  );
  for (const path of [...(await Promise.all(folders)).flat(), ...examples]) {
    const text = await readFile(path, 'utf8');
    expect(/\bREADME\b(?!\.md)/.exec(text)?.[0], path).toBeUndefined();
    const pages = [...text.matchAll(/\bdocs\/([\w-]+\.md)/g)].map(([, page]) => page);
    for (const page of pages) {
      await expect(access(new URL(`../docs/${page}`, import.meta.url)), path).resolves.toBe(
        undefined,
      );
    }
  }
});

test('the first request in the README is valid', async () => {
  const { approvalRequest } = await import('../src/approvals/ways-in/approval-request.ts');
  const [, json] = /```json\n([\s\S]*?)```/.exec(await read('README.md')) ?? [];
  expect(approvalRequest.safeParse(JSON.parse(json ?? '')).success).toBe(true);
});

test('the reports in the guide to work items and test cases are valid', async () => {
  const { taskRequest } = await import('../src/operations/tasks/task-request.ts');
  const { catalogueRequest } = await import('../src/operations/catalogue/catalogue-request.ts');
  const guide = await read('docs/work-items.md');
  const blocks = [...guide.matchAll(/```json\n([\s\S]*?)```/g)];
  const [item = '', project = ''] = blocks.map(([, text = '']) => text);
  expect(taskRequest.safeParse(JSON.parse(item)).success).toBe(true);
  expect(catalogueRequest.safeParse(JSON.parse(project)).success).toBe(true);
});

/** Documents that guide through the code. */
const GUIDES = ['CONTRIBUTING.md', 'docs/architecture.md'];

/** What a guide says about locations: "`plan` in `src/approvals/plan.ts`". */
async function namedIn(guide: string): Promise<{ name: string; path: string }[]> {
  const named = (await read(guide)).matchAll(
    /`(\w+)` in `((?:src|ask|sandbox|test|proof)\/[\w/.-]+)`/g,
  );
  return [...named].map(([, name = '', path = '']) => ({ name, path }));
}

test.each(GUIDES)('every file and folder that %s names exists', async (guide) => {
  const named = (await read(guide)).matchAll(/`((?:src|ask|sandbox|test|docs|proof)\/[\w/.-]+)`/g);
  const paths = [...named].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(5);
  const exists = (path: string) =>
    access(new URL(`../${path}`, import.meta.url)).then(
      () => true,
      () => false,
    );
  const missing = await Promise.all(
    paths.map(async (path) => ((await exists(path)) ? [] : [path])),
  );
  expect(missing.flat()).toEqual([]);
});

test.each(GUIDES)('every name that %s places in a file is declared there', async (guide) => {
  const named = await namedIn(guide);
  expect(named.length).toBeGreaterThan(5);
  const missing = await Promise.all(
    named.map(async ({ name, path }) => {
      const declared = new RegExp(
        `(?:\\b(?:function|class|interface|type|const) ${name}\\b)|(?:^  ${name}\\()`,
        'm',
      );
      return declared.test(await read(path)) ? [] : [`${name} in ${path}`];
    }),
  );
  expect(missing.flat()).toEqual([]);
});

test('the tour lists every folder of the program, and its first file says what the folder is for', async () => {
  const rows = (await read('CONTRIBUTING.md')).matchAll(
    /^\| `((?:src|ask|sandbox|proof)[\w/-]*)` \|[^|]*\| (?:`([^`]+)` )?\|$/gm,
  );
  const rooms = [...rows].map(([, room = '', first]) => ({ room, first }));
  const entries = await readdir(new URL('../src', import.meta.url), {
    recursive: true,
    withFileTypes: true,
  });
  const root = new URL('..', import.meta.url).pathname;
  const folders = entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'scripts')
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(root.length));
  expect(rooms.map(({ room }) => room).toSorted()).toEqual(
    [...folders, 'ask', 'ask/contract', 'sandbox', 'proof'].toSorted(),
  );
  const silent = rooms.map(async ({ room, first }) => {
    if (first === undefined) return [];
    const isSaid = first.startsWith(`${room}/`) && (await read(first)).startsWith('/**\n');
    return isSaid ? [] : [first];
  });
  expect((await Promise.all(silent)).flat()).toEqual([]);
});

/** The text of one kind of diagram of a page. */
async function diagramOf(page: string, kind: string): Promise<string> {
  const [, text = ''] =
    new RegExp(`\`\`\`mermaid\\n${kind}\\b([\\s\\S]*?)\`\`\``).exec(await read(page)) ?? [];
  expect(text, `${page}: ${kind}`).not.toBe('');
  return text;
}

test('the diagram in CONTRIBUTING.md shows exactly the folders that exist', async () => {
  const plan = await diagramOf('CONTRIBUTING.md', 'flowchart TD');
  const drawn = [...plan.matchAll(/\w+\["([^"]+)"\]/g)].map(([, name = '']) => name);
  const inside = (await readdir(new URL('../src', import.meta.url))).map((name) => `src/${name}`);
  expect(drawn.toSorted()).toEqual([...inside, 'ask', 'proof', 'sandbox'].toSorted());
});

test('the plan draws every state of a message, and no other', async () => {
  const diagram = await diagramOf('CONTRIBUTING.md', 'stateDiagram-v2');
  const drawn = [...diagram.matchAll(/(\w+|\[\*\]) --> (\w+|\[\*\])/g)].flatMap(([, a, b]) => [
    a,
    b,
  ]);
  const code = await read('src/approvals/tell/message/message-state.ts');
  const rules = new URL('../src/approvals/decision/', import.meta.url);
  const texts = (await readdir(rules)).map((name) => readFile(new URL(name, rules), 'utf8'));
  const known = [
    ...code.matchAll(/readonly name: '(\w+)'/g),
    // Of guards.
    ...(await Promise.all(texts)).join().matchAll(/interface GuardStates \{\s+readonly (\w+):/g),
  ].map(([, name]) => name);
  expect([...new Set(drawn)].filter((name) => name !== '[*]').toSorted()).toEqual(
    [...new Set(known)].toSorted(),
  );
});

test('every participant in the sequence diagram of a click is an existing file', async () => {
  const diagram = await diagramOf('CONTRIBUTING.md', 'sequenceDiagram');
  const parts = [...diagram.matchAll(/participant \w+ as (\S+)/g)].map(([, path = '']) => path);
  expect(parts.length).toBeGreaterThan(4);
  for (const path of parts) {
    await expect(access(new URL(`../src/${path}`, import.meta.url)), path).resolves.toBeUndefined();
  }
});

test('every interface section cited in the code is a heading in docs/service.md', async () => {
  const page = await read('docs/service.md');
  const headings = new Set([...page.matchAll(/^#+ (Interface [\d.]+):/gm)].map(([, name]) => name));
  const folder = (name: string) => new URL(`../${name}`, import.meta.url).pathname;
  const sources = (
    await Promise.all(['src', 'ask', 'sandbox', 'proof'].map(folder).map(readSources))
  )
    .flat()
    .filter(({ path }) => !path.includes('node_modules'));
  const cited = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bInterface (\d(?:\.\d)?)((?:(?:,| and) \d(?:\.\d)?)*)/g)].flatMap(
      ([, first, more = '']) => [first, ...(more.match(/\d(?:\.\d)?/g) ?? [])],
    ),
  );
  const missing = [...new Set(cited)].filter((number) => !headings.has(`Interface ${number}`));
  expect(missing).toEqual([]);
});

test('the settings in docs/setup.md have every variable that start needs', async () => {
  const page = await read('docs/setup.md');
  const [, block = ''] = /^ *```sh\n( *SLACK_BOT_TOKEN=[\s\S]*?)^ *```/m.exec(page) ?? [];
  const set = [...block.matchAll(/^ *([A-Z_]+)=/gm)].map(([, name]) => name);
  const required = VARIABLES.filter(({ required: by = '' }) => ['always', 'start'].includes(by));
  expect(required.map(({ name }) => name).filter((name) => !set.includes(name))).toEqual([]);
});

test('proof/claims.md names tests for every claim of docs/security.md, and they exist', async () => {
  const [page, list] = [await read('docs/security.md'), await read('proof/claims.md')];
  const rowsOf = (text: string) =>
    [...text.matchAll(/^\| (?!somebody|claim|---)(.+?) \| (.+) \|$/gm)].map(
      ([, claim = '', rest = '']) => ({ claim, rest }),
    );
  for (const heading of ['who-can-do-what', 'what-the-audit-log-promises']) {
    const claims = rowsOf(sectionOf(page, heading)).map(({ claim }) => claim);
    expect(claims.length).toBeGreaterThan(10);
    expect(rowsOf(sectionOf(list, heading)).map(({ claim }) => claim)).toEqual(claims);
  }
  const unproven: string[] = [];
  for (const { claim, rest } of rowsOf(list)) {
    const cited = [...rest.matchAll(/`(test\/[\w/.-]+\.ts)` › ((?:`[^`]+`(?:, )?)+)/g)];
    if (cited.length === 0) unproven.push(claim);
    for (const [, file = '', names = ''] of cited) {
      const text = (await read(file)).replaceAll("\\'", "'");
      for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) expect(text, file).toContain(name);
    }
  }
  // An attacker who has everything.
  expect(unproven).toEqual(['`GATEPOST_KEYS` and read access to the store']);
});
