import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { OPENING } from '../../sandbox/demo.ts';
import {
  buttonOf,
  choose as chooseIn,
  onThe,
  press,
} from '../../sandbox/test/browser/on-the-page.ts';
import { violations } from '../../sandbox/test/browser/violations.ts';
import { demoStage } from './demo-stage.ts';

const demo = demoStage({ opening: OPENING });

const request = (page: Page, title: string) =>
  onThe(page).log.getByRole('article').filter({ hasText: title }).first();
const opening = (page: Page) => request(page, OPENING.title);

function touring(page: Page) {
  const { hint, backstage, composer, dialog } = onThe(page);
  const progress = page.locator('.progress');
  return {
    /** The hint has this text, after that many steps. */
    at: async (steps: number, words: string): Promise<void> => {
      await hint.getByText(words).waitFor();
      expect(await progress.textContent()).toBe(`${steps} of 10`);
    },
    /** What is ringed, in sight. */
    ringed: async (words: string): Promise<void> => {
      const ring = page.locator('[data-ringed]');
      await expect.poll(() => ring.allTextContents()).toEqual([expect.stringContaining(words)]);
      const covering = `(() => {
        const ringed = document.querySelector('[data-ringed]');
        const { top, bottom, left } = ringed.getBoundingClientRect();
        const seen = document.elementFromPoint(left + 5, (top + bottom) / 2);
        return ringed.contains(seen) ? '' : seen?.outerHTML.slice(0, 500);
      })()`;
      await expect.poll(() => page.evaluate(covering)).toBe('');
    },
    be: (user: string) => page.getByLabel('You are').selectOption(user),
    behind: (name: string) => backstage.getByRole('button', { name, exact: true }).click(),
    send: async (command: string): Promise<void> => {
      await composer.fill(command);
      await composer.press('Enter');
    },
    choose: async (name: string, typed: string): Promise<void> => {
      await dialog.getByRole('combobox', { name, exact: true }).fill(typed);
      await dialog.getByRole('option', { name: new RegExp(typed, 'i') }).click();
    },
    next: (name: string) => dialog.getByRole('button', { name, exact: true }).click(),
  };
}

it('leads through all steps with visible hints, and starts over', async () => {
  const page = await demo.open();
  const { dialog, setting, log, backstage, hint } = onThe(page);
  const { at, ringed, be, behind, send, choose, next } = touring(page);
  await at(0, 'You are Ana, a release manager. A pipeline waits: press Approve in #deployments.');
  await ringed('Approve');
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
  // The ring does not move the place from which Tab goes on.
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip');
  await page.getByRole('button', { name: /^releases/ }).click();
  await ringed('deployments');
  await page.getByRole('button', { name: /^deployments/ }).click();
  await ringed('Approve');
  await be('U0GUS');
  await at(0, 'You are Gus, who cannot decide.');
  await be('U0BEN');
  const terminal = backstage.getByRole('log', { name: 'Terminal' });
  await terminal.getByText('Waiting for').waitFor();
  await press(opening(page), 'Approve');
  await at(1, 'Now a service’s automation asks: press “Ask for approval”.');
  await terminal.getByText('exit code 0').waitFor();
  const isAtEnd = (box: { scrollHeight: number; scrollTop: number; clientHeight: number }) =>
    box.scrollHeight - box.scrollTop - box.clientHeight < 2;
  expect(await terminal.evaluate(isAtEnd)).toBe(true);

  await ringed('Ask for approval');
  await behind('Ask for approval');
  await at(1, 'Press Reject this time, and write why.');
  await ringed('Reject');
  // A decision in the service is none in Slack.
  await behind('Reject elsewhere');
  await at(1, 'press “Tell the bot to check”');
  await ringed('Tell the bot to check');
  await behind('Tell the bot to check');
  await at(1, 'Then press “Ask for approval” again, and reject.');
  await behind('Ask for approval');
  const latest = log.getByRole('article').filter({ hasText: 'Deploy 4.2' }).last();
  await press(latest, 'Reject');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not on a Friday.');
  await next('Reject');
  await at(2, 'Open the menu ⋯ of the message, and choose “Details…”');
  await latest.getByText('Rejected by').waitFor();
  // It moves the message: a press that it meets halfway is none.
  await latest.getByText('1 reply').waitFor();
  await chooseIn(latest, 'Details…');
  await at(3, 'Now be refused: press “Ask for approval” again.');
  await page.keyboard.press('Escape');

  await ringed('Ask for approval');
  await behind('Ask for approval');
  await at(3, 'switch to Gus (top right)');
  await ringed('Ben Okafor');
  await be('U0GUS');
  const second = log.getByRole('article').filter({ hasText: 'Deploy 4.2' }).last();
  await press(second, 'Approve');
  await at(4, 'Under “Break things”, set the service to “is down”.');

  await ringed('The service');
  await setting('The service').selectOption('down');
  await at(4, 'Switch to Ana or Ben');
  await be('U0ANA');
  await at(4, 'Press Approve and watch the message.');
  const approve = buttonOf(log, 'Approve');
  await approve.click();
  await at(5, 'press “Fix everything” under “Break things”');
  await ringed('Fix everything');
  await behind('Fix everything');
  // On a busy machine the half minute may be over for which a click is held up.
  const givenUp = hint.getByText('Press Approve again.');
  await givenUp.or(hint.getByText('In #infrastructure')).waitFor();
  if (await givenUp.isVisible()) await approve.click();
  await at(6, 'In #infrastructure, Security has to approve. Switch to Ben (top right).');

  await be('U0BEN');
  await at(6, 'Ben is in Security: approve a request in #infrastructure.');
  await ringed('infrastructure');
  await page.getByRole('button', { name: /^infrastructure/ }).click();
  await ringed('Approve');
  const held = log.getByRole('article').last();
  await press(held, 'Approve');
  await at(6, 'Approved, but held for 30 seconds: press Undo.');
  await ringed('Undo');
  await press(held, 'Undo');
  await at(7, 'Send “/approvals”');
  expect(await violations(page)).toEqual([]);

  await send('/approvals');
  await log.getByText('Raise the rate limit').last().waitFor();
  await at(8, 'Open Gatepost on the left and its Home tab.');
  await ringed('Gatepost');
  await page.getByRole('navigation', { name: 'Workspace' }).getByText('Gatepost').click();
  await ringed('Home');
  await page.getByRole('tab', { name: 'Home' }).click();
  await page.getByRole('button', { name: 'Select…' }).click();
  await next('Select all');
  await dialog.getByText('Decision for the 4 selected').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await at(9, 'Switch to Ana (top right), then send “/move-task OPS-12”');
  await be('U0ANA');
  await ringed('deployments');
  await page.getByRole('button', { name: /^deployments/ }).click();
  // To send a command is not yet to move anything.
  await send('/move-task OPS-18');
  await choose('Project', 'website');
  await at(9, 'As Ana, send “/move-task OPS-12”');
  await next('Next');
  await choose('Open', 'to do');
  await next('Review');
  await next('Move 1 item');
  await at(10, 'That was the tour.');
  const guide = hint.getByRole('link', { name: 'Set Gatepost up in your own workspace' });
  const led = await fetch(new URL(String(await guide.getAttribute('href')), page.url()));
  expect(await led.text()).toContain('npm run setup');
  await page.keyboard.press('Escape');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Restart the tour' }).click();
  await next('Start over');
  await at(0, 'press Approve in #deployments.');
  await opening(page).getByRole('button', { name: 'Approve' }).waitFor();
});

