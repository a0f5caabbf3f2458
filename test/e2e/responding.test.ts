import { expect, vi } from 'vitest';
import type { ApprovalAction } from '../../sandbox/service/approval-state.ts';
import { leaping } from './hurried.ts';
import {
  ANA,
  BEN,
  effectsOf,
  failedSteps,
  respondsOf,
  type Stage,
  type StageOptions,
  sentenceFor,
  startStage,
} from './stage.ts';
import { story } from './story.ts';

/** Somebody else decides in the moment between our look and our answer. */
function outrun({ door, sandbox }: Stage, token: string, action: ApprovalAction): void {
  door.answer((call) => {
    if (call === 'respond') sandbox.service.decide(token, action);
    return undefined;
  });
}

function expectWaiting(stage: Stage, ts: string): void {
  expect(stage.read(ts)).toMatch(/Waiting.*\nApprove\nReject$/s);
}

/** No account is read: the look at the status is the one call before an answer. */
const NO_ACCOUNTS: StageOptions = { env: { SCIM_TOKEN: undefined } };

story(
  'respond-other-status no-message-lies nobody-without-answer',
  'a successful response with the opposite status is shown as it is',
  async () => {
    await using stage = await startStage({ hasDoor: true });
    stage.sandbox.service.setVariant({ usedTokenPost: 200 });
    const { ts, token } = await stage.ask();
    outrun(stage, token, 'reject');
    await stage.click(ANA, ts, 'Approve');
    const text = await stage.until(ts, /Rejected elsewhere/);
    expect(text).toContain(String(stage.sandbox.service.approval(token).resolvedAt));
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\* was (already )?rejected elsewhere/,
    );
  },
);

story(
  'respond-other-status',
  'a successful response with PENDING is checked, not believed',
  async () => {
    // At true time: it is decided before the looks are over.
    await using stage = await startStage({ hasDoor: true, scale: 1 });
    const { ts, token } = await stage.ask();
    stage.door.answer((call) =>
      call === 'respond' ? { status: 200, body: { status: 'PENDING' } } : undefined,
    );
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /has not confirmed <@U0ANA>'s approval/);
    stage.sandbox.service.decide(token, 'reject');
    const text = await stage.until(ts, /Rejected elsewhere/);
    expect(text).not.toContain('Approved');
  },
);

story.long(
  'respond-not-sent nobody-without-answer',
  'if the service goes down the buttons return, and nothing was sent',
  async () => {
    const { clock, leap } = leaping();
    await using stage = await startStage({ hasDoor: true, ...NO_ACCOUNTS, clock, scale: 1 });
    const { ts, token } = await stage.ask();
    const shut = stage.door.shutAfter('look');
    await stage.click(ANA, ts, 'Approve');
    await shut;
    await stage.until(ts, /<@U0ANA>'s approval has not been sent yet/);
    await vi.waitUntil(() => failedSteps(stage).length >= 4, { timeout: 60_000 });
    leap(30_000);
    expect(await sentenceFor(stage, ANA)).toBe(
      'Request *Deploy to production?*: The service could not be reached. Nothing was sent. Press again in a minute.',
    );
    await stage.until(ts, /\*Waiting for\* <@/);
    expectWaiting(stage, ts);
    const notSent = failedSteps(stage).filter((each) => each.class === 'not-sent');
    // Each try after the first begins with a read of the status.
    const [first, ...more] = notSent.map(({ step }) => step);
    expect(first).toBe('respond');
    expect(more.length).toBeGreaterThan(2);
    expect(new Set(more)).toEqual(new Set(['read-status']));
    expect(respondsOf(stage, token)).toEqual([]);
    await stage.door.open();
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'respond-not-sent no-click-lost',
  'a service that comes back soon gets the decision',
  async () => {
    // At true time: it comes back before the tries are over.
    await using stage = await startStage({ hasDoor: true, ...NO_ACCOUNTS, scale: 1 });
    const { ts, token } = await stage.ask();
    const shut = stage.door.shutAfter('look');
    await stage.click(ANA, ts, 'Approve');
    await shut;
    const failed = () => failedSteps(stage).some(({ step }) => step === 'respond');
    await vi.waitUntil(failed, { timeout: 60_000 });
    await stage.door.open();
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    expect(stage.told(ANA)).toEqual([]);
  },
);

story(
  'respond-limited',
  'a rate-limited decision is sent again after a read of the status',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({ kind: '429', operation: 'respond', times: 2, retryAfter: 1 });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    const operations = stage.sandbox.service.requests().filter((each) => each.token === token);
    expect(operations.map(({ operation }) => operation).slice(-6)).toEqual([
      'getApproval',
      'respond',
      'getApproval',
      'respond',
      'getApproval',
      'respond',
    ]);
    const [first, second] = operations.filter(({ operation }) => operation === 'respond');
    // The loop's time may be behind by as long as the store's last answer was on its way.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(800);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'respond-limited nobody-without-answer',
  'a decision rate-limited three times is given up, and the buttons return',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({ kind: '429', operation: 'respond', retryAfter: 1 });
    await stage.click(ANA, ts, 'Approve');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\*: The service was too busy to accept your decision\./,
    );
    await stage.until(ts, /\*Waiting for\* <@/);
    expectWaiting(stage, ts);
    expect(respondsOf(stage, token)).toEqual([429, 429, 429]);
  },
);

