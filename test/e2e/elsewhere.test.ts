import { expect } from 'vitest';
import { DEPLOYS, OUTCOMES, readable } from '../support/world.ts';
import { ANA, BEN, effectsOf, respondsOf, startStage } from './stage.ts';
import { story } from './story.ts';

/** What is seen soon is not seen by a poll. */
const SELDOM_POLLED = { pollScale: 100 };

story(
  'outcome-elsewhere outcome-thread outcome-channel no-message-lies',
  'a decision made elsewhere is shown without a click and credits nobody',
  async () => {
    await using stage = await startStage({ pollScale: 0.1 });
    const { service, workspace } = stage.sandbox;
    const { ts, token } = await stage.ask({ title: 'Elsewhere' });
    service.decide(token, 'reject', 'somebody');
    const text = await stage.until(ts, /Rejected elsewhere/);
    expect(text).toContain(String(service.approval(token).resolvedAt));
    expect(text).not.toMatch(/<@U|Approve|Check now/);
    await stage.sandbox.until(() => workspace.thread(DEPLOYS, ts).length > 1);
    expect(readable(workspace.thread(DEPLOYS, ts)[1])).toContain('Rejected elsewhere');
    await stage.sandbox.until(() => workspace.messages(OUTCOMES).length > 0);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story('outcome-timeout', 'a timeout is shown without a click', async () => {
  await using stage = await startStage({ pollScale: 0.1 });
  const { ts, token } = await stage.ask();
  stage.sandbox.service.timeOut(token);
  await stage.until(ts, /Timed out/);
  expect(respondsOf(stage, token)).toEqual([]);
});

story(
  'outcome-timeout intake-known',
  'the status is read right after a known deadline',
  async () => {
    await using stage = await startStage(SELDOM_POLLED);
    const { service } = stage.sandbox;
    const { token } = service.createApproval();
    service.timeOut(token);
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const { ts, id } = await stage.ask({ token, message: 'Soon', expiresAt });
    expect(stage.sandbox.workspace.calls('chat.postMessage')[0]?.args.blocks).toEqual(
      expect.stringContaining('Deadline: <!date^'),
    );
    await stage.until(ts, /Timed out/);
    const [look] = service.requests('getApproval');
    expect(look?.at).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    // The same again is the same, though its deadline is over by now.
    const again = await stage.send({ token, message: 'Soon', expiresAt });
    expect(again).toMatchObject({ status: 200, body: { id, status: 'TIMED_OUT' } });
  },
);

story('intake-check', 'an automation can have its approval checked at once', async () => {
  await using stage = await startStage(SELDOM_POLLED);
  const { ts, token, id } = await stage.ask();
  stage.sandbox.service.decide(token, 'approve');
  const answer = await stage.sandbox.automation.check(id);
  expect(answer).toMatchObject({ status: 202, body: { id } });
  await stage.until(ts, /Approved elsewhere/);
  expect(await stage.sandbox.automation.status(id)).toMatchObject({
    body: { status: 'APPROVED', outcome: { by: [], certain: false } },
  });
});

story(
  'click-late respond-get-first nobody-without-answer',
  'a click after a decision made elsewhere gets an answer, and nothing is sent',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.decide(token, 'reject');
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Rejected elsewhere/);
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)).toEqual([
      'Request *Deploy to production?* was already rejected elsewhere. Your approval was not counted.',
    ]);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story(
  'click-late',
  'a click that agrees with a decision made elsewhere is not credited',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.decide(token, 'approve');
    await stage.click(ANA, ts, 'Approve');
    const text = await stage.until(ts, /Approved elsewhere/);
    expect(text).not.toContain('<@U0ANA>');
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)[0]).toContain('approved elsewhere');
  },
);

story('click-late', 'a click after the timeout gets an answer', async () => {
  await using stage = await startStage();
  const { ts, token } = await stage.ask();
  stage.sandbox.service.timeOut(token);
  await stage.click(BEN, ts, 'Reject');
  await stage.until(ts, /Timed out/);
  await stage.sandbox.until(() => stage.told(BEN).length > 0);
  expect(stage.told(BEN)).toEqual([
    'Request *Deploy to production?* timed out. Your rejection was not counted.',
  ]);
  expect(effectsOf(stage, token)).toEqual([]);
});

story(
  'dialects click-late',
  'a decision made elsewhere is shown the same in every response format of the service',
  async () => {
    const forms = [
      { statusField: 'state', wrapped: true, promptField: 'description' },
      { resolvedAtInGet: false, errorShape: 'html' },
    ] as const;
    for (const form of forms) {
      await using stage = await startStage();
      stage.sandbox.service.setVariant(form);
      const { ts, token } = await stage.ask();
      expect(stage.read(ts)).toContain('Deploy to production?');
      stage.sandbox.service.decide(token, 'approve');
      await stage.click(ANA, ts, 'Approve');
      const text = await stage.until(ts, /Approved elsewhere/);
      expect(text.includes('<!date^')).toBe(!('resolvedAtInGet' in form));
    }
  },
);
