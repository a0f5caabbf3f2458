import type { NewAuditEntry } from '../core/store/store.ts';
import type { Approval } from './approval.ts';

/** Nobody can be asked: the callers that wait are told, on every replica (`waiting.ts`). `code`: Slack's. */
export function blockedEntry({ channel }: Approval, code: string): NewAuditEntry {
  const facts = { channel, code };
  return { action: 'approvals.blocked', record: null, actor: 'gatepost', facts };
}
