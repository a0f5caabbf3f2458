import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { grantedScopes } from '../../../src/sandbox/workspace/scopes.ts';

it('the scopes that are granted are those that the manifest asks for', async () => {
  const manifest = await readFile(new URL('../../../manifest.yml', import.meta.url), 'utf8');
  expect([...grantedScopes].sort()).toEqual([...parse(manifest).oauth_config.scopes.bot].sort());
});
