/** The page's program and its looks, each as the text of one file. */
export interface Bundle {
  readonly script: string;
  readonly style: string;
}

/** Bundles what runs in the browser. @param entry path of its first file, from the working directory or absolute */
export async function bundlePage(entry: string): Promise<Bundle> {
  // Only loaded when the page is opened.
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: 'page',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  await stop();
  const text = (end: string): string =>
    outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: text('.js'), style: text('.css') };
}
