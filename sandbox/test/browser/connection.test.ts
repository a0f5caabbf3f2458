import { expect, it } from 'vitest';
import { startSandbox } from '../../start-sandbox.ts';
import { slackClient } from '../slack-client.ts';
import { log, message, pageStage } from './page-stage.ts';
import { violations } from './violations.ts';

const stage = pageStage();
const away = () =>
  stage.page.getByText('The sandbox does not answer. The page reconnects automatically');

it('the page says that the sandbox is away, and continues when it is back', async () => {
  stage.browser.allowComplaints();
  await slackClient(stage.sandbox).apiCall('chat.postMessage', message('Waiting'));
  const approve = log(stage).getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  await stage.sandbox.close();
  await away().waitFor();
  expect(await violations(stage.page)).toEqual([]);
  await approve.click();
  await log(stage).getByText('The sandbox did not answer. Is it still running?').waitFor();
  expect(await approve.getAttribute('aria-busy')).toBeNull();
  const port = Number(new URL(stage.sandbox.url).port);
  stage.sandbox = await startSandbox({ botUrl: stage.app.url, port });
  await away().waitFor({ state: 'detached' });
  await stage.page.getByRole('button', { name: 'Ask for approval' }).click();
  await stage.page.getByRole('article').getByText('A1 Deploy 4.2 to production').waitFor();
});

it('the page reconnects after another server answered in its place', async () => {
  stage.browser.allowComplaints();
  const events = '**/sandbox/v1/live?*';
  await stage.page.route(events, (route) => route.fulfill({ status: 404 }));
  await stage.page.reload();
  await away().waitFor();
  // Before anything else is drawn.
  expect(await violations(stage.page)).toEqual([]);
  await stage.page.unroute(events);
  await stage.page.getByRole('button', { name: 'Ask for approval' }).waitFor();
});
