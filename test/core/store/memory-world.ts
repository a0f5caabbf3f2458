import { systemRandom } from '../../../src/core/lib/random.ts';
import { Memory, type MemoryOptions } from '../../../src/core/store/memory/memory-store.ts';
import { passingClock } from './passing-clock.ts';
import { type AuditWorld, keptAudit } from './store-world.ts';

export async function openMemoryWorld(
  options: Partial<MemoryOptions> = {},
): Promise<AuditWorld & { readonly memory: Memory }> {
  const { clock, pass, later } = passingClock();
  const memory = new Memory({ clock, random: systemRandom, ...options });
  const stores = [memory.openStore(), memory.openStore()] as const;
  return {
    memory,
    stores,
    pass,
    later,
    async rewriteAudit(rewrite, ends) {
      const kept = rewrite(await keptAudit(stores[0]));
      const { tables } = memory.snapshot();
      for (const key of [...tables.audit.getKeys({ limit: 1_000 })]) tables.audit.removeSync(key);
      for (const { at, seq, text, link } of kept) tables.audit.putSync([at, seq], { text, link });
      const row = tables.chain.get('audit');
      if (ends && row) tables.chain.putSync('audit', { ...row, at: kept.at(-1)?.at ?? 0, ...ends });
      memory.restore({ tables });
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
    },
  };
}
