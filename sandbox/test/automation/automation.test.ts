import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

let sandbox: Sandbox;
let intake: Receiver;
let given: { status: number; body: string };

beforeEach(async () => {
  given = { status: 202, body: '{"id":"0.r1","status":"PENDING"}' };
  intake = await startReceiver(() => given);
  sandbox = await startSandbox({ botUrl: intake.url });
});
afterEach(async () => {
  await sandbox.close();
  await intake[Symbol.asyncDispose]();
});

describe('the automation', () => {
  it('hands the token of a new approval to the intake', async () => {
    const asked = await sandbox.automation.ask({
      title: 'Deploy 4.2',
      prompt: 'Deploy?',
      requestedBy: { slackUser: 'U0CLEO' },
    });
    expect(asked).toMatchObject({ id: '0.r1', status: 202, body: { status: 'PENDING' } });
    expect(sandbox.service.approval(asked.token)).toMatchObject({
      status: 'PENDING',
      prompt: 'Deploy?',
    });
    const [request] = intake.received;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/approvals',
      headers: {
        authorization: `Bearer ${sandbox.credentials.intakeSecret}`,
        'content-type': 'application/json',
      },
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      token: asked.token,
      title: 'Deploy 4.2',
      requestedBy: { slackUser: 'U0CLEO' },
    });
  });

  it('can send the same token again', async () => {
    const { token } = await sandbox.automation.ask();
    given = { status: 200, body: given.body };
    expect(await sandbox.automation.ask({ token })).toMatchObject({ status: 200, token });
    expect(sandbox.service.approvals()).toHaveLength(1);
  });

  it('returns the status and body of a refusal', async () => {
    given = { status: 401, body: 'no' };
    expect(await sandbox.automation.ask()).toMatchObject({ status: 401, body: 'no', id: '' });
  });

  it('can read the status of an approval, and have it checked', async () => {
    await sandbox.automation.status('0.r1');
    await sandbox.automation.check('0.r1');
    expect(intake.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/approvals/0.r1',
      'POST /v1/approvals/0.r1/check',
    ]);
  });
});
