import type { Config } from '../../src/core/config/config.ts';
import type { System } from '../../src/core/lib/system.ts';
import type { Timing } from '../../src/core/lib/timing.ts';
import { auditSigner } from '../../src/core/store/audit-chain.ts';
import { Memory } from '../../src/core/store/memory/memory-store.ts';
import type { Store } from '../../src/core/store/store.ts';

/** A store in memory, and everything that was ever handed to it. */
export interface NotedStore {
  /** For `startApp`. */
  readonly openStore: (
    config: Config,
    needs: System & { readonly timing: Timing },
  ) => Promise<Store>;
  /** The arguments of each call: also what the store removed or replaced since. */
  readonly given: readonly (readonly unknown[])[];
}

export function notedStore(): NotedStore {
  const given: (readonly unknown[])[] = [];
  return {
    given,
    async openStore({ keys }, { timing, clock, random }) {
      const { leaseMs } = timing;
      const memory = new Memory({ clock, random, leaseMs, signAudit: auditSigner(keys) });
      return noting(memory.openStore(), given);
    },
  };
}

function noting(store: Store, given: (readonly unknown[])[]): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        if (args.length > 0) given.push(args);
        return member.apply(target, args);
      };
    },
  });
}
