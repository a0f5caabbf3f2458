import type { StoredRecord } from '../store/store.ts';
import type { News } from './raise-notice.ts';

/** For a record at which Gatepost fails again and again, by a fault of its own. */
export function stuckNotice({ id, kind }: StoredRecord): News {
  return {
    about: `records.stuck.${kind}`,
    text: `Gatepost cannot carry on with one record (${kind} \`${id}\`): it fails at it again and again, and tries it ever more rarely. Search the log for this id and report what it says.`,
  };
}
