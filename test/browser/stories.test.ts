import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ask, buttonOf, onThe, press } from '../../sandbox/test/browser/on-the-page.ts';
import { demoStage } from './demo-stage.ts';

const demo = demoStage();

const as = demo.open;
const requests = (page: Page) =>
  onThe(page).backstage.getByRole('list', { name: 'Requests, newest first' }).getByRole('listitem');

describe('a visitor', () => {
  it('resets the demo to an empty workspace and a bot without records', async () => {
    const page = await as('U0ANA');
    await ask(page, 'Deploy old');
    await page.getByRole('button', { name: 'Reset the sandbox' }).click();
    await onThe(page).dialog.getByRole('button', { name: 'Start over' }).click();
    await onThe(page).log.getByText('An approval, from question to answer').waitFor();
    const message = await ask(page, 'Deploy new');
    await press(message, 'Approve');
    await message.getByText('Approved by @Ana').waitFor();
    expect(await onThe(page).log.getByText('Deploy old').count()).toBe(0);
  });
});

describe('a reviewer', () => {
  it('approves, and sees what the service received, the thread, and who was told', async () => {
    const page = await as('U0ANA');
    const { log, thread, backstage } = onThe(page);
    const message = await ask(page, 'Deploy 4.2');
    await press(message, 'Approve');
    await message.getByText('Approved by @Ana').waitFor();
    expect(await buttonOf(message, 'Approve').count()).toBe(0);
    await backstage.getByText('approved · by Ana Reyes').waitFor();
    expect(await requests(page).first().textContent()).toMatch(
      /^\d\d:\d\d:\d\d POST approve by Ana Reyes to A1 200$/,
    );
    await message.getByRole('button', { name: '1 reply' }).click();
    await thread.getByText(/Approved after \d+ s/).waitFor();
    await page.getByRole('textbox', { name: 'Reply…' }).fill('Thank you, @Ana!');
    await page.keyboard.press('Enter');
    await message.getByRole('button', { name: '2 replies' }).waitFor();
    await page.getByRole('button', { name: /^releases/ }).click();
    await log.getByText('Approved by Ana').waitFor();
    const cleo = await as('U0CLEO');
    await cleo.getByRole('button', { name: 'Gatepost 1 for you' }).click();
    await onThe(cleo).log.getByText('Approved by Ana').waitFor();
  });

  it('rejects with a reason, which the modal requires', async () => {
    const page = await as('U0BEN');
    const { dialog } = onThe(page);
    const message = await ask(page, 'Deploy 4.2', { Route: 'production' });
    await press(message, 'Reject');
    await dialog.getByRole('textbox', { name: 'Reason' }).waitFor();
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.getByText('Please complete this required field.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(demo.sandbox.service.approvals()).toMatchObject([{ status: 'PENDING' }]);
    await press(message, 'Reject');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not on a Friday <b>');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await message.getByText('Rejected by @Ben').waitFor();
    await message.locator('blockquote', { hasText: 'Not on a Friday <b>' }).waitFor();
  });

  it('approves at the same time as another in a second window: each approval counts once', async () => {
    const [ana, ben] = await Promise.all([as('U0ANA'), as('U0BEN')]);
    const forAna = await ask(ana, 'Deploy 4.2', { 'Approvals needed': '2' });
    const forBen = onThe(ben).log.getByRole('article').filter({ hasText: 'Deploy 4.2' });
    await Promise.all([press(forAna, 'Approve'), press(forBen, 'Approve')]);
    for (const message of [forAna, forBen]) {
      await message.getByText(/Approved by @(Ana|Ben) and @(Ana|Ben)/).waitFor();
    }
    expect(demo.sandbox.service.requests('respond')).toHaveLength(1);
  });

  it('decides against another at the same time: one decision counts, the other person is told', async () => {
    const [ana, ben] = await Promise.all([as('U0ANA'), as('U0BEN')]);
    const forAna = await ask(ana, 'Deploy 4.2');
    const forBen = onThe(ben).log.getByRole('article').filter({ hasText: 'Deploy 4.2' });
    await buttonOf(forBen, 'Reject').waitFor();
    // The second person still has the button.
    demo.sandbox.service.fault({
      operation: 'getApproval',
      kind: 'slowAnswer',
      ms: 2_000,
      times: 1,
    });
    const reject = async () => {
      await press(forBen, 'Reject');
      await onThe(ben).dialog.getByRole('button', { name: 'Reject' }).click();
    };
    await Promise.all([press(forAna, 'Approve'), reject()]);
    const outcome = /^(Approved by @Ana|Rejected by @Ben)/;
    await forAna.locator('strong', { hasText: outcome }).waitFor();
    const winner = await forAna.locator('strong', { hasText: outcome }).textContent();
    await forBen.locator('strong', { hasText: winner ?? '' }).waitFor();
    const loser = winner?.includes('Ana') ? ben : ana;
    await onThe(loser).log.getByText('Only visible to you').waitFor();
    expect(demo.sandbox.service.approvals()[0]?.effects).toHaveLength(1);
  });
});

describe('somebody who cannot decide', () => {
  it('is refused, and nobody else sees the reply', async () => {
    const [ana, gus] = await Promise.all([as('U0ANA'), as('U0GUS')]);
    await ask(ana, 'Deploy 4.2');
    const message = onThe(gus).log.getByRole('article').filter({ hasText: 'Deploy 4.2' });
    await press(message, 'Approve');
    await onThe(gus).log.getByText('Only visible to you').waitFor();
    await onThe(gus).log.getByText('Guests cannot decide').waitFor();
    await message.getByText('Waiting').waitFor();
    expect(await onThe(ana).log.getByText('Guests cannot').count()).toBe(0);
    expect(demo.sandbox.service.requests('respond')).toEqual([]);
  });
});

describe('a command', () => {
  it('can be chosen and completed by keyboard, and lists what is waiting to that person only', async () => {
    const [ana, ben] = await Promise.all([demo.open('U0ANA'), demo.open('U0BEN')]);
    const { composer, log } = onThe(ana);
    await ask(ana, 'Deploy 4.2');
    await composer.pressSequentially('/app');
    await ana.getByRole('option', { name: /^\/approvals/ }).waitFor();
    await composer.press('Tab');
    await composer.press('Enter');
    await log.getByRole('heading', { name: 'Waiting for you' }).waitFor();
    await log.getByText('Only visible to you').waitFor();
    expect(await onThe(ben).log.getByText('Waiting for you').count()).toBe(0);
    await log.getByRole('link', { name: 'Deploy 4.2' }).click();
    await log.locator('.sought', { hasText: 'Deploy 4.2' }).waitFor();
  });

  it('moves a work item in one modal with several views', async () => {
    const page = await demo.open('U0CLEO');
    const { composer, dialog, log } = onThe(page);
    await composer.fill('/move-task OPS-12');
    await composer.press('Enter');
    await dialog.getByText('with 4 sub-items').waitFor();
    const choose = async (name: string, typed: string): Promise<void> => {
      await dialog.getByRole('combobox', { name, exact: true }).fill(typed);
      await dialog.getByRole('option', { name: new RegExp(typed, 'i') }).click();
    };
    await choose('Project', 'platform');
    await dialog.getByRole('button', { name: 'Next' }).click();
    expect(await dialog.getByRole('combobox', { name: 'Done' }).inputValue()).toBe('Done');
    await choose('Open', 'backlog');
    await choose('Waiting', 'in review');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByText('Waiting (1) → In review').waitFor();
    await dialog.getByRole('button', { name: 'Move 5 items' }).click();
    await dialog.getByText('OPS-12 → PLAT-7, 5 items moved').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await log.getByText('Work item moved to Platform by Cleo').waitFor();
    await page.getByText('Platform · 7 items').waitFor();
  });

  it('reports a change that was made elsewhere', async () => {
    const page = await demo.open('U0ANA');
    const { composer, dialog } = onThe(page);
    await composer.fill('/move-task OPS-18');
    await composer.press('Enter');
    await dialog.getByRole('combobox', { name: 'Project' }).fill('website');
    await dialog.getByRole('option', { name: 'Website' }).click();
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('combobox', { name: 'Open' }).fill('to do');
    await dialog.getByRole('option', { name: 'To do' }).click();
    await dialog.getByRole('button', { name: 'Review' }).click();
    const move = dialog.getByRole('button', { name: 'Move 1 item' });
    await move.waitFor();
    demo.sandbox.service.tasks.edit('OPS-18', { title: 'Renew all certificates' });
    await move.click();
    await dialog
      .getByText(/changed/)
      .first()
      .waitFor();
    expect(demo.sandbox.service.tasks.item('OPS-18').projectId).toBe(
      demo.sandbox.service.tasks.item('OPS-12').projectId,
    );
  });
});

describe('test cases', () => {
  it('are created from a form, and several at once from lines', async () => {
    const page = await demo.open('U0CLEO');
    const { backstage, composer, dialog, log } = onThe(page);
    await composer.fill('/new-case Pay by card');
    await composer.press('Enter');
    const project = dialog.getByRole('combobox', { name: 'Test project' });
    await project.fill('checkout');
    await dialog.getByRole('option', { name: /Checkout/ }).click();
    await dialog.getByRole('combobox', { name: 'Suite' }).fill('smoke');
    await dialog.getByRole('option', { name: 'Smoke' }).click();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Draft: not in test runs until it is Ready.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await log.getByText(/Created by Cleo\s*Pay by card in Checkout/).waitFor();
    await composer.fill('/new-case');
    await composer.press('Enter');
    await dialog.getByRole('button', { name: 'Several at once' }).click();
    const lines = dialog.getByRole('textbox', { name: 'Lines' });
    await lines.fill('Pay later | hihg\nPay twice');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText('Did you mean High?').waitFor();
    await lines.fill('Pay later | high\nPay twice');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText('1. Pay later · High').waitFor();
    await dialog.getByRole('button', { name: 'Create 2' }).click();
    await dialog.getByText('Received 2 test cases in Checkout').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: /^Gatepost/ }).click();
    await log.getByText('All 2 test cases created in Checkout').waitFor();
    await backstage.getByText('Checkout · 3 test cases').click();
    const cases = backstage.getByRole('list', { name: 'Test cases in Checkout, newest first' });
    expect(await cases.getByRole('listitem').allTextContents()).toEqual([
      'Pay twiceDRAFT · MEDIUM · MANUAL · Smoke',
      'Pay laterDRAFT · HIGH · MANUAL · Smoke',
      'Pay by cardDRAFT · MEDIUM · MANUAL · Smoke',
    ]);
  });
});

