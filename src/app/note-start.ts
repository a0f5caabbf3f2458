import { auditSigner } from '../core/store/audit-chain.ts';
import { type NewAuditEntry, type Store, StoreError } from '../core/store/store.ts';
import type { BaseDependencies } from './dependencies.ts';

/**
 * Notes in the audit log that this process starts, and a digest of its settings; returns a function that notes its
 * stop. The digest is keyed, so that secrets cannot be guessed from it: the same settings and keys have the same
 * digest. Throws StoreError.
 */
export async function noteStart({
  config,
  store,
  logger,
  version,
  run,
}: BaseDependencies & {
  readonly version: string;
  /** Distinguishes replicas. */
  readonly run: string;
}): Promise<() => Promise<void>> {
  const actor = 'gatepost';
  const digest = auditSigner(config.keys)(JSON.stringify(config));
  const facts = { run, version, config: digest, mode: config.slack.mode };
  await writePatiently(store, { action: 'gatepost.start', record: null, actor, facts });
  return async () => {
    try {
      await store.writeAudit({ action: 'gatepost.stop', record: null, actor, facts: { run } });
    } catch (error) {
      logger.warn({ err: error }, 'could not note the stop in the audit log');
    }
  };
}

/**
 * The store is slow when many replicas start at once. After a lost answer the entry may exist twice, with the same
 * `run`.
 */
async function writePatiently(store: Store, entry: NewAuditEntry) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.writeAudit(entry);
    } catch (error) {
      const isUnknown = error instanceof StoreError && error.code === 'unknown';
      if (!isUnknown || tries === WRITES_MAX) throw error;
    }
  }
}

const WRITES_MAX = 5;
