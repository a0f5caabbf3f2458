import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventKinds } from '../../workspace/event-kinds.ts';
import { tiers } from '../../workspace/tier-limits.ts';
import { webMethods } from '../../workspace/web-api.ts';
import { coverage } from './coverage.ts';
import published from './slack-methods.json' with { type: 'json' };

/** The quoted first argument of a function, in all tests of this folder. */
async function cited(behind: RegExp): Promise<Set<string>> {
  const names = await readdir(import.meta.dirname, { recursive: true });
  const files = names.filter((name) => name.endsWith('.test.ts'));
  const texts = await Promise.all(
    files.map((file) => readFile(join(import.meta.dirname, file), 'utf8')),
  );
  return new Set(texts.flatMap((text) => [...text.matchAll(behind)].map(([, id]) => id ?? '')));
}

describe('the coverage of the workspace', () => {
  it('lists every method that is served, and no other', async () => {
    expect(Object.keys(webMethods).sort()).toEqual([...coverage.methods].sort());
    const proved = await cited(/^ {2}'([\w.]+)': \{ ?(?:\n {4})?works:/gm);
    expect([...proved].sort()).toEqual([...coverage.methods].sort());
  });

  it('lists every event that is sent, and no other', async () => {
    expect(Object.keys(eventKinds).sort()).toEqual([...coverage.events].sort());
    const named = await cited(/'([a-z_]+)'/g);
    expect(coverage.events.filter((event) => !named.has(event))).toEqual([]);
  });

  it('has a proof of every delivery, limit and fault', async () => {
    const proved = await cited(/\bproof\(\s*'([^']+)'/g);
    const entries = [...coverage.deliveries, ...coverage.limits, ...coverage.faults];
    expect([...proved].sort()).toEqual([...entries].sort());
  });
});

interface Published {
  readonly tier: number | null;
  readonly scopes: readonly string[];
  readonly required: readonly string[];
  readonly args: readonly string[];
  readonly errors: readonly string[];
}
const slackMethods: Readonly<Record<string, Published>> = published;

/** Errors that Slack can return for any method without listing them, and those listed under another name. */
const everywhere = new Set(['ratelimited', 'missing_scope', 'invalid_arguments']);

describe.each(Object.entries(webMethods))('%s', (name, method) => {
  const slack = slackMethods[name];
  const { required = [], optional = [], ignored = [], errors = [], scope } = method;

  it('accepts only Slack’s arguments, and requires those that Slack requires', () => {
    expect(slack?.args).toEqual(expect.arrayContaining([...required, ...optional, ...ignored]));
    expect(required).toEqual(expect.arrayContaining([...(slack?.required ?? ['unknown'])]));
  });

  it('returns only errors that Slack returns', () => {
    expect(errors.filter((error) => everywhere.has(error))).toEqual([]);
    expect(slack?.errors).toEqual(expect.arrayContaining([...errors]));
  });

  it('has Slack’s tier', () => {
    const listed = tiers.find(({ methods }) => methods.some((each) => each === name));
    expect(listed?.tier ?? null).toBe(slack?.tier);
  });

  it('requires one of Slack’s scopes', () => {
    const kinds = ['channels:read', 'channels:history', 'channels:manage'];
    const byKind = kinds.some((each) => slack?.scopes.includes(each));
    if (scope === undefined) expect(byKind || slack?.scopes.length === 0).toBe(true);
    else expect(slack?.scopes).toContain(scope);
  });
});
