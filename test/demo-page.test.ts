import { expect, test } from 'vitest';
import { OPENING } from '../sandbox/demo.ts';
import { ask, buttonOf, onThe, press } from '../sandbox/test/browser/on-the-page.ts';
import { violations } from '../sandbox/test/browser/violations.ts';
import { demoStage } from './browser/demo-stage.ts';

/** The only quick test with a browser. It stands for those in the folders `browser`. */

const demo = demoStage({ opening: OPENING });

test('a person approves, asks and rejects on the page of the demo, which has no accessibility violations', async () => {
  const page = await demo.open();
  const { log, dialog, thread, backstage, hint } = onThe(page);
  await hint.getByText('You are Ana, a release manager.').waitFor();
  const first = log.getByRole('article').filter({ hasText: OPENING.title });
  await press(first, 'Approve');
  await first.getByText('Approved by @Ana').waitFor();
  expect(await buttonOf(first, 'Approve').count()).toBe(0);
  await hint.getByText('Now a service’s automation asks').waitFor();
  await backstage.getByText('exit code 0').waitFor();
  await first.getByRole('button', { name: '1 reply' }).click();
  await thread.getByText(/Approved after \d+ s/).waitFor();
  await page.getByRole('button', { name: 'Close thread' }).click();

  const second = await ask(page, 'Deploy <b>4.2</b>', { Route: 'production' });
  await press(second, 'Reject');
  const reason = dialog.getByRole('textbox', { name: 'Reason' });
  await reason.waitFor();
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await dialog.getByText('Please complete this required field.').waitFor();
  expect(await violations(page)).toEqual([]);
  await reason.fill('Not on a Friday');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await second.getByText('Rejected by @Ana').waitFor();
  await second.locator('blockquote', { hasText: 'Not on a Friday' }).waitFor();
  await second.getByRole('heading', { name: 'Deploy <b>4.2</b>' }).waitFor();
  expect(demo.sandbox.service.approvals().map(({ status }) => status)).toEqual(['REJECTED']);
});
