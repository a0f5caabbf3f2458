import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { system } from '../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../src/core/store/embedded/create-embedded-store.ts';
import { botEnvironment } from '../support/bot-config.ts';
import { FOLDERS } from './folders.ts';
import { runHere } from './run-here.ts';

let folder: string;
let sandbox: Sandbox;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  folder = await mkdtemp(join(FOLDERS, 'gatepost-who-'));
  sandbox = await startSandbox();
  const logger = { info() {}, warn() {} };
  const made = await createEmbeddedStore({ ...system, folder, logger, guard: false });
  await made[Symbol.asyncDispose]();
  env = botEnvironment(sandbox, { DATA_DIR: folder, GATEPOST_REVIEWERS: 'U0ANA,U0BEN,U0CLEO' });
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const who = (...words: string[]) => runHere(['who', ...words], { env });

describe('gatepost who', () => {
  test('says who would be asked, without the requester, and posts nothing', async () => {
    const { code, out } = await who('--requested-by', 'cleo@example.com');
    expect(out).toContain('Mentioned: Ana (U0ANA), Ben (U0BEN)\n');
    expect(out).toContain('Asked for by: Cleo (U0CLEO)\n');
    expect(out).toContain('Reviewers: Ana (U0ANA), Ben (U0BEN)\n');
    expect(code).toBe(0);
    expect(sandbox.workspace.messages('C0DEPLOYS')).toEqual([]);
  });

  test('says what is lacking', async () => {
    const { out } = await who('--quorum', '3', '--requested-by', 'U0CLEO', '--json');
    expect(JSON.parse(out)).toMatchObject({
      route: 'default',
      closed: null,
      requester: { user: 'U0CLEO', known: true },
      mentioned: { users: ['U0ANA', 'U0BEN'], groups: [] },
      deciders: { users: ['U0ANA', 'U0BEN'], groups: [], channel: false },
      needed: 3,
      lacking: { able: 2, needs: [] },
      isPartial: false,
    });
    const needed = await who('--need', 'Security=U0DANA');
    expect(needed.out).toMatch(/not enough people from Security can approve/);
  });

  test('says who can decide where no account is demanded, without those who cannot', async () => {
    const text = 'reviewers: { users: [U0ANA, U0GUS] }, identity: omit';
    const GATEPOST_CONFIG = join(folder, 'gatepost.yaml');
    await writeFile(GATEPOST_CONFIG, `routes: { default: { channel: C0DEPLOYS, ${text} } }\n`);
    const { out } = await runHere(['who'], { env: { ...env, GATEPOST_CONFIG } });
    expect(out).toContain('Can decide: Ana (U0ANA)\n');
  });

  test('says that a route is closed', async () => {
    await runHere(['close', 'default', '--until', 'in 2 hours', '--why', 'Freeze'], { env });
    const { out } = await who('--json');
    expect(JSON.parse(out)).toMatchObject({
      closed: { why: 'Freeze' },
      mentioned: { users: [], groups: [] },
    });
  });

  test('refuses what it does not understand', async () => {
    const wrong = await who('--route', 'defualt');
    expect(wrong).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "default"?'),
    });
    expect(await who('--need', 'Security')).toMatchObject({ code: 2 });
  });
});
