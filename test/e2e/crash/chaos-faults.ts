import type { FaultKind } from '../../../sandbox/faults.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';

const METHODS = [
  'chat.postMessage',
  'chat.update',
  'chat.postEphemeral',
  'conversations.history',
  'conversations.replies',
  'conversations.open',
  'users.info',
  'response_url',
];
const KINDS: readonly FaultKind[] = ['429', '500', 'dropBefore', 'dropAfter', 'reset'];
/** How often each kind of fault meets a request. */
const SHARE = 0.02;
const SLOW_MS = [100, 400, 900];

/** From now on both servers fail at random, and are slow at random. */
export function failAtRandom({ workspace, service }: Sandbox, random: () => number): void {
  const when = () => random() < SHARE;
  for (const kind of KINDS) {
    service.fault({ kind, when });
    for (const method of METHODS) workspace.fault({ method, kind, when });
  }
  for (const ms of SLOW_MS) {
    service.fault({ kind: 'latency', ms, when });
    for (const method of METHODS) workspace.fault({ method, kind: 'latency', ms, when });
  }
}
