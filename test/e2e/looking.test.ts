import { expect, vi } from 'vitest';
import { DEPLOYS } from '../support/world.ts';
import { leaping } from './hurried.ts';
import {
  ANA,
  ANAS_ACCOUNT,
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

/** A guest. */
const GUS = 'U0GUS';
const UNA = 'U0UNA';

/** The door answers every look at a status. */
function answerLooks({ door }: Stage, status: number, body: object = {}): void {
  door.answer((call) => (call === 'look' ? { status, body } : undefined));
}

interface LeapingStage extends Stage {
  leap(ms: number): void;
}

/** What waits in the loop waits as long as it says, and the story does not. */
async function startLeaping(options: StageOptions = {}): Promise<LeapingStage> {
  const { clock, leap } = leaping();
  return { ...(await startStage({ hasDoor: true, scale: 1, ...options, clock })), leap };
}

/** Ben presses when the answer of the press before is too old for him. */
async function checksAgain(stage: LeapingStage, ts: string): Promise<void> {
  const reads = () => stage.sandbox.service.requests('getApproval').length;
  const before = reads();
  stage.leap(stage.timing.checkEveryMs + 1);
  await stage.click(BEN, ts, 'Check now');
  await stage.sandbox.until(() => reads() > before, { what: 'a read' });
}

/** Waits until that many tries have failed this way since the story began. */
async function untilTried(stage: Stage, times: number, how = 'not-sent'): Promise<void> {
  const tries = () => failedSteps(stage).filter((each) => each.class === how).length;
  await vi.waitUntil(() => tries() >= times, { timeout: 60_000 });
}

/** Whether Ben's account was found before. */
for (const isKnown of [true, false]) {
  story.long(
    'look-not-sent message-service nobody-without-answer',
    `a click while the service is down is retried for 30 s, for a ${isKnown ? 'known' : 'new'} person`,
    async () => {
      await using stage = await startLeaping();
      const { ts, token } = await stage.ask();
      if (isKnown) {
        const first = await stage.ask();
        await stage.click(BEN, first.ts, 'Approve');
        await stage.until(first.ts, /Approved by <@U0BEN>/);
      }
      await stage.door.shut();
      await stage.click(BEN, ts, 'Approve');
      const text = await stage.until(ts, /Waiting for the service/);
      expect(text).not.toMatch(/Waiting for the service.*<@/);
      expect(text).toMatch(/until <!date\^\d+\^\{time\}[\s\S]*\nApprove\nReject$/);
      await untilTried(stage, 4);
      stage.leap(21_000);
      await untilTried(stage, 5);
      expect(stage.told(BEN)).toEqual([]);
      expect(stage.read(ts)).toMatch(/Waiting for the service/);
      stage.leap(10_000);
      expect(await sentenceFor(stage, BEN)).toBe(
        'Request *Deploy to production?*: The service could not be reached. Nothing was sent. Press again in a minute.',
      );
      await stage.until(ts, /\*Waiting for\* <@[\s\S]*\nApprove\nReject$/);
      await stage.door.open();
      await stage.click(BEN, ts, 'Approve');
      await stage.until(ts, /Approved by <@U0BEN>/);
      expect(effectsOf(stage, token)).toEqual(['approve']);
    },
  );

  story.long(
    'look-not-sent no-click-lost',
    `a click is carried out by a service that comes back within 30 s, for a ${isKnown ? 'known' : 'new'} person`,
    async () => {
      await using stage = await startLeaping();
      const { ts, token } = await stage.ask();
      if (isKnown) {
        const first = await stage.ask();
        await stage.click(BEN, first.ts, 'Approve');
        await stage.until(first.ts, /Approved by <@U0BEN>/);
      }
      await stage.door.shut();
      await stage.click(BEN, ts, 'Approve');
      await untilTried(stage, 4);
      stage.leap(20_000);
      await untilTried(stage, 5);
      await stage.door.open();
      await stage.until(ts, /Approved by <@U0BEN>/);
      expect(stage.told(BEN)).toEqual([]);
      expect(effectsOf(stage, token)).toEqual(['approve']);
    },
  );
}

story(
  'look-not-sent message-prompt',
  'a request made while the service is down is posted, and gets its prompt later',
  async () => {
    await using stage = await startStage({ hasDoor: true });
    await stage.door.shut();
    const { ts, id } = await stage.ask({ prompt: 'Ship it?', title: 'Early' });
    expect(stage.read(ts)).toContain('The service has not yet said what this is about.');
    expect(stage.read(ts)).toContain('The service has not answered.');
    await stage.door.open();
    await stage.sandbox.automation.check(id);
    const text = await stage.until(ts, /Ship it\?/);
    expect(text).not.toContain('has not answered');
  },
);

for (const [kind, words] of [
  ['500', /has been returning errors since <!date.+ \(500\)/],
  ['dropBefore', /has not answered since <!date/],
  ['html', /has been returning errors since <!date.+ \(502\)/],
] as const) {
  story(
    'look-ambiguous',
    `after three retries the message says how the service fails: ${kind}`,
    async () => {
      await using stage = await startStage();
      const { ts, id } = await stage.ask();
      const before = stage.sandbox.service.requests('getApproval').length;
      stage.sandbox.service.fault({ kind, operation: 'getApproval', times: 4 });
      await stage.sandbox.automation.check(id);
      const text = await stage.until(ts, words);
      expect(text).toMatch(/\nApprove\nReject$/);
      expect(stage.sandbox.service.requests('getApproval')).toHaveLength(before + 4);
      await stage.sandbox.automation.check(id);
      await stage.sandbox.until(() => !words.test(stage.read(ts)));
    },
  );
}

story(
  'look-ambiguous nobody-without-answer',
  'a click while the service only fails gets an answer',
  async () => {
    await using stage = await startLeaping();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({ kind: '500', operation: 'getApproval' });
    await stage.click(ANA, ts, 'Approve');
    const text = await stage.until(ts, /<@U0ANA>'s approval has not been sent yet/);
    expect(text).not.toMatch(/\nApprove|\nReject/);
    await untilTried(stage, 4, 'ambiguous');
    stage.leap(20_000);
    await untilTried(stage, 5, 'ambiguous');
    expect(stage.told(ANA)).toEqual([]);
    stage.leap(10_000);
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\*: The service answered with an error\. Nothing was sent\. It says: “.+” Press again/,
    );
    await stage.until(ts, /\*Waiting for\* <@/);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story(
  'message-service people-active nobody-decides-who-may-not nobody-without-answer',
  'a person who pressed while the service was down and cannot decide is not named',
  async () => {
    await using stage = await startLeaping();
    const { ts, token } = await stage.ask();
    const { service, workspace } = stage.sandbox;
    service.setUser(ANAS_ACCOUNT, { active: false });
    await stage.door.shut();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Waiting for the service/);
    await stage.door.open();
    expect(await sentenceFor(stage, ANA)).toMatch(/^Your account in the service is deactivated/);
    await stage.until(ts, /\*Waiting for\* <@/);
    const shown = workspace.calls('chat.update').map(({ args }) => JSON.stringify(args));
    expect(shown.filter((each) => /<@\w+>'s (approval|rejection)/.test(each))).toEqual([]);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story.long(
  'message-service no-click-lost',
  'a list of accounts that does not answer is shown in the message, and retried',
  async () => {
    await using stage = await startLeaping();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({ kind: 'latency', ms: 60_000, operation: 'listUsers', times: 2 });
    await stage.click(BEN, ts, 'Approve');
    const text = await stage.until(ts, /Waiting for the service/);
    expect(text).not.toMatch(/Waiting for the service.*<@/);
    await stage.until(ts, /Approved by <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'look-limited',
  'a rate-limited read of the status is repeated when the service allows',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({
      kind: '429',
      operation: 'getApproval',
      times: 2,
      retryAfter: 1,
    });
    const clickedAt = Date.now();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(Date.now() - clickedAt).toBeGreaterThanOrEqual(2_000);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story('look-denied', 'a person who clicks while the service refuses access is told', async () => {
  await using stage = await startStage();
  const { ts, token } = await stage.ask();
  stage.sandbox.service.setVariant({ approvalCredential: 'apiKey' });
  await stage.click(ANA, ts, 'Approve');
  expect(await sentenceFor(stage, ANA)).toMatch(
    /^Request \*.+\*: The service refused Gatepost's request/,
  );
  expect(stage.read(ts)).toContain('Waiting');
  expect(respondsOf(stage, token)).toEqual([]);
});

for (const status of [401, 403]) {
  story(
    'look-denied look-check-now no-message-lies',
    `a ${status} at a read is shown in the message until there is another answer`,
    async () => {
      await using stage = await startLeaping({ scale: 0.1 });
      const { ts, id } = await stage.ask();
      answerLooks(stage, status);
      await stage.sandbox.automation.check(id);
      const text = await stage.until(ts, /refuses Gatepost's requests/);
      expect(text).toContain(`refuses Gatepost's requests (${status}). Gatepost keeps trying.`);
      expect(text).toMatch(/Approve\nReject\nCheck now$/);
      expect(failedSteps(stage)).toMatchObject([{ step: 'read-status', status }]);
      await stage.click(ANA, ts, 'Check now');
      expect(await sentenceFor(stage, ANA)).toMatch(
        /^Request \*.+\*: The service refuses Gatepost's requests/,
      );
      stage.door.answer(null);
      await checksAgain(stage, ts);
      await stage.until(ts, /Reject$/);
      expect(stage.read(ts)).not.toMatch(/does not let|No longer watched/);
    },
  );
}

for (const status of [404, 409, 410]) {
  story(
    'look-gone look-check-now',
    `a request that the service answers with ${status} is unknown, with Check now`,
    async () => {
      await using stage = await startLeaping({ scale: 0.1 });
      const { ts, token, id } = await stage.ask();
      answerLooks(stage, status);
      await stage.sandbox.automation.check(id);
      const text = await stage.until(ts, /Unknown/);
      expect(text).toContain('The service no longer shows this request.');
      expect(text).toMatch(/Check now$/);
      expect(await stage.sandbox.automation.status(id)).toMatchObject({
        body: { status: 'UNKNOWN' },
      });
      await stage.click(ANA, ts, 'Check now');
      expect(await sentenceFor(stage, ANA)).toMatch(/no longer shows this request/);
      stage.door.answer(null);
      await checksAgain(stage, ts);
      await stage.until(ts, /Waiting/);
      await stage.sandbox.until(() => stage.told(BEN).at(-1)?.includes('still needs a decision'));
      expect(respondsOf(stage, token)).toEqual([]);
    },
  );
}

story(
  'look-check-now nobody-without-answer',
  'many presses on Check now cause one read, and everybody gets an answer',
  async () => {
    await using stage = await startLeaping();
    const { ts, id } = await stage.ask();
    answerLooks(stage, 404);
    await stage.sandbox.automation.check(id);
    await stage.until(ts, /Unknown/);
    let looks = 0;
    stage.door.answer((call) => {
      if (call !== 'look') return undefined;
      looks += 1;
      return { status: 404, body: {} };
    });
    const beganAt = performance.now();
    for (let press = 0; press < 30; press += 1) await stage.click(GUS, ts, 'Check now');
    await stage.sandbox.until(() => /no longer shows this request/.test(stage.told(GUS)[0] ?? ''));
    await stage.click(ANA, ts, 'Check now');
    expect(await sentenceFor(stage, ANA)).toMatch(/no longer shows this request/);
    // One in ten seconds: more only where all of that took longer.
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(1 + Math.floor((performance.now() - beganAt) / 10_000));
    const before = looks;
    stage.leap(10_000);
    await stage.click(GUS, ts, 'Check now');
    await stage.sandbox.until(() => looks > before);
  },
);

story(
  'look-check-now nobody-without-answer',
  'a person outside the channel is told to join it, and nothing is read for them',
  async () => {
    await using stage = await startLeaping();
    const { ts, id } = await stage.ask();
    answerLooks(stage, 404);
    await stage.sandbox.automation.check(id);
    await stage.until(ts, /Unknown/);
    stage.sandbox.workspace.remove(DEPLOYS, UNA);
    let looks = 0;
    stage.door.answer((call) => {
      if (call === 'look') looks += 1;
      return undefined;
    });
    await stage.click(UNA, ts, 'Check now');
    expect(await sentenceFor(stage, UNA)).toBe(
      'Request *Deploy to production?* was not checked, because you are not in <#C0DEPLOYS>. Join the channel, then press Check now again.',
    );
    expect(looks).toBe(0);
    expect(stage.read(ts)).toContain('Unknown');
    // They join, as they were told to, and press again at once.
    stage.sandbox.workspace.invite(DEPLOYS, UNA);
    await stage.click(UNA, ts, 'Check now');
    await stage.until(ts, /Waiting/);
    expect(looks).toBe(1);
  },
);

for (const status of [404, 410]) {
  story(
    'look-not-known look-check-now no-message-lies',
    `a request that the service never knew (${status}) is not shown as no longer known`,
    async () => {
      await using stage = await startLeaping({ scale: 0.1 });
      answerLooks(stage, status);
      const { ts, id } = await stage.ask({ message: 'Go?' });
      await stage.sandbox.automation.check(id);
      const text = await stage.until(ts, /Unknown/);
      expect(text).toContain(`The service does not know this approval (${status}).`);
      expect(text).toMatch(/Check now$/);
      await stage.click(ANA, ts, 'Check now');
      expect(await sentenceFor(stage, ANA)).toBe(
        `Request *Go?*: The service does not know this approval (${status}). Press Check now to check again.`,
      );
      stage.door.answer(null);
      await checksAgain(stage, ts);
      await stage.until(ts, /Waiting/);
      answerLooks(stage, status);
      await stage.sandbox.automation.check(id);
      await stage.until(ts, /The service no longer shows this request\./);
    },
  );
}

story(
  'look-gone nobody-without-answer',
  'a click on a request that the service has forgotten gets an answer',
  async () => {
    await using stage = await startStage({ hasDoor: true });
    const { ts, token } = await stage.ask();
    answerLooks(stage, 404);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Unknown/);
    expect(await sentenceFor(stage, ANA)).toBe(
      'Request *Deploy to production?*: The service no longer shows this request. Your approval was not sent. Press Check now to check again.',
    );
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

for (const status of [400, 422]) {
  story(
    'look-refused',
    `the reason of a ${status} at a read is told to the person who clicked`,
    async () => {
      await using stage = await startStage({ hasDoor: true });
      const { ts } = await stage.ask();
      answerLooks(stage, status, { error: 'Not in this form.' });
      await stage.click(ANA, ts, 'Approve');
      expect(await sentenceFor(stage, ANA)).toContain('It says: “Not in this form.”');
      expect(stage.read(ts)).toContain('Waiting');
    },
  );

  story('look-refused', `the reason of a ${status} at a read is in the message`, async () => {
    await using stage = await startStage({ hasDoor: true });
    const { ts, id } = await stage.ask();
    answerLooks(stage, status, { error: 'Not in this form.' });
    await stage.sandbox.automation.check(id);
    const text = await stage.until(
      ts,
      /does not let Gatepost read this approval: “Not in this form\.”/,
    );
    expect(text).toContain('Gatepost keeps trying.');
  });
}

story(
  'look-unreadable look-check-now no-message-lies',
  'an unreadable status makes the state unknown until it can be read',
  async () => {
    await using stage = await startStage();
    const { ts, token, id } = await stage.ask();
    stage.sandbox.service.fault({ kind: 'unreadable', operation: 'getApproval', times: 1 });
    await stage.sandbox.automation.check(id);
    const text = await stage.until(ts, /Unknown/);
    expect(text).toContain("could not read the service's response");
    stage.sandbox.service.decide(token, 'approve');
    await stage.click(ANA, ts, 'Check now');
    await stage.until(ts, /Approved elsewhere/);
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\* was (already )?approved elsewhere/,
    );
  },
);

story('look-unreadable no-message-lies', 'an unknown status makes the state unknown', async () => {
  await using stage = await startStage({ hasDoor: true });
  const { ts, id } = await stage.ask();
  answerLooks(stage, 200, { status: 'ON_HOLD' });
  await stage.click(ANA, ts, 'Approve');
  const text = await stage.until(ts, /Unknown/);
  expect(text).toContain(
    'The service returned the status `ON_HOLD`, which Gatepost does not know.',
  );
  expect(text).toMatch(/Check now$/);
  const { body } = await stage.sandbox.automation.status(id);
  expect(body).toMatchObject({ status: 'UNKNOWN', serviceStatus: 'ON_HOLD' });
  const logged = stage.log.filter((line) => line.includes('the service gave an unknown status'));
  expect(JSON.parse(logged[0] ?? '{}')).toMatchObject({ record: id, status: 'ON_HOLD' });
});

story(
  'look-check-now nobody-without-answer',
  'Check now gets an answer even if the service does not respond',
  async () => {
    await using stage = await startStage({ hasDoor: true });
    const { ts, id } = await stage.ask();
    answerLooks(stage, 404);
    await stage.sandbox.automation.check(id);
    await stage.until(ts, /Unknown/);
    answerLooks(stage, 500);
    await stage.click(ANA, ts, 'Check now');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\*: The service answered with an error just now \(500\)\. Gatepost keeps trying/,
    );
  },
);

story(
  'look-check-now outcome-elsewhere',
  'a request that is too old is no longer watched, says so, and can still be checked',
  async () => {
    await using stage = await startLeaping({
      config: (config) => ({ ...config, watchMaxAgeMs: 60_000 }),
    });
    const { ts, token } = await stage.ask();
    // A request this old would not be posted either.
    stage.leap(60_001);
    const text = await stage.until(ts, /No longer watched/);
    expect(text).toMatch(/Approve\nReject\nCheck now$/);
    stage.sandbox.service.decide(token, 'reject');
    await stage.click(ANA, ts, 'Check now');
    await stage.until(ts, /Rejected elsewhere/);
  },
);
