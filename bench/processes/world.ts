import process from 'node:process';
import { announce } from '../support/announce.ts';
import { Clicker } from '../support/clicker.ts';
import { startStandIn } from '../support/stand-in.ts';
import type { WorldRequest } from '../support/world.ts';

/** Slack, the service and the people who click, in one process: what happens has one clock. */
const clicker = new Clicker();
const holdMs = Number(process.env.HOLD_MS ?? 0);
announce(await startStandIn(holdMs, (call) => clicker.noticed(call)));

// as: `startWorld` sends nothing else
process.on('message', async (message) => {
  const { eventsUrl, clicks, atOnce } = message as WorldRequest;
  const startedAt = performance.now();
  const clicked = await clicker.run(eventsUrl, clicks, atOnce);
  process.send?.({ clicked, tookMs: performance.now() - startedAt });
});
