import { type BuildOptions, build } from 'esbuild';

/** Bundles programs of this project and the packages they use into a few files, which load in a third of the time. */

export interface Program {
  readonly in: string;
  /** Its file name in the folder. */
  readonly out: string;
}

/** Returns the bundled files. */
export async function bundle(
  programs: readonly Program[],
  outdir: string,
  { external = [], define = {} }: Pick<BuildOptions, 'external' | 'define'> = {},
): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [...programs],
    outdir,
    bundle: true,
    // Code that only some commands need is in files of its own, loaded only by them.
    splitting: true,
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
    // `main.ts` makes Node read them.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}
