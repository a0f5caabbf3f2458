import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { botEnvironment } from '../../support/bot-config.ts';
import { untilAtRest } from '../aftermath.ts';
import { CHAOS_CHANNELS, chaosSettings } from './chaos-channels.ts';
import { failAtRandom } from './chaos-faults.ts';
import { decideTogether, type Gate } from './chaos-people.ts';
import { journalOf, wrongIn } from './chaos-verdict.ts';
import { startMortalBot } from './mortal-bot.ts';
import { seededRandom } from './seeded-random.ts';
import { keepRecords, SEED, storeOfRun } from './stage.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 420_000 });

const GATES = 150;
const KILLS = 5;
const ALIVE_MS = 2_500;
const SETTLED_MS = 150_000;

describe.concurrent.each(await storeOfRun(import.meta.url))('on the %s store', (store) => {
  test(`nothing is lost, doubled or false under random faults (TEST_SEED=${SEED})`, async () => {
    await using records = await keepRecords(store);
    await using sandbox = await startSandbox();
    for (const channel of CHAOS_CHANNELS) {
      sandbox.workspace.createChannel(channel, ['U0ANA', 'U0BEN']);
    }
    await using settings = await chaosSettings();
    const env = botEnvironment(sandbox, { ...records.env, ...settings.env });
    await using bot = await startMortalBot(sandbox, env);
    const random = seededRandom(SEED);
    failAtRandom(sandbox, random);
    const people = Promise.all(
      Array.from({ length: GATES }, (_, at): Promise<Gate> => {
        const channel = String(CHAOS_CHANNELS[at % CHAOS_CHANNELS.length]);
        return decideTogether({ sandbox, bot, random }, channel);
      }),
    );
    for (let kill = 0; kill < KILLS; kill += 1) {
      // The bot's life is what the story is about; nothing waits for the time to pass.
      await pause(ALIVE_MS);
      await bot.killAndStart();
    }
    const gates = await people;
    sandbox.workspace.clearFaults();
    sandbox.service.clearFaults();
    // What is still wrong after that is told below.
    await vi
      .waitUntil(() => wrongIn(sandbox, gates).length === 0, { timeout: SETTLED_MS, interval: 250 })
      .catch(() => undefined);
    await untilAtRest(bot, 'people');
    const wrong = wrongIn(sandbox, gates);
    expect(wrong, journalOf(sandbox, wrong)).toEqual([]);
    // Not by how many presses Slack saw acknowledged: on a busy machine most of those come too late, and still count.
    const effects = gates.flatMap(({ token }) => sandbox.service.approval(token).effects);
    const pressed = effects.filter(({ through }) => through !== 'elsewhere');
    expect(pressed.length).toBeGreaterThan(GATES / 2);
  });
});
