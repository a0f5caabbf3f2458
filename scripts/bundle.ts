import { readFile, writeFile } from 'node:fs/promises';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { putTogether, type Together } from './put-together.ts';

/** Bundles programs of this project and the packages they use into a few files, which load in a third of the time. */

export interface Program {
  readonly in: string;
  /** Its file name in the folder. */
  readonly out: string;
}

interface More extends Pick<BuildOptions, 'external' | 'define'> {
  readonly together?: Together;
}

/** Returns the names of the packages that the files contain. */
export async function bundle(
  programs: readonly Program[],
  outdir: string,
  { external = [], define = {}, together }: More = {},
): Promise<{ readonly dependencies: readonly string[] }> {
  const options = {
    entryPoints: [...programs],
    outdir,
    bundle: true,
    // Code that only some commands need is in files of its own, loaded only by them.
    splitting: true,
    // Node keeps the text in memory. An error that nobody catches prints its line.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // It finds its binary beside its own files.
    external: ['lmdb', ...external],
    define,
    metafile: true,
    // CommonJS packages load Node's own modules with `require`.
    banner: {
      js: [
        "import { createRequire as requireFrom } from 'node:module';",
        'const require = requireFrom(import.meta.url);',
        'const __dirname = import.meta.dirname;',
      ].join('\n'),
    },
    plugins: [leaveOut],
    // `main.ts` makes Node read them.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  } as const satisfies BuildOptions;
  const names = programs.map((each) => each.in);
  const plugins = together === undefined ? [] : [await putTogether(options, names, together)];
  const { metafile } = await build({ ...options, plugins: [leaveOut, ...plugins] });
  for (const path of Object.keys(metafile.outputs)) {
    if (path.endsWith('.map')) await keepLines(path);
  }
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return { dependencies: [...new Set(packages)].sort() };
}

/**
 * Leaves one place for each line of a source in a source map. Node keeps the map of every loaded file, and decodes it at
 * the first error there: with all columns and names that is as much memory as the program's own.
 */
async function keepLines(path: string): Promise<void> {
  const map = JSON.parse(await readFile(path, 'utf8'));
  const lines = decode(map.mappings).map((places) => {
    const firsts = places.filter(([, source, line], at) => {
      const [, sourceBefore, lineBefore] = places[at - 1] ?? [];
      return source !== sourceBefore || line !== lineBefore;
    });
    return firsts.map(withoutName);
  });
  await writeFile(path, JSON.stringify({ ...map, names: [], mappings: encode(lines) }));
}

/** What has no source stays as it is. */
function withoutName(place: SourceMapSegment): SourceMapSegment {
  return place.length === 1 ? place : [place[0], place[1], place[2], place[3]];
}

/** The licenses of bundled packages that are not installed with the result: their text has to go with each copy. */
export async function licensesOf(names: readonly string[]): Promise<string> {
  const texts = names.map(async (name) => {
    const text = await readFile(
      new URL(`../node_modules/${name}/LICENSE`, import.meta.url),
      'utf8',
    );
    return `${name}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join('\n---\n\n');
}

/**
 * Parts of packages that the programs do not use, and that the packages load with the rest: half of what a start would
 * load. Each is an empty module.
 */
const UNUSED: readonly RegExp[] = [
  // The program has receivers of its own, and no OAuth. What reads bodies brings tables of encodings.
  /\/@slack\/bolt\/dist\/receivers\/(?:AwsLambda|Express|HTTP|SocketMode)Receiver\.js$/,
  /\/@slack\/oauth\/dist\/index\.js$/,
  /\/raw-body\/index\.js$/,
  // Metrics about Node, which it has itself, and with them OpenTelemetry.
  /\/prom-client\/lib\/(?:cluster|defaultMetrics|pushgateway|summary)\.js$/,
  // For transports.
  /\/thread-stream\/index\.js$/,
];

/** Modules of Node that a package does not need. */
const NEEDLESS: Readonly<Record<string, string>> = {
  // Only for commands that are files of their own.
  commander: 'child_process',
  // It is not allowed unless the program says so.
  undici: 'http2',
};

/** What the programs use of undici: its own entry also loads WebSocket, mocks and caches. */
const UNDICI = {
  Agent: 'dispatcher/agent',
  buildConnector: 'core/connect',
  EnvHttpProxyAgent: 'dispatcher/env-http-proxy-agent',
  errors: 'core/errors',
  Pool: 'dispatcher/pool',
};

/** To import one of these makes Node load all that it can export, of `http` the whole of `fetch`; `require` does not. */
const REQUIRED = /^node:(?:fs|https?|process|util)$/;
/**
 * What is imported of a CommonJS module is looked up in a copy of it, and since Node 26 to copy a member also loads what
 * it stands for: these have no members of their own, and inherit all. `process` is global.
 */
const leaveOut: Plugin = {
  name: 'leave-out',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\/node_modules\/.*\.js$/ }, ({ path }) =>
      UNUSED.some((part) => part.test(path)) ? { contents: '' } : undefined,
    );
    onResolve({ filter: /^node:/ }, ({ importer, kind, path }) => {
      const [, owner = ''] = /\/node_modules\/([^/]+)\/(?!.*\/node_modules\/)/.exec(importer) ?? [];
      if (path === `node:${NEEDLESS[owner]}`) return { path, namespace: 'needless' };
      const isRequired = kind === 'import-statement' && REQUIRED.test(path);
      return isRequired ? { path, namespace: 'required' } : undefined;
    });
    onLoad({ filter: /^/, namespace: 'needless' }, () => ({
      contents: 'module.exports = { constants: {} };',
    }));
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents:
        path === 'node:process'
          ? 'export default process; export const { argv, execPath, exit, kill, pid } = process;'
          : `module.exports = Object.create(require('${path}'));`,
    }));
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.includes('/node_modules/') ? undefined : { path: 'undici', namespace: 'parts' },
    );
    onLoad({ filter: /^/, namespace: 'parts' }, () => ({
      contents: [
        ...Object.entries(UNDICI).map(
          ([name, file]) => `export { default as ${name} } from 'undici/lib/${file}.js';`,
        ),
        // As its entry does: agents for proxies open tunnels with it.
        "import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';",
        "import connect from 'undici/lib/api/api-connect.js';",
        'Dispatcher.prototype.connect = connect;',
      ].join('\n'),
      resolveDir: import.meta.dirname,
    }));
  },
};
