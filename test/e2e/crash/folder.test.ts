import { expect, test, vi } from 'vitest';
import { runProgram } from './run-program.ts';
import { startStage } from './stage.ts';

vi.setConfig({ maxConcurrency: 8, testTimeout: 120_000 });

test.concurrent('a second start on the same folder ends and says why', async () => {
  await using stage = await startStage('embedded');
  const second = runProgram(['dist/main.js', 'start'], stage.env);
  expect(await second.ended).toBe(1);
  expect(second.output.join('\n')).toContain(
    `is in use by process ${stage.bot.pid}. Stop that process, or set DATA_DIR to another folder.`,
  );
  const { ts } = await stage.ask();
  await stage.click('U0ANA', ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
});

test.concurrent('after kill -9 the folder is free at once, and holds what it held', async () => {
  await using stage = await startStage('embedded');
  const { ts } = await stage.ask();
  stage.kill();
  await stage.restart();
  await stage.click('U0BEN', ts, 'Reject');
  await stage.until(ts, /Rejected by <@U0BEN>/);
});
