import { createHomeFlow, HOME_KIND } from '../../../src/approvals/ways-in/list/home-flow.ts';
import type { Core } from '../../../src/core/core.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Env } from './child.ts';
import { atOnce, configOf, openQuietStore } from './waiting-approvals.ts';

const AT_ONCE = 200;

/** Stores `count` Home tabs that people opened just now. No other process may use the place during this. */
export async function storeOpenHomes(env: Env, count: number): Promise<void> {
  const config = configOf(env);
  await using store = await openQuietStore(config);
  // as: encoding a Home tab needs nothing of it
  const { encode, listsOf } = createHomeFlow({} as Core);
  const routes = config.routes.map(({ name }) => name);
  const { fresh } = TRUE_TIME.homeMs;
  await atOnce(count, AT_ONCE, async (number) => {
    const user = `U0LOOKS${number}`;
    const now = Date.now();
    const opened = { choice: { pages: {} }, freshUntil: now + fresh, publishedAt: now };
    const home = { v: 1, user, ...opened, routes } as const;
    const record = {
      kind: HOME_KIND,
      data: encode(home),
      lane: 'people',
      dueInMs: fresh,
      place: null,
      uniqueKey: `bench-home-${user}`,
      lists: listsOf?.(home) ?? [],
    } as const;
    await store.create(record, { hold: false });
  });
}
