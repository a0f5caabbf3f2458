import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startReminders } from './reminders.ts';

/** The example of `src/core/engine/README.md`. */

test('the page shows the text of the example', async () => {
  const page = await readFile('src/core/engine/README.md', 'utf8');
  const [, text] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  expect(text).toBe(await readFile('test/core/engine/reminders.ts', 'utf8'));
});

/** Waits for the next thing said. */
function listener() {
  const said: string[] = [];
  let heard = () => {};
  const first = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const say = async (text: string) => {
    said.push(text);
    heard();
  };
  return { said, first, say };
}

test('a reminder is said when it is due', async () => {
  const { said, first, say } = listener();
  const reminders = startReminders(say);
  await reminders.remind('Stand-up', 1);
  await first;
  await reminders.stop();
  expect(said).toEqual(['Stand-up']);
});

test('a click says it now, and a second click does not say it again', async () => {
  const { said, say } = listener();
  const reminders = startReminders(say);
  const id = await reminders.remind('Stand-up', 3_600_000);
  await reminders.sayNow(id, 'a click');
  await reminders.sayNow(id, 'a click');
  await reminders.sayNow(id, 'another click');
  await reminders.stop();
  expect(said).toEqual(['Stand-up']);
});

test('what may have been said is not said again', async () => {
  const { said, say } = listener();
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);
  const broken = async (text: string) => {
    await say(text);
    throw new Error('the connection broke');
  };
  const reminders = startReminders(broken, { info: log, warn: log, error: log });
  const id = await reminders.remind('Stand-up', 3_600_000);
  await reminders.sayNow(id, 'a click');
  await reminders.sayNow(id, 'another click');
  await reminders.stop();
  expect(said).toEqual(['Stand-up']);
  expect(logged).toEqual(['a record made no progress']);
});
