import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createRuleFollower } from '../../src/app/handlers.ts';
import type { IntakeCore } from '../../src/approvals/ways-in/intake-calls.ts';
import type { Timers } from '../../src/core/lib/timers.ts';
import { StoreError } from '../../src/core/store/store.ts';
import { fake } from '../support/fake.ts';
import { registeredListeners } from '../support/registered-listeners.ts';

it('registers one listener for each id, and any number for an event', () => {
  const ids = registeredListeners()
    .filter(([method]) => method !== 'event')
    .map((listener) => listener.join(' '));
  expect(ids.length).toBeGreaterThan(60);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

it('listens to the commands, shortcuts and events of the manifest', async () => {
  const manifest = parse(await readFile(new URL('../../manifest.yml', import.meta.url), 'utf8'));
  const { slash_commands: commands, shortcuts } = manifest.features;
  const ids = (list: readonly Record<string, string>[], key: string) =>
    list.map((each) => each[key]).sort();
  const registered = (method: string) =>
    [
      ...new Set(registeredListeners().flatMap(([each, id]) => (each === method ? [id] : []))),
    ].sort();
  expect(registered('command')).toEqual(ids(commands, 'command'));
  expect(registered('shortcut')).toEqual(ids(shortcuts, 'callback_id'));
  expect(registered('event')).toEqual(manifest.settings.event_subscriptions.bot_events.sort());
});

it('looks again at what follows from the rules until the store answers, or it stops', async () => {
  const timed: (() => void)[] = [];
  let cancelled = 0;
  const timers = fake<Timers>({
    after(_ms, callback) {
      timed.push(callback);
      return () => {
        cancelled += 1;
      };
    },
  });
  const warned: unknown[] = [];
  const logger = fake<Logger>({ warn: ((facts: unknown) => void warned.push(facts)) as never });
  let looks = 0;
  let isAway = true;
  const ruled = async () => {
    looks += 1;
    if (isAway) throw new StoreError('unavailable', 'away');
  };
  const following = createRuleFollower(fake<IntakeCore>({ timers, logger }), [ruled]);
  await following.follow();
  expect([looks, warned.length, timed.length]).toEqual([1, 1, 1]);
  timed[0]?.();
  await vi.waitFor(() => expect(timed).toHaveLength(2));
  isAway = false;
  timed[1]?.();
  await vi.waitFor(() => expect(looks).toBe(3));
  expect(timed).toHaveLength(2);
  isAway = true;
  const before = cancelled;
  following.stop();
  expect(cancelled).toBe(before + 1);
  await following.follow();
  expect(timed).toHaveLength(2);
});
