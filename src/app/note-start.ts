import { auditSigner } from '../core/store/audit-chain.ts';
import { type NewAuditEntry, type Store, StoreError } from '../core/store/store.ts';
import type { BaseDependencies } from './dependencies.ts';

/**
 * Notes in the audit log that this process starts, and by which settings; gives what notes that it
 * stops. The digest is signed with a key, so that nobody can guess secrets by it: the same settings
 * and keys give the same. Throws StoreError.
 */
export async function noteStart({
  config,
  store,
  logger,
  version,
  run,
}: BaseDependencies & {
  readonly version: string;
  /** Tells replicas apart. */
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
      logger.warn({ err: error }, 'the end could not be noted in the audit log');
    }
  };
}

/** A disk that many start on at once is slow. What may be there already is there twice at worst, with one `run`. */
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
