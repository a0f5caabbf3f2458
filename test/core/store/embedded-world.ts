import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { system } from '../../../src/core/lib/system.ts';
import {
  createEmbeddedStore,
  type EmbeddedStoreOptions,
} from '../../../src/core/store/embedded/create-embedded-store.ts';
import { openTables } from '../../../src/core/store/embedded/tables.ts';
import { patientTimers } from '../lib/patient-timers.ts';
import { passingClock } from './passing-clock.ts';
import type { EmptiedWorld } from './reusing.ts';
import { type AuditWorld, keptAudit } from './store-world.ts';

/** A disk in memory: opening a store writes to the disk twenty times. */
export const FOLDERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Makes a store in a folder, and changes what it says of its form. */
export async function noteForm(folder: string, form: number): Promise<void> {
  const store = await createEmbeddedStore({ ...system, folder });
  await store[Symbol.asyncDispose]();
  const tables = openTables(folder);
  await tables.form.put('form', form);
  await tables.root.close();
}

export async function openEmbeddedWorld(
  options: Partial<EmbeddedStoreOptions> = {},
): Promise<AuditWorld & EmptiedWorld & { readonly folder: string }> {
  const folder = await mkdtemp(join(FOLDERS, 'embedded-'));
  const { clock, pass, later } = passingClock();
  const store = await createEmbeddedStore({
    ...system,
    timers: patientTimers,
    folder,
    clock,
    ...options,
  });
  return {
    folder,
    stores: [store, store],
    pass,
    later,
    async rewriteAudit(rewrite, ends) {
      const kept = rewrite(await keptAudit(store));
      const { root, audit, chain } = openTables(folder);
      await root.transaction(() => {
        for (const key of [...audit.getKeys()]) audit.removeSync(key);
        for (const { at, seq, text, link } of kept) audit.putSync([at, seq], { text, link });
        const row = chain.get('audit');
        if (ends && row) chain.putSync('audit', { ...row, at: kept.at(-1)?.at ?? 0, ...ends });
      });
      // What the store has just read it reads from one snapshot, which LMDB lets go by a timer of 0 ms.
      await system.timers.sleep(1);
    },
    async empty() {
      await store.ping();
      const { root, owner, form, clock, due, ...tables } = openTables(folder);
      await root.transaction(() => {
        for (const table of [...Object.values(tables), ...Object.values(due)]) table.clearSync();
      });
      await system.timers.sleep(1);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
