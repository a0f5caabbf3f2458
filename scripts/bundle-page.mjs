/** Bundles the sandbox's page into dist, as the demo from the source code does when it is opened. */
import { writeFile } from 'node:fs/promises';
import { bundlePage } from '../dist/sandbox/page/bundle-page.js';

const { script, style } = await bundlePage('src/sandbox/page/client/main.tsx');
await writeFile('dist/sandbox/page/client.js', script);
await writeFile('dist/sandbox/page/client.css', style);
