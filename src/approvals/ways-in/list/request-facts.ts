import type { Core } from '../../../core/core.ts';
import { messagePost } from '../../approval.ts';
import { routeNamed } from '../../electorate/route-for.ts';
import type { RequestFacts } from './list-message.ts';
import type { FoundRequest } from './look-through.ts';

/** What rows need in addition to their requests: all links are read at once, most of them from memory. */
export async function requestFacts(
  core: Core,
  user: string,
  shown: readonly FoundRequest[],
): Promise<RequestFacts> {
  const links = new Map<string, string>();
  const note = async ({ id, approval }: FoundRequest) => {
    const { ts } = messagePost(approval);
    const link = ts === undefined ? undefined : await core.permalink(approval.channel, ts);
    if (link !== undefined) links.set(id, link);
  };
  await Promise.all(shown.map(note));
  return {
    user,
    routeNamed: (name) => routeNamed(core, name),
    timing: core.timing,
    linkOf: ({ id }) => links.get(id),
    now: core.store.now(),
  };
}
