import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { runHere } from '../../cli/run-here.ts';
import { ANA } from '../stage.ts';
import { story } from '../story.ts';
import { startStage, storeOfRun } from './stage.ts';

/** The audit log out of the house: AUDIT_LOG. */

const PATIENT = { timeout: 60_000, interval: 100 };

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  story(
    'audit-streamed audit-sealed',
    'a bot that is killed and started again has every entry in its file, and the log agrees with it',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'gatepost-audit-log-'));
      const file = join(folder, 'audit.log');
      {
        await using stage = await startStage(store, { AUDIT_LOG: file });
        const text = () => readFile(file, 'utf8').catch(() => '');
        const { ts } = await stage.ask();
        await stage.click(ANA, ts, 'Approve');
        await stage.until(ts, /Approved by/);
        stage.kill();
        await stage.restart();
        const again = await stage.ask();
        await stage.click(ANA, again.ts, 'Reject');
        await stage.until(again.ts, /Rejected by/);
        // The turn of the killed process ends after half a minute.
        await vi.waitUntil(async () => (await text()).match(/"REJECTED"/), PATIENT);
        await stage.bot.stop();
        const { code, out } = await runHere(['audit', 'verify', '--against', file], {
          env: stage.env,
        });
        expect({ code, out }).toMatchObject({ code: 0 });
        expect(out).toMatch(/^\d+ entries: none is missing, changed or moved\.$/m);
        expect(out).toMatch(/^The same in .+: \d+ entries\.$/m);
        expect(out).not.toMatch(/Only in the log|cannot be read/);
        expect((await text()).trimEnd().split('\n').at(-1)).toContain('gatepost.checkpoint');
      }
      await rm(folder, { recursive: true });
    },
  );

  story(
    'audit-streamed no-click-lost',
    'a full disk for its lines is an alert, and clicks are carried out',
    async () => {
      await using stage = await startStage(store, { AUDIT_LOG: '/dev/full' });
      const { ts } = await stage.ask();
      await stage.click(ANA, ts, 'Approve');
      await stage.until(ts, /Approved by/);
      const logged = (message: string) =>
        vi.waitUntil(() => stage.bot.output.find((line) => line.includes(message)), PATIENT);
      expect(await logged('AUDIT_LOG could not be written')).toContain('ENOSPC');
      expect(await logged('administrators have to act')).toContain('audit.stream');
      expect(await stage.bot.stop()).toBe(0);
    },
  );

  story(
    'audit-streamed',
    'with AUDIT_LOG=stdout the entries are lines among those of the log',
    async () => {
      await using stage = await startStage(store, { AUDIT_LOG: 'stdout' });
      const { ts, id } = await stage.ask();
      await stage.click(ANA, ts, 'Approve');
      await stage.until(ts, /Approved by/);
      expect(await stage.bot.stop()).toBe(0);
      const lines = stage.bot.output.map((line) => JSON.parse(line));
      const entries = lines.filter(({ audit }) => audit === true);
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      expect(entries.filter(({ record }) => record === id).map(({ action }) => action)).toContain(
        'approvals.outcome',
      );
      expect(lines.filter(({ msg }) => msg === 'ready')).toHaveLength(1);
    },
  );
});
