import type { KeptAuditEntry } from './store.ts';

/**
 * An entry as one line of JSON, with everything that its link is computed from: for a log store, and for whoever checks
 * the chain (integrations/audit). The facts are last and exactly as stored, because the link covers their text.
 */
export function auditLine(shard: number, { seq, at, text, link }: KeptAuditEntry): string {
  const [action, record, actor, facts, mac] = text;
  const head = { audit: true, time: at, shard, seq, action, record: record || null, actor };
  return `${JSON.stringify({ ...head, mac, link }).slice(0, -1)},"facts":${facts}}\n`;
}
