/**
 * `npm run pictures`: takes the pictures of the documents (docs/*.png) from the demo, on Linux with an emoji font. With
 * `-- --states <folder>` it takes every state of a request instead, in both widths and themes, for review.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import type { Question } from '../sandbox/automation/automation.ts';
import { startDemo } from '../sandbox/demo.ts';
import { choose as chooseIn, onThe, press } from '../sandbox/test/browser/on-the-page.ts';
import { launchBrowser } from '../sandbox/test/browser/one-browser.ts';
import { takeMovingPicture } from './moving-picture.ts';

const { values } = parseArgs({ options: { states: { type: 'string' } } });
const demo = await startDemo();
const { sandbox } = demo;
const { automation, service } = sandbox;
const browser = await launchBrowser();
const reviewers = { users: ['U0ANA', 'U0BEN'] };

if (values.states === undefined) {
  await picturesOfDocs();
  await takeMovingPicture(browser);
} else await picturesOfStates(values.states);
await browser.close();
await demo.stop();

async function picturesOfDocs(): Promise<void> {
  await automation.ask({
    prompt: 'Deploy checkout 4.2',
    title: 'Deploy checkout 4.2',
    message: 'All checks are green. Shall it go out?',
    fields: { Version: '4.2', Environment: 'production' },
    requestedBy: { slackUser: 'U0CLEO' },
    reviewers,
  });
  const page = await open('U0ANA', 1180, 900, 2);
  const { log, thread } = onThe(page);
  const decided = requestOn(page, 'Deploy checkout 4.2');
  await press(decided, 'Approve');
  await decided.getByText('Approved by').waitFor();
  await automation.ask({
    prompt: 'Deploy search 7.0',
    title: 'Deploy search 7.0',
    message: 'The new index is warm. Switch over?',
    fields: { Index: 'products-7', Change: 'CHG-1207' },
    requestedBy: { slackUser: 'U0DANA' },
    reviewers,
  });
  await requestOn(page, 'Deploy search 7.0').getByText('Reject', { exact: true }).waitFor();
  // It folds half a minute after its outcome.
  const asked = decided.getByText('All checks are green');
  await asked.waitFor({ state: 'detached', timeout: 60_000 });
  await page.mouse.move(0, 0);
  // The channel from its name to the end of the last message.
  const main = await page.getByRole('main').boundingBox();
  const last = await log.getByRole('article').last().boundingBox();
  if (!main || !last) throw new Error('The page shows no messages.');
  const clip = { ...main, height: last.y + last.height + 8 - main.y };
  await page.screenshot({ path: 'docs/message.png', clip });

  await page.setViewportSize({ width: 1440, height: 810 });
  await decided.getByRole('button', { name: '1 reply' }).click();
  await thread.getByText(/Approved after/).waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: 'docs/page.png', scale: 'css' });
  await picturesForApprovers();
}

/** Of a press that asks for a reason, and of the Home tab. */
async function picturesForApprovers(): Promise<void> {
  const page = await open('U0ANA', 1180, 700, 1.5);
  const { dialog } = onThe(page);
  await press(requestOn(page, 'Deploy search 7.0'), 'Reject');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Please wait until the sale is over.');
  const style = '::backdrop { background: white }';
  await dialog.screenshot({ path: 'docs/reason.png', style });
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 1180, height: 740 });
  await page.getByRole('button', { name: /^Gatepost/ }).click();
  await page.getByRole('tab', { name: 'Home' }).click();
  const home = page.getByRole('tabpanel', { name: 'Home' });
  await home.getByRole('heading', { name: /Decided/ }).waitFor();
  await page.mouse.move(0, 0);
  await home.screenshot({ path: 'docs/home.png' });
}

