import type { Logger } from 'pino';
import type { Config } from '../core/config/config.ts';
import type { ReadConfig } from '../core/config/read-config.ts';
import { digestOf, othersChanged, type Rules, ruleSettings } from '../core/config/rules.ts';
import { type Store, StoreError } from '../core/store/store.ts';
import { noteRules } from './note-rules.ts';

interface ReloadNeeds {
  readonly rules: Rules;
  readonly store: Pick<Store, 'get' | 'put' | 'writeAudit'>;
  readonly logger: Logger;
  /** Distinguishes replicas, in the audit log. */
  readonly run: string;
}

/**
 * Replaces the rules, after noting that in the audit log. If there was any problem, or a source that runs has other
 * routes in the file, the old ones stay. Other settings need a restart. Of several reloads each begins when the one
 * before has ended, so that the last one stays. Never rejects.
 */
export function rulesReloader(needs: ReloadNeeds): (read: ReadConfig) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (read) => {
    last = last.then(() => reloadRules(needs, read));
    return last;
  };
}

async function reloadRules(
  { rules, store, logger, run }: ReloadNeeds,
  read: ReadConfig,
): Promise<void> {
  if (!read.ok) {
    logger.error(
      { problems: read.problems },
      'could not reload the rules: the old ones stay in use',
    );
    return;
  }
  for (const warning of read.warnings) logger.warn({}, warning);
  const sources = reboundSources(rules.config, read.config);
  if (sources.length > 0) {
    logger.error(
      { sources },
      'the file changes the routes of sources: the old rules stay in use until a restart',
    );
    return;
  }
  const settings = ruleSettings(read.config);
  const restart = othersChanged(rules.config, read.config);
  if (restart.length > 0) logger.warn({ settings: restart }, 'other settings need a restart');
  const facts = { run, from: digestOf(rules.settings), to: digestOf(settings) };
  if (facts.from === facts.to) {
    logger.info(facts, 'reloaded the rules: nothing changed');
    return;
  }
  try {
    const { auditMs } = read.config.retention;
    const noted = await noteRules({ store, auditMs }, settings);
    const all = { ...facts, ...noted };
    const entry = { action: 'gatepost.rules', record: null, actor: 'gatepost', facts: all };
    await store.writeAudit(entry);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    logger.error(
      { err: error },
      'could not note the new rules in the audit log: the old ones stay in use',
    );
    return;
  }
  rules.replace(settings);
  logger.info(facts, 'reloaded the rules');
}

/** Those that would go on with their old routes: the new rules of these may not be meant for them. */
function reboundSources(before: Config, after: Config): readonly string[] {
  const routesOf = (id: string) => after.sources.find((each) => each.id === id)?.routes;
  return before.sources
    .filter(({ id, routes }) => JSON.stringify(routes) !== JSON.stringify(routesOf(id)))
    .map(({ id }) => id);
}
