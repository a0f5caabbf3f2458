import type { StoredRecord } from '../store/store.ts';
import type { News } from './raise-notice.ts';

/** For a record that Gatepost comes to no end with, by a fault of its own. */
export function stuckNotice({ id, kind }: StoredRecord): News {
  return {
    about: `records.stuck.${kind}`,
    text: `Gatepost is stuck on one record (${kind} \`${id}\`): it fails at every try or never finishes, so it is tried less and less often. Search the log for this id and report what it says.`,
  };
}
