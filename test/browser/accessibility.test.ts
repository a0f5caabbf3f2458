import { expect, it } from 'vitest';
import { OPENING } from '../../sandbox/demo.ts';
import { ask, onThe, press } from '../../sandbox/test/browser/on-the-page.ts';
import { violationsInBoth } from '../../sandbox/test/browser/violations.ts';
import { demoStage } from './demo-stage.ts';

const demo = demoStage({ opening: OPENING });

it('there are no accessibility violations in any state of the demo', {
  timeout: 300_000,
}, async () => {
  const page = await demo.open();
  const { log, dialog, thread } = onThe(page);
  const check = async (state: string): Promise<void> => {
    expect(await violationsInBoth(page), state).toEqual([]);
  };
  await log.waitFor();
  await check('first visit');
  const message = await ask(page, 'Deploy 4.2', { Route: 'production', Message: 'hostile' });
  await check('a message that waits');
  await press(message, 'Reject');
  await dialog.getByRole('textbox', { name: 'Reason' }).waitFor();
  await check('a modal');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await dialog.getByText('Please complete this required field.').waitFor();
  await check('a modal with an error');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const other = await ask(page, 'Deploy 4.3', { Route: 'default' });
  await page.getByLabel('You are').selectOption('U0GUS');
  await press(other, 'Approve');
  await log.getByText('Only visible to you').waitFor();
  await page.getByRole('button', { name: 'Reject elsewhere' }).first().click();
  await page.getByRole('button', { name: 'Tell the bot to check' }).click();
  await other.getByRole('button', { name: '1 reply' }).click();
  await thread.waitFor();
  await check('a thread and words for one person');
  await message.hover();
  await message.getByRole('button', { name: 'More message actions' }).click();
  await page.getByRole('menu').waitFor();
  await check('a menu');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Reset the sandbox' }).click();
  await dialog.waitFor();
  await check('a question');
});

it('there are no accessibility violations in a narrow window', async () => {
  const viewport = { width: 380, height: 720 };
  const page = await demo.open(undefined, { viewport });
  for (const part of ['Messages', 'Channels', 'Behind the scenes']) {
    const tabs = page.getByRole('navigation', { name: 'Parts of the page' });
    await tabs.getByRole('button', { name: part }).click();
    expect(await violationsInBoth(page), part).toEqual([]);
  }
});
