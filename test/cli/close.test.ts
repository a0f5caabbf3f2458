import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closingKey, decodeClosing } from '../../src/approvals/electorate/closing.ts';
import { system } from '../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../src/core/store/embedded/create-embedded-store.ts';
import type { Store } from '../../src/core/store/store.ts';
import { FOLDERS } from './folders.ts';
import { runHere } from './run-here.ts';

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(FOLDERS, 'gatepost-close-'));
  env = {
    DATA_DIR: folder,
    GATEPOST_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    SLACK_BOT_TOKEN: 'xoxb-1-test',
    SLACK_SIGNING_SECRET: 'secret',
    GATEPOST_CHANNEL: 'C0DEPLOYS',
    GATEPOST_REVIEWERS: 'U0ANA',
    GATEPOST_INTAKE_SECRET: 'intake-secret-of-the-test-0123456789',
  };
  await inStore(async () => undefined);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function inStore<Value>(read: (store: Store) => Promise<Value>): Promise<Value> {
  const logger = { info() {}, warn() {} };
  await using store = await createEmbeddedStore({ ...system, folder, logger, guard: false });
  return read(store);
}

const closing = () =>
  inStore(async (store) => {
    const record = await store.find(closingKey('default'));
    return record && decodeClosing(record.data);
  });

const run = (...words: string[]) => runHere(words, { env });

describe('close and open', () => {
  test('change the store, whether or not the bot is running', async () => {
    const closed = await run('close', 'default', '--until', 'in 2 hours', '--why', 'Black Friday');
    expect(closed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^default: closed from \S+Z until \S+Z: Black Friday\n$/),
    });
    expect(await closing()).toMatchObject({
      why: 'Black Friday',
      by: expect.stringMatching(/^os:/),
    });
    const again = await run('close', 'all', '--until', 'in 3 hours', '--why', 'Longer', '--json');
    expect(JSON.parse(again.out)).toMatchObject({
      routes: [{ route: 'default', isChanged: true, closed: { why: 'Longer' } }],
    });
    expect(await run('open', 'default')).toMatchObject({ code: 0, out: 'default: open\n' });
    expect(await closing()).toMatchObject({ openedAt: expect.any(Number) });
    expect(await run('open', 'default')).toMatchObject({
      code: 0,
      out: 'default: was not closed\n',
    });
    const actions = await inStore(async (store) => {
      const found: string[] = [];
      for await (const { action } of store.readAudit({})) found.push(action);
      return found;
    });
    expect(actions).toEqual(['approvals.closed', 'approvals.closed', 'approvals.opened']);
  });

  test('change nothing where what is typed is not understood', async () => {
    const close = (of: string, until: string, why: string) =>
      run('close', of, '--until', until, '--why', why);
    expect((await close('defualt', 'in 2 hours', 'x')).err).toContain(
      'error: There is no route "defualt". Did you mean "default"?',
    );
    expect((await close('default', 'whenever', 'x')).err).toContain('--until is not understood');
    expect((await close('default', 'in 2 hours', ' ')).err).toContain('--why needs');
    expect((await run('close', 'default')).code).toBe(2);
    const { code, err } = await runHere(['open', 'default'], {
      env: { ...env, GATEPOST_CHANNEL: 'x' },
    });
    expect([code, err]).toEqual([2, expect.stringContaining('GATEPOST_CHANNEL')]);
  });

  test('change nothing without a key, because the audit log would not verify any more', async () => {
    const before = await closing();
    const { GATEPOST_KEYS: _, ...keyless } = env;
    const words = ['close', 'default', '--until', 'in 2 hours', '--why', 'x'];
    const { code, out, err } = await runHere(words, { env: keyless });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^GATEPOST_KEYS is not set/);
    expect(await closing()).toEqual(before);
  });
});