story(
  'respond-limited click-late',
  'a person whose decision waits for a rate limit is told what was decided meanwhile',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({ kind: '429', operation: 'respond', times: 1, retryAfter: 1 });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => respondsOf(stage, token).length === 1);
    stage.sandbox.service.decide(token, 'approve');
    const text = await stage.until(ts, /Approved elsewhere/);
    expect(text).not.toContain('<@U0ANA>');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\* was (already )?approved elsewhere/,
    );
    expect(respondsOf(stage, token)).toEqual([429]);
  },
);

for (const status of [401, 403]) {
  story('respond-denied', `a decision refused with ${status} brings the buttons back`, async () => {
    await using stage = await startStage({ hasDoor: true });
    const { ts, token } = await stage.ask();
    stage.door.answer((call) => (call === 'respond' ? { status } : undefined));
    await stage.click(ANA, ts, 'Approve');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\*: The service refused Gatepost's request.*Ask a Gatepost administrator/,
    );
    expectWaiting(stage, ts);
    expect(effectsOf(stage, token)).toEqual([]);
    expect(failedSteps(stage)).toMatchObject([{ step: 'respond', status }]);
  });
}

const WORDS = 'No <!channel> & no *Friday*.';
const REFUSALS = [
  { status: 400, body: { error: WORDS } },
  { status: 422, body: { error: { message: WORDS } } },
  { status: 422, body: { detail: WORDS } },
  { status: 400, body: { errors: [{ message: WORDS }] } },
];

for (const refusal of REFUSALS) {
  const shape = Object.keys(refusal.body).join();
  story(
    'respond-invalid message-escaped dialects',
    `a decision refused with ${refusal.status} brings the buttons back with "${shape}" as reason`,
    async () => {
      await using stage = await startStage({ hasDoor: true });
      const { ts, token } = await stage.ask();
      stage.door.answer((call) => (call === 'respond' ? refusal : undefined));
      await stage.click(ANA, ts, 'Approve');
      expect(await sentenceFor(stage, ANA)).toBe(
        'Request *Deploy to production?*: The service did not accept your decision. It says: “No &lt;!channel&gt; &amp; no ∗Friday∗.” Press again, or ask a Gatepost administrator.',
      );
      expectWaiting(stage, ts);
      expect(effectsOf(stage, token)).toEqual([]);
    },
  );
}

