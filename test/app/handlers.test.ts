import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
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
