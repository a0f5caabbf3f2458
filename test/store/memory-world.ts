import { systemRandom } from '../../src/lib/random.ts';
import { Memory, type MemoryOptions } from '../../src/store/memory/memory-store.ts';
import type { StoreWorld } from './store-world.ts';

export async function openMemoryWorld(
  options: Partial<MemoryOptions> = {},
): Promise<StoreWorld & { readonly memory: Memory }> {
  let shiftMs = 0;
  let passedMs = 0;
  const clock = {
    now: () => Date.now() + shiftMs,
    monotonic: () => performance.now() + passedMs,
  };
  const memory = new Memory({ clock, random: systemRandom, auditMs: 3_600_000, ...options });
  const stores = [memory.openStore(), memory.openStore()] as const;
  return {
    memory,
    stores,
    pass: async (ms) => {
      shiftMs += ms;
      passedMs += Math.max(0, ms);
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
    },
  };
}
