import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { generate, HttpClient } from 'openapi-typescript-codegen';
import { beforeAll, describe, expect, test } from 'vitest';
import { callbackWebhooks, intakePaths } from '../../../src/approvals/ways-in/intake-contract.ts';
import { openapiRoute } from '../../../src/core/http/openapi.ts';
import { tasksPaths } from '../../../src/operations/tasks/task-request.ts';
import { fake } from '../../support/fake.ts';

/** Every member of a document with this name, wherever it stands. */
function all(name: string, text: string): unknown[] {
  const found: unknown[] = [];
  JSON.parse(text, (key, value) => {
    if (key === name) found.push(value);
    return value;
  });
  return found;
}

describe('/openapi.json', () => {
  let text: string;
  beforeAll(async () => {
    const route = openapiRoute(() => ({
      paths: { ...intakePaths(), ...tasksPaths() },
      webhooks: callbackWebhooks(),
    }));
    text = (await route.handle(fake<IncomingMessage>({}), {})).body;
  });

  test('is a document of OpenAPI 3.1, with a server', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(JSON.parse(text).servers).toEqual([{ url: '/' }]);
  });

  test('has all definitions in components.schemas', () => {
    const { components } = JSON.parse(text);
    for (const name of ['$defs', '$id', '$schema', 'definitions'])
      expect(all(name, text)).toEqual([]);
    const references = all('$ref', text).map(String);
    expect(new Set(references)).toEqual(
      new Set(Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`)),
    );
  });

  test('has patterns that every language reads', () => {
    const patterns = all('pattern', text).map(String);
    expect(patterns).not.toEqual([]);
    // Neither looking around, nor back, nor by properties of characters.
    expect(patterns.filter((pattern) => /\(\?[^:]|\\[1-9kpPuUxbB]/.test(pattern))).toEqual([]);
  });

  test('generates a client that compiles', async () => {
    const output = await mkdtemp(join(tmpdir(), 'gatepost-client-'));
    try {
      await generate({ input: JSON.parse(text), output, httpClient: HttpClient.FETCH });
      const services = await readdir(join(output, 'services'));
      const client = await Promise.all(
        services.map((name) => readFile(join(output, 'services', name), 'utf8')),
      );
      for (const operation of all('operationId', text).filter((id) => id !== 'callBack'))
        expect(client.join('\n')).toContain(`${operation}(`);
      const settings = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'esnext'];
      const more = ['--moduleResolution', 'bundler', '--skipLibCheck', '--ignoreConfig'];
      const compiler = ['node_modules/typescript/lib/tsc.js', ...settings, ...more];
      await promisify(execFile)(process.execPath, [...compiler, join(output, 'index.ts')]);
    } finally {
      await rm(output, { recursive: true });
    }
  });
});