/** Of the message, the thread, the outcome channel, the direct message, the modals, and the list. */
async function picturesOfStates(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const page = await open('U0ANA', 1440, 900);
  const { composer, dialog, log } = onThe(page);
  const shoot = pictures(folder);
  await picturesOfNeeds(shoot);
  const ask = async (
    question: Question,
  ): Promise<{ message: Locator; id: string; token: string }> => {
    const { id, token } = await automation.ask({ reviewers, ...question });
    const message = requestOn(page, question.title ?? '');
    await message.getByText('Reject', { exact: true }).waitFor();
    return { message, id, token };
  };

  await ask({
    title: 'Deploy checkout 4.2 to production',
    message:
      'All checks are green, see https://ci.example.com/7 and `rollout status`.\n```\nkubectl apply -f checkout.yaml\n```\nShall it go out?',
    fields: { Version: '4.2', Environment: 'production', Change: 'CHG-1207' },
    link: 'https://ci.example.com/runs/7',
    requestedBy: { slackUser: 'U0CLEO' },
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const lines = Array.from({ length: 300 }, (_, at) => `+ web[${at}] = "t3.large"`);
  await ask({ title: 'Apply plan 1207', message: 'Apply?', change: lines.join('\n') });

  const two = await ask({ title: 'Rotate the signing key', route: 'production' });
  await press(two.message, 'Approve');
  await dialog.getByRole('textbox', { name: 'Reason' }).waitFor();
  await shoot(page, 'modal-approve');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await two.message.getByText('1 of 2').waitFor();
  await press(two.message, 'Approve');
  await log.getByText('You already approved').waitFor();

  const rejected = await ask({
    title: 'Drop the old index',
    message: 'Nobody has read it since May.',
    link: 'https://ci.example.com/runs/6',
    requestedBy: { slackUser: 'U0CLEO' },
  });
  await press(rejected.message, 'Reject');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not on a Friday.');
  await shoot(page, 'modal-reject');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await rejected.message.getByText('Rejected by').waitFor();

  const approved = await ask({
    title: 'Deploy search 7.0',
    link: 'https://ci.example.com/runs/8',
    requestedBy: { slackUser: 'U0CLEO' },
  });
  await press(approved.message, 'Approve');
  await approved.message.getByText('Approved by').waitFor();

  const timedOut = await ask({ title: 'Deploy search 7.1' });
  service.timeOut(timedOut.token);
  await automation.check(timedOut.id);
  await timedOut.message.getByText('Timed out').first().waitFor();
  const elsewhere = await ask({ title: 'Deploy search 7.2' });
  service.decide(elsewhere.token, 'approve');
  await automation.check(elsewhere.id);
  await elsewhere.message.getByText('Approved elsewhere').waitFor();
  const withdrawn = await ask({ title: 'Deploy search 7.3' });
  await automation.withdraw(withdrawn.id);
  await withdrawn.message.getByText('Withdrawn').waitFor();
  const gone = await ask({ title: 'Deploy search 7.4' });
  service.decide(gone.token, 'approve');
  service.setVariant({ usedTokenGet: 410 });
  await automation.check(gone.id);
  await gone.message.getByText('Unknown').waitFor();
  service.setVariant({ usedTokenGet: 200 });

  const sending = await ask({ title: 'Deploy search 7.5' });
  service.fault({ operation: 'respond', kind: 'slowAnswer', ms: 4_500, times: 1 });
  await press(sending.message, 'Approve');
  await sending.message.getByText('Sending').waitFor();
  await shoot(page, 'sending');
  await sending.message.getByText('Approved by').waitFor();
  const stale = await ask({ title: 'Deploy search 7.6' });
  service.fault({ operation: 'getApproval', kind: '500' });
  await automation.check(stale.id);
  await stale.message.getByText('keeps trying').waitFor({ timeout: 60_000 });
  service.clearFaults();

  // A message folds half a minute after its outcome.
  for (const [{ message }, asked] of [
    [rejected, 'Nobody has read it'],
    [approved, 'Deploy to production?'],
  ] as const) {
    await message.getByText(asked).waitFor({ state: 'detached', timeout: 60_000 });
  }
  await chooseIn(approved.message, 'Details…');
  await dialog.getByText('What happened').waitFor();
  await shoot(page, 'modal-details', 1_200);
  await page.keyboard.press('Escape');
  await chooseIn(rejected.message, 'Show request');
  await dialog.getByText('Drop the old index').first().waitFor();
  await shoot(page, 'modal-request');
  await page.keyboard.press('Escape');

  await composer.fill('/approvals');
  await composer.press('Enter');
  await log.getByText('Only visible to you').nth(1).waitFor();
  await shoot(page, 'channel', 4_200);
  await approved.message.getByRole('button', { name: /repl/ }).click();
  await shoot(page, 'thread');
  await page.getByRole('button', { name: /^releases/ }).click();
  await shoot(page, 'outcomes');
  const cleo = await open('U0CLEO', 1440, 900);
  await cleo.getByRole('button', { name: /^Gatepost/ }).click();
  await shoot(cleo, 'direct-message');
  await page.getByRole('button', { name: /^Gatepost/ }).click();
  await page.getByRole('tab', { name: 'Home' }).click();
  await page.getByRole('heading', { name: /Waiting for you/ }).waitFor();
  await shoot(page, 'home', 2_400);
  const review = page
    .getByRole('tabpanel', { name: 'Home' })
    .getByRole('button', { name: /Review/ });
  await review.first().click();
  await dialog.getByRole('button', { name: /Approve/ }).waitFor();
  await shoot(page, 'modal-review', 1_600);
  await page.keyboard.press('Escape');
  await picturesOfForms(shoot);
}

/** Of requests with needs: waiting, approved and decided; of Details, and of Home with Select… and Withdraw. */
async function picturesOfNeeds(shoot: Shoot): Promise<void> {
  const ask = (title: string, requester: string) =>
    automation.ask({
      ...{ key: title, title, route: 'infrastructure' },
      requestedBy: { slackUser: requester },
    });
  const ana = await open('U0ANA', 1440, 900);
  await ana.getByRole('button', { name: /^infrastructure/ }).click();
  await ask('Apply plan 1207 to staging', 'U0DANA');
  const waiting = requestOn(ana, 'Apply plan 1207 to staging');
  await press(waiting, 'Approve');
  await waiting.getByText(/approved by/).waitFor();
  await shoot(ana, 'need-waiting');
  await chooseIn(waiting, 'Details…');
  await onThe(ana).dialog.getByText('What happened').waitFor();
  await shoot(ana, 'need-details', 1_200);
  await ana.keyboard.press('Escape');
  const ben = await open('U0BEN', 1440, 900);
  await ben.getByRole('button', { name: /^infrastructure/ }).click();
  await press(requestOn(ben, 'Apply plan 1207 to staging'), 'Approve');
  await waiting.getByText(/counts at/).waitFor();
  await shoot(ana, 'need-held');
  await waiting.getByText('Approved by').waitFor({ timeout: 60_000 });
  await shoot(ana, 'need-approved');
  for (const at of [1, 2, 3, 4]) await ask(`Apply plan 130${at}`, 'U0DANA');
  await ask('Rotate the keys of staging', 'U0BEN');
  await ben.getByRole('button', { name: /^Gatepost/ }).click();
  await ben.getByRole('tab', { name: 'Home' }).click();
  await ben.getByRole('button', { name: 'Withdraw' }).waitFor();
  await shoot(ben, 'need-home', 1_800);
  await ben.getByRole('button', { name: /^Select/ }).click();
  await onThe(ben).dialog.getByText('Apply plan 1301').waitFor();
  await shoot(ben, 'need-several', 1_400);
  await ben.keyboard.press('Escape');
}

/** Of the modals of `/move-task`, `/new-case` and `/people`, and of their announcements. */
async function picturesOfForms(shoot: Shoot): Promise<void> {
  const page = await open('U0ANA', 1440, 900);
  const { composer, dialog, log } = onThe(page);
  const type = async (command: string): Promise<void> => {
    await composer.fill(command);
    await composer.press('Enter');
  };
  const choose = async (name: string, typed: string): Promise<void> => {
    await dialog.getByRole('combobox', { name, exact: true }).fill(typed);
    await dialog.getByRole('option', { name: new RegExp(typed, 'i') }).click();
  };
  const next = (name: string) => dialog.getByRole('button', { name, exact: true }).click();
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };

  await type('/move-task OPS-99');
  await dialog
    .getByText(/OPS-99|no such work item/)
    .first()
    .waitFor();
  await shoot(page, 'move-not-found');
  await close();
  await type('/move-task OPS-12');
  await dialog.getByText('with 4 sub-items').waitFor();
  await shoot(page, 'move-destination');
  await choose('Project', 'platform');
  await next('Next');
  await choose('Open', 'backlog');
  await choose('Waiting', 'in review');
  await shoot(page, 'move-statuses');
  await next('Review');
  await dialog.getByText('Waiting (1) → In review').waitFor();
  await shoot(page, 'move-review');
  await next('Move 5 items');
  await dialog.getByText('5 items moved').waitFor();
  await shoot(page, 'move-done');
  await close();
  await type('/move-task OPS-18 OPS-19 PLAT-4 OPS-99');
  await dialog.getByText('Not included').waitFor();
  await shoot(page, 'move-several-destination');
  await choose('Project', 'website');
  await next('Next');
  for (const status of ['Open', 'Mitigated', 'In review']) await choose(status, 'to do');
  await shoot(page, 'move-several-statuses');
  await next('Review');
  await dialog.getByText('In review (1) → To do').waitFor();
  await shoot(page, 'move-several-review');
  service.tasks.edit('OPS-19', { title: 'The queue is slow all day' });
  await next('Move 3 items');
  await dialog.getByText('Received').waitFor();
  await close();
  await page.getByRole('button', { name: /^Gatepost/ }).click();
  await log.getByText('1 of 3 failed').waitFor();
  await shoot(page, 'move-several-results');
  await page.getByRole('button', { name: 'deployments' }).click();

  await type('/new-case Pay by card');
  await dialog.getByRole('combobox', { name: 'Test project' }).waitFor();
  await choose('Test project', 'checkout');
  await shoot(page, 'case-form');
  await next('Create');
  await dialog.getByText('Draft: not in test runs').waitFor();
  await shoot(page, 'case-done');
  await close();
  await type('/new-case');
  await next('Several at once');
  await dialog.getByRole('textbox', { name: 'Lines' }).fill('Pay later | hihg\nPay twice');
  await next('Preview');
  await dialog.getByText('Did you mean High?').waitFor();
  await shoot(page, 'cases-preview');
  await close();
  await shoot(page, 'announcements');

  await type('/people');
  await dialog.getByText(/Accounts 1 to/).waitFor();
  await shoot(page, 'people-list', 1_200);
  await close();
  await type('/people find cleo');
  await next('Open');
  await dialog.getByRole('button', { name: 'Edit' }).waitFor();
  await shoot(page, 'people-card');
  await next('Edit');
  await dialog.getByRole('textbox', { name: 'Job title' }).waitFor();
  await shoot(page, 'people-edit', 1_200);
  await close();
  await type('/people create nia@example.com');
  await dialog.getByRole('button', { name: 'Preview' }).waitFor();
  await shoot(page, 'people-create', 1_200);
  await close();
  await type('/people me');
  await log.getByText('Only visible to you').nth(1).waitFor();
  await type('/people help');
  await log.getByText('For Gatepost administrators').waitFor();
  await shoot(page, 'people-help');
}

type Shoot = (page: Page, name: string, height?: number) => Promise<void>;

/** Each in both widths and themes, from the end of the channel. */
function pictures(folder: string): Shoot {
  return async (page, name, height = 900) => {
    await page.mouse.move(0, 0);
    for (const width of [1440, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        for (const log of await page.getByRole('log').all()) {
          await log.evaluate((it) => it.scrollTo(0, it.scrollHeight));
        }
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  };
}

function requestOn(page: Page, title: string): Locator {
  return onThe(page).log.getByRole('article').filter({ hasText: title }).first();
}

async function open(user: string, width: number, height: number, deviceScaleFactor = 1) {
  const viewport = { width, height };
  const page = await browser.newPage({ colorScheme: 'light', viewport, deviceScaleFactor });
  await page.goto(`${sandbox.url}/?as=${user}`);
  return page;
}
