import type { Store } from '../store/store.ts';

/**
 * Somebody was turned away before there was anything to do. `action`: what the audit log calls it.
 * Throws StoreError.
 */
export async function recordRefusal(
  store: Pick<Store, 'writeAudit'>,
  action: string,
  { user, channel, code }: { user: string; channel: string; code: string },
): Promise<void> {
  const facts = { refusal: code, channel };
  await store.writeAudit({ action, record: null, actor: user, facts });
}
