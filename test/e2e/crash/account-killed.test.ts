import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { createRedisStore } from '../../../src/core/store/redis/create-redis-store.ts';
import type { AuditEntry } from '../../../src/core/store/store.ts';
import { PROGRAM } from '../../support/program.ts';
import { administering, DANA } from '../accounts-stage.ts';
import { story } from '../story.ts';
import { runProgram } from './run-program.ts';
import { type Stage, type StoreName, startStage, storeOfRun } from './stage.ts';

/** A bot whose administrator is Dana, and which may be killed. */
async function startAccounts(store: StoreName) {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-accounts-'));
  const file = join(folder, 'gatepost.yaml');
  await writeFile(file, `administrators: { users: [${DANA}] }\n`);
  const stage = await startStage(store, { GATEPOST_CONFIG: file });
  return {
    ...administering(stage),
    stage,
    sandbox: stage.sandbox,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  for (const [kind, count] of [
    ['dropBefore', 2],
    ['dropAfter', 1],
  ] as const) {
    story(
      'accounts-lost no-click-lost nothing-twice',
      `a bot killed during the creation of an account (${kind}) checks, and creates it once`,
      async () => {
        await using accounts = await startAccounts(store);
        accounts.stage.killedAt({ operation: 'createUser', kind });
        await accounts.see('create nia@example.com');
        await accounts.submit();
        await accounts.modalOf(/This creates/);
        await accounts.submit();
        await accounts.sandbox.until(() => accounts.sent('createUser').length === 1);
        await accounts.stage.restart();
        await accounts.modalOf(/\*Created or linked\*/);
        expect(accounts.sent('createUser')).toHaveLength(count);
        const { sandbox } = accounts;
        const made = sandbox.service.users().filter(({ userName }) => /^nia@/.test(userName));
        expect(made).toHaveLength(1);
      },
    );

    story(
      'accounts-lost no-click-lost',
      `a bot killed during a deactivation (${kind}) checks, and completes it`,
      async () => {
        await using accounts = await startAccounts(store);
        accounts.stage.killedAt({ operation: 'patchUser', kind });
        await accounts.card('ana@example.com');
        await accounts.press('Deactivate');
        await accounts.sandbox.until(() => accounts.sent('patchUser').length === 1);
        await accounts.stage.restart();
        await accounts.modalOf(/\*Deactivated\*/);
        expect(accounts.sent('patchUser')).toHaveLength(count);
        expect(accounts.account('ana@example.com')).toMatchObject({ active: false });
      },
    );
  }

  story(
    'accounts-lost accounts-recorded',
    'a deactivation is completed by the bot after its command was killed',
    async () => {
      await using accounts = await startAccounts(store);
      const { sandbox, stage } = accounts;
      const program = runProgram(
        [PROGRAM, 'people', 'deactivate', 'ana@example.com', '--yes'],
        stage.env,
      );
      const kill = () => void program[Symbol.asyncDispose]();
      const when = () => {
        kill();
        return true;
      };
      sandbox.service.fault({ kind: 'dropBefore', operation: 'patchUser', times: 1, when });
      await sandbox.until(() => accounts.account('ana@example.com')?.active === false);
      expect(accounts.sent('patchUser')).toHaveLength(2);
      expect(await program.ended).toBeNull();
      const ends = async () => {
        const entries = await auditOf(stage.env);
        return entries.filter(({ action }) => action === 'people.outcome');
      };
      await vi.waitFor(async () => expect(await ends()).toHaveLength(1), 60_000);
      expect(await ends()).toMatchObject([
        { actor: expect.stringMatching(/^os:/), facts: { outcome: 'deactivated' } },
      ]);
      // Nobody in Slack asked for it.
      expect(sandbox.workspace.calls('conversations.open')).toEqual([]);
    },
  );

  story(
    'no-click-lost accounts-active',
    'a bot killed before it sends a change continues with it',
    async () => {
      await using accounts = await startAccounts(store);
      await accounts.card('ana@example.com');
      accounts.sandbox.service.fault({ kind: 'latency', ms: 20_000, operation: 'listUsers' });
      const looked = accounts.sandbox.service.requests('listUsers').length;
      await accounts.press('Deactivate');
      const asked = () => accounts.sandbox.service.requests('listUsers').length > looked;
      await accounts.sandbox.until(asked);
      accounts.stage.kill();
      accounts.sandbox.service.clearFaults();
      expect(accounts.sent('patchUser')).toEqual([]);
      await accounts.stage.restart();
      await accounts.modalOf(/\*Deactivated\*/);
    },
  );
});

story(
  'accounts-recorded',
  'the audit log has every change, and everybody who was refused',
  async () => {
    await using accounts = await startAccounts('embedded');
    await accounts.see('find ana', 'U0BEN');
    await accounts.see('create nia@example.com');
    await accounts.submit({ 'Job title': 'Nurse' });
    await accounts.modalOf(/This creates/);
    await accounts.submit();
    await accounts.modalOf(/\*Created or linked\*/);
    const { id } = accounts.account('nia@example.com') ?? {};
    const creating = { what: 'create', foreseen: 'new', attributes: 'title' };
    // In order, so that all of it is written.
    await accounts.stage.bot.stop();
    const all = await auditOf(accounts.stage.env);
    const [start, ...entries] = all.filter(({ action }) => action !== 'gatepost.rules.text');
    const stop = entries.pop();
    const run = start?.facts.run;
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(start).toMatchObject({ action: 'gatepost.start', facts: { version } });
    expect(stop).toMatchObject({ action: 'gatepost.stop', facts: { run } });
    expect(entries.map(({ action, actor, facts }) => [action, actor, facts])).toEqual([
      ['people.refused', 'U0BEN', { refusal: 'not-named', channel: 'C0DEPLOYS' }],
      ['people.asked', DANA, { ...creating, account: null }],
      ['people.send', DANA, { ...creating, account: null }],
      [
        'people.outcome',
        DANA,
        { ...creating, outcome: 'created-or-linked', found: false, account: id },
      ],
    ]);
  },
);

/** As it is in the store now, beside the bot. */
async function auditOf({ DATA_DIR: folder = '', REDIS_URL: url }: Stage['env']) {
  await using store =
    url === undefined
      ? await createEmbeddedStore({ ...system, folder, guard: false })
      : await createRedisStore({ ...system, url, confirm: 'off', logger: SILENT });
  const entries: AuditEntry[] = [];
  for await (const entry of store.readAudit({})) entries.push(entry);
  return entries;
}

const SILENT = { info() {}, warn() {} };