it('marks the way to other parts of the page in a narrow window', async () => {
  const page = await demo.open(undefined, { viewport: { width: 380, height: 720 } });
  const { at, ringed } = touring(page);
  await ringed('Approve');
  await press(opening(page), 'Approve');
  await at(1, 'Now a service’s automation asks');
  await ringed('Behind the scenes');
  await page.locator('[data-ringed]').click();
  await ringed('Ask for approval');
  await page.setViewportSize({ width: 1280, height: 720 });
  await ringed('Ask for approval');
});

it('the composer of a narrow window keeps its height when the person is changed behind it', async () => {
  const page = await demo.open(undefined, { viewport: { width: 390, height: 844 } });
  const { composer } = onThe(page);
  const tabs = page.getByRole('navigation', { name: 'Parts of the page' });
  const height = async () => (await composer.boundingBox())?.height;
  await composer.waitFor();
  const before = await height();
  await tabs.getByRole('button', { name: 'Behind the scenes' }).click();
  await page.getByLabel('You are').selectOption('U0BEN');
  await page.getByText('You are Ben').waitFor();
  await tabs.getByRole('button', { name: 'Messages' }).click();
  expect(await height()).toBe(before);
});

it('a substitute is chosen from the list of people', async () => {
  const page = await demo.open();
  const { composer, log } = onThe(page);
  await composer.fill('/approvals away until friday @Be');
  await page.getByRole('option', { name: '@Ben Okafor' }).click();
  await composer.press('Enter');
  await log.getByText('stands in for you').waitFor();
});

it('a step can be skipped, the progress survives a reload, and a reset clears it', async () => {
  const page = await demo.open();
  const { at } = touring(page);
  const { backstage } = onThe(page);
  await page.getByRole('button', { name: 'Skip' }).click();
  await at(1, 'Now a service’s automation asks');
  await page.reload();
  await at(1, 'Now a service’s automation asks');
  const exported = backstage.getByText(/^export GATEPOST_URL=/);
  const before = await exported.textContent();
  await demo.restart(() =>
    page.getByText('The sandbox does not answer. The page reconnects automatically.').waitFor(),
  );
  await at(0, 'You are Ana, a release manager.');
  const after = await exported.textContent();
  expect(after).toContain(demo.sandbox.credentials.intakeSecret);
  expect(after).not.toBe(before);
  await press(opening(page), 'Approve');
  await opening(page).getByText('Approved by @Ana').waitFor();
});

it('a command can be copied', async () => {
  const page = await demo.open(undefined, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { backstage } = onThe(page);
  await backstage
    .getByRole('button', { name: 'Copy “Let a terminal reach this Gatepost”' })
    .click();
  await backstage.getByText('Copied', { exact: true }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    await backstage.getByText(/^export GATEPOST_URL=/).textContent(),
  );
});
