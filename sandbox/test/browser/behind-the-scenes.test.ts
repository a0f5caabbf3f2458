import { expect, it } from 'vitest';
import { pageStage } from './page-stage.ts';

const stage = pageStage();
const button = (name: string) => stage.page.getByRole('button', { name });

it('the automation sends a request with what was entered in the form', async () => {
  await stage.page.getByLabel('What needs an approval?').fill('Deploy 9');
  await stage.page.getByText('More options').click();
  await stage.page.getByLabel('Fields').fill('Version: 9\n\nno colon');
  await stage.page.getByLabel('Approvals needed').selectOption('2');
  await stage.page.getByLabel('Asked by').selectOption('U0DANA');
  await stage.page.getByLabel('Deadline').selectOption('in 10 minutes');
  await button('Ask for approval').click();
  await stage.page.getByRole('article').getByText('A1 Deploy 9').waitFor();
  const asked = JSON.parse(stage.app.received[0]?.body ?? '');
  expect(asked).toMatchObject({
    title: 'Deploy 9',
    message: 'All checks are green. Shall it go out?',
    fields: { Version: '9', Note: 'no colon' },
    quorum: 2,
    requestedBy: { slackUser: 'U0DANA' },
  });
  expect(Date.parse(asked.expiresAt) - Date.now()).toBeGreaterThan(9 * 60_000);
});

it('a refusal by the intake is shown', async () => {
  stage.answer = () => ({ status: 401 });
  stage.browser.allowComplaints();
  await button('Ask for approval').click();
  await stage.page.getByText('The bot’s intake answered with status 401.').waitFor();
});

it('a blank title is reported', async () => {
  stage.browser.allowComplaints();
  await stage.page.getByLabel('What needs an approval?').fill('  ');
  await button('Ask for approval').click();
  await stage.page.getByText('Write what needs an approval.', { exact: true }).waitFor();
});

it('a check of an approval that the bot was never asked about is reported', async () => {
  stage.browser.allowComplaints();
  const { token } = stage.sandbox.service.createApproval();
  stage.sandbox.service.timeOut(token);
  await button('Tell the bot to check').click();
  await stage.page.getByText('The bot was not asked about this approval.').waitFor();
});

it('people can decide elsewhere, time out an approval, and have the bot check it', async () => {
  const { sandbox } = stage;
  await button('Ask for approval').click();
  await button('Reject elsewhere').click();
  await stage.page.getByText('rejected · in the service itself').waitFor();
  expect(sandbox.service.approvals()).toMatchObject([{ status: 'REJECTED' }]);
  await button('Tell the bot to check').click();
  await expect.poll(() => stage.app.received.at(-1)?.path).toBe('/v1/approvals/0.r1/check');
  const { token = '' } = sandbox.service.approvals()[0] ?? {};
  await fetch(`${sandbox.serviceUrl}/api/v1/automation/approvals/${token}`);
  await button('Tell the bot to check').waitFor({ state: 'detached' });
  await button('Ask for approval').click();
  await button('Withdraw').click();
  await expect.poll(() => stage.app.received.at(-1)?.path).toBe('/v1/approvals/0.r1/withdraw');
  await button('Let it time out').click();
  await stage.page.getByText('timed out').waitFor();
});

it('people can report the result of an approved run', async () => {
  const { sandbox, page, app } = stage;
  await button('Ask for approval').click();
  await button('Approve elsewhere').click();
  await page.getByText('approved · in the service itself').waitFor();
  const { token = '' } = sandbox.service.approvals()[0] ?? {};
  await fetch(`${sandbox.serviceUrl}/api/v1/automation/approvals/${token}`);
  await button('Report: failed').click();
  await expect.poll(() => app.received.at(-1)?.path).toBe('/v1/approvals/0.r1/result');
});

it('the requests to the service are shown, without the token', async () => {
  const { service, serviceUrl, credentials, url } = stage.sandbox;
  const { token } = service.createApproval({ prompt: 'Deploy?' });
  const approval = `${serviceUrl}/api/v1/automation/approvals/${token}`;
  await fetch(approval);
  await fetch(approval, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'approve', userId: service.users()[0]?.id }),
  });
  await stage.page.getByText('approved · by Ana Reyes').waitFor();
  const requests = stage.page.getByRole('list', { name: 'Requests, newest first' });
  expect(await requests.getByRole('listitem').allTextContents()).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d POST approve by Ana Reyes to A1 200$/),
    expect.stringMatching(/^\d\d:\d\d:\d\d GET status of A1 200$/),
  ]);
  const state = await (await fetch(`${url}/sandbox/v1/state`)).text();
  const secrets = [token, ...Object.values(credentials)];
  for (const text of [state, await stage.page.content()]) {
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  }
});

it('people can make the service fail, and fix it again', async () => {
  const { service, serviceUrl } = stage.sandbox;
  const { token } = service.createApproval();
  const ask = async () => {
    const answer = fetch(`${serviceUrl}/api/v1/automation/approvals/${token}`);
    return answer.then(({ status }) => status).catch(() => 'refused');
  };
  const trouble = stage.page.getByRole('combobox', { name: 'The service', exact: true });
  await trouble.selectOption('failing');
  await expect.poll(ask).toBe(500);
  await trouble.selectOption('down');
  await expect.poll(ask).toBe('refused');
  await stage.page.getByText('no answer').first().waitFor();
  await button('Fix everything').click();
  await button('Fix everything').waitFor({ state: 'detached' });
  expect(await ask()).toBe(200);
});

it('a reset asks for confirmation', async () => {
  stage.sandbox.service.createApproval();
  await stage.page.getByRole('article').getByText('A1').waitFor();
  await button('Reset the sandbox').click();
  await button('Cancel').click();
  expect(stage.sandbox.service.approvals()).toHaveLength(1);
  await button('Reset the sandbox').click();
  await button('Start over').click();
  const approvals = stage.page.getByRole('region', { name: 'Approvals in the service' });
  await approvals.getByText('None yet.').waitFor();
});
