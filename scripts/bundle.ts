import { build } from 'esbuild';

/** Programs of this project and the packages they use, as a few files: they are read in a third of the time. */

export interface Program {
  readonly in: string;
  /** Its name in the folder. */
  readonly out: string;
}

export async function bundle(programs: readonly Program[], outdir: string): Promise<void> {
  await build({
    entryPoints: [...programs],
    outdir,
    bundle: true,
    // What only some commands need stays apart, and is loaded by them alone.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Its binary is found beside its own files.
    external: ['lmdb'],
    // Packages in CommonJS ask for Node's own modules by `require`.
    banner: {
      js: [
        "import { createRequire as requireFrom } from 'node:module';",
        'const require = requireFrom(import.meta.url);',
        'const __dirname = import.meta.dirname;',
      ].join('\n'),
    },
    // `main.ts` has Node read them.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
}
