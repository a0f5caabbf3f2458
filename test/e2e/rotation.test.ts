import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { startRestartingBot } from './restarting-bot.ts';
import { ANA } from './stage.ts';
import { story } from './story.ts';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

story('keys-rotated', 'an older approval is decided after the key was changed', async () => {
  await using bot = await startRestartingBot();
  const [old, young] = [newKey('k1'), newKey('k2')];
  await bot.restart({ GATEPOST_KEYS: old });
  const { ts, token } = await bot.ask();
  await bot.restart({ GATEPOST_KEYS: `${young},${old}` });
  await bot.click(ANA, ts, 'Approve');
  await bot.until(ts, /Approved by <@U0ANA>/);
  expect(bot.sandbox.service.approval(token).status).toBe('APPROVED');
});

story('keys-rotated', 'an approval sealed with the new key does not need the old one', async () => {
  await using bot = await startRestartingBot();
  const [old, young] = [newKey('k1'), newKey('k2')];
  await bot.restart({ GATEPOST_KEYS: `${young},${old}` });
  const { ts } = await bot.ask();
  await bot.restart({ GATEPOST_KEYS: young });
  await bot.click(ANA, ts, 'Approve');
  await bot.until(ts, /Approved by <@U0ANA>/);
});

story('keys-rotated nobody-without-answer', 'a key removed too early is reported', async () => {
  await using bot = await startRestartingBot();
  await bot.restart({ GATEPOST_KEYS: newKey('k1') });
  const { ts, token } = await bot.ask();
  await bot.restart({ GATEPOST_KEYS: newKey('k2') });
  await bot.click(ANA, ts, 'Approve');
  await bot.sandbox.until(() => bot.told(ANA).length > 0);
  expect(bot.told(ANA)).toEqual([expect.stringContaining('Request the approval again')]);
  expect(bot.sandbox.service.approval(token).status).toBe('PENDING');
});

story(
  'intake-rotated',
  'both secrets are accepted during a rotation, and only the new one after it',
  async () => {
    await using bot = await startRestartingBot();
    const { automation, credentials } = bot.sandbox;
    const secret = credentials.intakeSecret;
    await bot.restart({ GATEPOST_INTAKE_SECRET: `a-new-secret-of-the-source,${secret}` });
    expect((await automation.ask()).status).toBe(202);
    await bot.restart({ GATEPOST_INTAKE_SECRET: 'a-new-secret-of-the-source' });
    expect((await automation.ask()).status).toBe(401);
    await bot.restart({ GATEPOST_INTAKE_SECRET: secret });
    expect((await automation.ask()).status).toBe(202);
  },
);
