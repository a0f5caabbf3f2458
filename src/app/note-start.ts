import { digestOf, ruleSettings } from '../core/config/rules.ts';
import { auditSigner } from '../core/store/audit-chain.ts';
import { StoreError } from '../core/store/store.ts';
import type { BaseDependencies } from './dependencies.ts';
import { noteRules } from './note-rules.ts';

/**
 * Warns if a newer build wrote the store. Notes in the audit log that this process starts, by which rules, and a digest
 * of its settings; returns a function that notes its stop. The digest is keyed, so that secrets cannot be guessed from it: the
 * same settings and keys have the same digest. Throws StoreError.
 */
export async function noteStart({
  config,
  store,
  logger,
  version,
  run,
}: Pick<BaseDependencies, 'config' | 'store' | 'logger'> & {
  readonly version: string;
  /** Distinguishes replicas. */
  readonly run: string;
}): Promise<() => Promise<void>> {
  const actor = 'gatepost';
  const digest = auditSigner(config.keys)(JSON.stringify(config));
  const writtenBy = await store.get(BUILD);
  if (writtenBy !== undefined && isNewer(writtenBy, version)) {
    logger.warn({ version, writtenBy }, 'a newer build of Gatepost wrote this store');
  }
  await patiently(() => store.put(BUILD, version, BUILD_MS));
  const { auditMs } = config.retention;
  const noted = await patiently(() => noteRules({ store, auditMs }, config));
  const rules = { rules: digestOf(ruleSettings(config)), ...noted };
  const facts = { run, version, config: digest, mode: config.slack.mode, ...rules };
  const entry = { action: 'gatepost.start', record: null, actor, facts };
  await patiently(() => store.writeAudit(entry));
  return async () => {
    try {
      await store.writeAudit({ action: 'gatepost.stop', record: null, actor, facts: { run } });
    } catch (error) {
      logger.warn({ err: error }, 'could not note the stop in the audit log');
    }
  };
}

/** The version of the build that was started last. Ten years: as long as the store is used. */
const BUILD = 'gatepost.build';
const BUILD_MS = 10 * 365 * 86_400_000;

/** Whether the form is the same says `FORM`; a pre-release counts as its release. */
function isNewer(version: string, than: string): boolean {
  const [one = '', other = ''] = [version, than].map((each) => each.replace(/[-+].*$/s, ''));
  return one.localeCompare(other, 'en', { numeric: true }) > 0;
}

/**
 * The store is slow when many replicas start at once. After a lost answer the entry may exist twice, with the same
 * `run`.
 */
async function patiently<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      const isUnknown = error instanceof StoreError && error.code === 'unknown';
      if (!isUnknown || tries === WRITES_MAX) throw error;
    }
  }
}

const WRITES_MAX = 5;
