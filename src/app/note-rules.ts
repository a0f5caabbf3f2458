import {
  digestOf,
  identityRules,
  RULES_TEXT,
  type RuleSettings,
  ruleSettings,
} from '../core/config/rules.ts';
import type { NewAuditEntry, Store } from '../core/store/store.ts';

interface NoteRulesNeeds {
  readonly store: Pick<Store, 'get' | 'put' | 'writeAudit'>;
  /** How long entries are kept. */
  readonly auditMs: number;
}

/** Longer texts are left out: an entry that size would slow down everything that reads the log. */
const TEXT_MAX = 64 * 1024;

/**
 * Writes the text of these rules into the audit log, so that their digests say something to whoever reads it: an entry
 * for each route, and one for who people are. A text that is there already is not written again, until half of its time
 * is over. Rules contain no secret. Returns what the entry that puts them into force says about them. Throws StoreError;
 * safe to repeat.
 */
export async function noteRules(
  { store, auditMs }: NoteRulesNeeds,
  rules: RuleSettings,
): Promise<NewAuditEntry['facts']> {
  const settings = ruleSettings(rules);
  const identity = identityRules(settings);
  const routes = settings.routes.map((route) => [route.name, digestOf(route), route] as const);
  const people = digestOf(identity);
  const note = async (digest: string, what: object, route: string | null) => {
    const key = `gatepost.rules.${digest}`;
    if ((await store.get(key)) !== undefined) return;
    const text = JSON.stringify(what);
    const facts = { digest, route, text: text.length > TEXT_MAX ? null : text };
    await store.writeAudit({ action: RULES_TEXT, record: null, actor: 'gatepost', facts });
    // After the entry: a text that is written twice does no harm, one that is missing does.
    await store.put(key, '', auditMs / 2);
  };
  for (const [name, digest, route] of routes) await note(digest, route, name);
  await note(people, identity, null);
  const digests = Object.fromEntries(routes.map(([name, digest]) => [name, digest]));
  return { routes: JSON.stringify(digests), people };
}
