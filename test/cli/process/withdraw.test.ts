import process from 'node:process';
import { expect, test } from 'vitest';
import { runProgram } from '../../e2e/crash/run-program.ts';
import { PROGRAM } from '../../support/program.ts';
import { startWorld } from '../../support/world.ts';

/** `gatepost withdraw` as a process, with the real bot. */

const KEY = 'checkout/4711/deploy & more';

async function bot() {
  const world = await startWorld();
  const env = {
    PATH: process.env.PATH,
    GATEPOST_URL: world.app.url,
    GATEPOST_INTAKE_SECRET: world.sandbox.credentials.intakeSecret,
  };
  const withdraw = async (...words: readonly string[]) => {
    await using ran = runProgram([PROGRAM, 'withdraw', ...words], env);
    const code = await ran.ended;
    return { code, said: ran.output.join('\n') };
  };
  return { ...world, withdraw };
}

test('a request is withdrawn by its key, once, and its message says so', async () => {
  await using world = await bot();
  const { ts } = await world.ask({ key: KEY, title: 'Deploy' });
  expect(await world.withdraw('--key', KEY)).toEqual({
    code: 0,
    said: 'The request was withdrawn.',
  });
  await world.until(ts, /\*Withdrawn\*/);
  expect(await world.withdraw('--key', KEY)).toEqual({
    code: 0,
    said: 'The request was withdrawn less than a minute ago.',
  });
});

test('an approval of the service is withdrawn by its id', async () => {
  await using world = await bot();
  const { id, ts } = await world.ask();
  expect(await world.withdraw(id)).toMatchObject({ code: 0 });
  await world.until(ts, /\*Withdrawn\*/);
});

test('what is decided stays, and the outcome is said', async () => {
  await using world = await bot();
  const { ts } = await world.ask({ key: KEY, title: 'Deploy' });
  await world.click('U0ANA', ts, 'Approve');
  await world.until(ts, /Approved by/);
  const { code, said } = await world.withdraw('--key', KEY);
  expect(code).toBe(2);
  expect(said).toMatch(/was not withdrawn: it was approved by Ana \(U0ANA\)/);
  expect(await world.withdraw('--key', 'other')).toMatchObject({ code: 2 });
});