for (const usedTokenPost of [404, 409, 410] as const) {
  story(
    'respond-resolved no-message-lies dialects',
    `a ${usedTokenPost} after a decision made elsewhere shows that decision and credits nobody`,
    async () => {
      await using stage = await startStage({ hasDoor: true });
      stage.sandbox.service.setVariant({ usedTokenPost });
      const same = await stage.ask({ title: 'Same' });
      outrun(stage, same.token, 'approve');
      await stage.click(ANA, same.ts, 'Approve');
      const text = await stage.until(same.ts, /Approved elsewhere/);
      expect(text).not.toContain('<@U0ANA>');
      expect(await sentenceFor(stage, ANA)).toMatch(
        /^Request \*.+\* was (already )?approved elsewhere/,
      );
      const opposite = await stage.ask({ title: 'Opposite' });
      outrun(stage, opposite.token, 'reject');
      await stage.click(BEN, opposite.ts, 'Approve');
      await stage.until(opposite.ts, /Rejected elsewhere/);
      expect(await sentenceFor(stage, BEN)).toMatch(
        /^Request \*.+\* was (already )?rejected elsewhere/,
      );
    },
  );
}

for (const usedTokenGet of [404, 410] as const) {
  story(
    'respond-resolved look-gone nobody-without-answer',
    `a used token answered with ${usedTokenGet} is unknown until the service shows it again`,
    async () => {
      await using stage = await startStage({ hasDoor: true });
      const { service } = stage.sandbox;
      service.setVariant({ usedTokenPost: 409, usedTokenGet });
      const { ts, token } = await stage.ask();
      outrun(stage, token, 'reject');
      await stage.click(ANA, ts, 'Approve');
      const text = await stage.until(ts, /Unknown/);
      expect(text).toContain('The service no longer shows this request.');
      expect(text).toMatch(/Check now$/);
      expect(text).not.toMatch(/Approved|Rejected|\nApprove|\nReject/);
      expect(await sentenceFor(stage, ANA)).toMatch(/no longer shows this request.*Check now/);
      service.setVariant({ usedTokenGet: 200 });
      await stage.click(BEN, ts, 'Check now');
      await stage.until(ts, /Rejected elsewhere/);
      expect(await sentenceFor(stage, BEN)).toMatch(
        /^Request \*.+\* was (already )?rejected elsewhere/,
      );
    },
  );
}

story(
  'respond-resolved no-message-lies',
  'after a 409 nobody is told that the request still waits while the status cannot be read',
  async () => {
    await using stage = await startStage({ hasDoor: true });
    const { ts, token } = await stage.ask();
    let isAnswered = false;
    stage.door.answer((call) => {
      if (call === 'respond') isAnswered = true;
      else if (!isAnswered) return undefined;
      return { status: call === 'respond' ? 409 : 500 };
    });
    await stage.click(ANA, ts, 'Approve');
    const text = await stage.until(ts, /Unknown/);
    expect(text).toContain('The service refused a decision and has not reported the status since');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\*: The service refused a decision and has not/,
    );
    stage.sandbox.service.decide(token, 'reject');
    stage.door.answer(null);
    await stage.click(BEN, ts, 'Check now');
    await stage.until(ts, /Rejected elsewhere/);
  },
);

story(
  'respond-resolved nobody-without-answer',
  'a 409 while the request is open brings the buttons back with the reason',
  async () => {
    await using stage = await startStage({ hasDoor: true });
    const { ts, token } = await stage.ask();
    stage.door.answer((call) =>
      call === 'respond' ? { status: 409, body: { error: 'Busy right now.' } } : undefined,
    );
    await stage.click(ANA, ts, 'Approve');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\*: The service refused your decision and still needs one.*“Busy right now\.”/,
    );
    await stage.until(ts, /\*Waiting for\* <@/);
    expectWaiting(stage, ts);
    expect(effectsOf(stage, token)).toEqual([]);
  },
);
