import { vi } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Lane } from '../../src/core/store/store.ts';
import { DEPLOYS, OUTCOMES } from '../support/world.ts';

/** The living posts of a record, as `post`, in all conversations that its outcome is told in. */
export function postsOf(sandbox: Sandbox, record: string): string[] {
  const { workspace } = sandbox;
  const all = [
    ...workspace.messages(DEPLOYS),
    ...workspace.messages(OUTCOMES),
    ...REQUESTERS.flatMap((user) => workspace.directMessages(user)),
  ];
  return all.flatMap(({ metadata }) => {
    const { record: of, post } = metadata?.event_payload ?? {};
    return of === record ? [String(post)] : [];
  });
}

const REQUESTERS = ['U0CLEO', 'U0DANA'];

/** Waits until no record of these lanes is left to be worked on, as the bot itself counts them. */
export async function untilAtRest(
  { url }: { readonly url: string },
  ...lanes: readonly Lane[]
): Promise<void> {
  await vi.waitUntil(
    async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return lanes.every((lane) => metrics.includes(`gatepost_records{lane="${lane}"} 0\n`));
    },
    // An update that ended unclear is repeated half a minute later.
    { timeout: 60_000, interval: 100 },
  );
}
