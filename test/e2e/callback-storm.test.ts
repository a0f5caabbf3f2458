import process from 'node:process';
import { expect, test, vi } from 'vitest';
import type { Config } from '../../src/core/config/config.ts';
import { CALLBACK_SECRET, startReceiver } from '../support/webhook-receiver.ts';
import { DEPLOYS, messageOf, startWorld } from '../support/world.ts';
import { seededRandom } from './crash/seeded-random.ts';

/** How many requests come to an end; `CALLBACKS=10000` takes some minutes. */
const COUNT = Number(process.env.CALLBACKS ?? 100);
const TOGETHER = 16;
/** Three in ten are not taken, in several ways. */
const REFUSALS = [500, 503, 404, 'redirect', 429] as const;

test('a receiver that fails three times in ten accepts every event exactly once by its id', {
  timeout: 300_000 + 60 * COUNT,
}, async () => {
  await using receiver = await startReceiver();
  const random = seededRandom(Number(process.env.TEST_SEED));
  const taken = new Map<string, number>();
  let refused = 0;
  receiver.answer(({ id }) => {
    if (random() < 0.3) {
      refused += 1;
      return REFUSALS[Math.floor(random() * REFUSALS.length)] ?? 500;
    }
    taken.set(id, (taken.get(id) ?? 0) + 1);
    return 204;
  });
  const config = (given: Config): Config => ({
    ...given,
    sources: given.sources.map((source) => ({
      ...source,
      callback: { url: receiver.url, secrets: [CALLBACK_SECRET] },
    })),
  });
  await using world = await startWorld({ config, scale: 0.002, env: { LOG_LEVEL: 'error' } });
  const { automation, workspace } = world.sandbox;
  const ends = new Map<string, string>();

  /** One in ten runs out of time, most are withdrawn, and some are decided by a press. */
  const askAndEnd = async (index: number): Promise<void> => {
    const key = `storm/${index}`;
    const isShort = index % 10 === 0;
    const deadline = { expiresAt: new Date(Date.now() + 3_000).toISOString() };
    const asked = { key, title: `Deploy ${index}`, ...(isShort && deadline) };
    let { id } = await automation.ask(asked);
    // It takes no more just now: an automation comes back, as it is told to.
    for (; id === ''; { id } = await automation.ask(asked));
    if (isShort) return void ends.set(id, 'timed_out');
    if (index % 100 === 1) {
      const find = () => messageOf(workspace.messages(DEPLOYS), id);
      // Looked for now and then: what is looked at grows with each message.
      const { ts } = await vi.waitUntil(find, { timeout: 120_000, interval: 250 });
      await world.click('U0ANA', ts, 'Approve');
      return void ends.set(id, 'decided');
    }
    const withdraw = async () => (await automation.withdraw(id)).status;
    await vi.waitUntil(async () => (await withdraw()) < 300, { timeout: 60_000 });
    ends.set(id, 'withdrawn');
  };

  let next = 0;
  const lane = async () => {
    while (next < COUNT) {
      next += 1;
      await askAndEnd(next - 1);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, lane));
  const expected = [...ends].map(([id, end]) => `${id}-${end}`);
  const options = { timeout: 60_000 + 60 * COUNT, interval: 200 };
  await vi.waitUntil(() => expected.every((id) => taken.has(id)), options);

  // Nothing else was said of an end, and what was taken did not come again.
  const told = [...taken.keys()];
  const isOfPosting = (id: string) => /-(?:posted|blocked)-\d+$/.test(id);
  expect(told.filter((id) => !isOfPosting(id)).toSorted()).toEqual(expected.toSorted());
  expect(told.filter((id) => taken.get(id) !== 1)).toEqual([]);
  expect(receiver.refused).toBe(0);
  expect(refused).toBeGreaterThan(0.2 * COUNT);
  // Who was asked in Slack was told so before; what ended first was posted as ended, or never.
  const decided = [...ends].flatMap(([id, end]) => (end === 'decided' ? [id] : []));
  expect(decided.length).toBeGreaterThan(0);
  // Looked at again each time: what was refused comes again.
  const areToldOf = () => {
    const posted = new Set([...taken.keys()].map((id) => id.replace(/-posted-\d+$/, '')));
    return decided.every((id) => posted.has(id));
  };
  await vi.waitUntil(areToldOf, options);
  if (COUNT > 1_000) console.log({ ends: ends.size, taken: taken.size, refused });
});
