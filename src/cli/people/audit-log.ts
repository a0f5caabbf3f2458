import type { Store } from '../../store/store.ts';
import type { Terminal } from './terminal.ts';

type Facts = Readonly<Record<string, string | number | boolean | null>>;

/** The bot's audit log: what somebody is about to do at the command line, and what came of it. */
export interface AuditLog {
  /** Before a change is sent. Throws StoreError: then it must not be. */
  attempt(action: string, facts: Facts): Promise<Attempt>;
}

export interface Attempt {
  /** Throws StoreError. */
  ended(facts: Facts): Promise<void>;
}

/** Nothing is noted anywhere. */
export const NO_AUDIT_LOG: AuditLog = {
  attempt: async () => ({ ended: async () => {} }),
};

/** The actor is `os:` and the operating system's user: no Slack id, and no source's, looks like that. */
export function auditLogIn(
  store: Pick<Store, 'writeAudit'>,
  { user, host }: Pick<Terminal, 'user' | 'host'>,
): AuditLog {
  const actor = `os:${user}`;
  return {
    async attempt(action, facts) {
      const entry = { action: `${action}.attempt`, actor, facts: { ...facts, host } };
      const attempt = await store.writeAudit({ ...entry, record: null });
      return {
        ended: async (result) => {
          const all = { ...facts, ...result, attempt };
          await store.writeAudit({ action: `${action}.result`, record: null, actor, facts: all });
        },
      };
    },
  };
}