describe('accounts', () => {
  it('are found, changed and deactivated', async () => {
    const page = await demo.open('U0ANA');
    const { backstage, composer, dialog } = onThe(page);
    await composer.fill('/people find cleo');
    await composer.press('Enter');
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'Job title' }).fill('Lead');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Changed', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Open account' }).click();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    const sure = page.getByRole('dialog', { name: /^Deactivate Cleo/ });
    await sure.getByText('Documents and tasks are kept.').waitFor();
    await sure.getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByText('Deactivated', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await backstage.getByText('8 accounts').click();
    const accounts = backstage.getByRole('list', { name: 'Accounts' });
    await accounts.getByText('cleo@example.com · deactivated · Lead').waitFor();
  });
});

describe('outside Slack', () => {
  it('a decision is shown after the bot has checked', async () => {
    const page = await as('U0ANA');
    const message = await ask(page, 'Deploy 4.2');
    await page.getByRole('button', { name: 'Reject elsewhere' }).click();
    await page.getByRole('button', { name: 'Tell the bot to check' }).click();
    await message.getByText('Rejected elsewhere').waitFor();
  });

  it('a withdrawal by the automation closes the request', async () => {
    const page = await as('U0ANA');
    const message = await ask(page, 'Deploy 4.2');
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await message.getByText('Withdrawn').waitFor();
  });

  it('a failing service is reported, and the bot works again when it is fixed', async () => {
    const page = await as('U0ANA');
    const { setting } = onThe(page);
    const message = await ask(page, 'Deploy 4.2');
    await setting('The service').selectOption('down');
    await page.getByRole('button', { name: 'Fix everything' }).waitFor();
    await press(message, 'Approve');
    await requests(page).filter({ hasText: 'no answer' }).first().waitFor();
    await message.getByText('Waiting for the service').waitFor();
    await page.getByRole('button', { name: 'Fix everything' }).click();
    await page.getByRole('button', { name: 'Fix everything' }).waitFor({ state: 'detached' });
    await message.getByText('Approved by @Ana').waitFor();
  });

  it('a lost response does not keep the outcome out of the message', async () => {
    const page = await as('U0ANA');
    const message = await ask(page, 'Deploy 4.2');
    demo.sandbox.service.fault({ kind: 'dropAfter', operation: 'respond', times: 1 });
    await press(message, 'Approve');
    await message.getByText('Approved', { exact: true }).waitFor();
    expect(demo.sandbox.service.requests('respond')).toHaveLength(1);
  });
});

it('shows hostile text as text', async () => {
  const page = await as('U0ANA');
  const title = '<script>alert(1)</script> <!channel>';
  const message = await ask(page, title, { Message: 'hostile' });
  await message.getByRole('heading', { name: title }).waitFor();
  await message.getByText('<!channel> <https://evil.example|click here>').waitFor();
  expect(await message.locator('script, img, a, .mention', { hasText: 'channel' }).count()).toBe(0);
});
