import { expect } from 'vitest';
import { withResolvers } from '../support/with-resolvers.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { ANA, BEN, CLEO, respondsOf, type Stage, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

const repliesTo = (stage: Stage, ts: string) =>
  stage.sandbox.workspace.thread(DEPLOYS, ts).slice(1).map(readable);

story(
  'withdrawn nobody-without-answer',
  'a withdrawn request has no buttons and sends nothing',
  async () => {
    await using stage = await startStage();
    const { ts, token, id } = await stage.ask();
    const { automation, service } = stage.sandbox;
    const withdrawn = { body: { status: 'WITHDRAWN' } };
    expect(await automation.withdraw(id)).toMatchObject({ status: 202, ...withdrawn });
    expect(await stage.until(ts, /Withdrawn/)).not.toMatch(/Approve|Reject|Check now/);
    expect(await automation.status(id)).toMatchObject(withdrawn);
    expect(respondsOf(stage, token)).toEqual([]);
    expect(service.approval(token).status).toBe('PENDING');
  },
);

story(
  'withdrawn nobody-without-answer',
  'a person whose click is waiting is told of the withdrawal',
  async () => {
    // At true time: it is withdrawn before the tries are over.
    await using stage = await startStage({ scale: 1 });
    const { ts, token, id } = await stage.ask();
    // While Slack does not say who Ana is, her click waits.
    stage.sandbox.workspace.fault({ kind: '500', method: 'users.info', times: 3 });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.automation.withdraw(id);
    expect(await sentenceFor(stage, ANA)).toMatch(/was withdrawn .* does not count/);
    await stage.until(ts, /Withdrawn/);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story(
  'withdrawn nobody-without-answer',
  'a decision is not sent if the request is withdrawn while the status is read',
  async () => {
    await using stage = await startStage({
      // The second look is not given up before the withdrawal is answered.
      timing: (timing) => ({ ...timing, stepMs: 60_000, leaseMs: 150_000 }),
    });
    const { ts, token, id } = await stage.ask();
    const { service, automation } = stage.sandbox;
    const withdrawn = withResolvers();
    const reads = () => service.requests('getApproval').length;
    const before = reads();
    // The first look is given up after a second, the next one takes longer.
    service.fault({ kind: 'latency', operation: 'getApproval', until: withdrawn.promise });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => reads() === before + 2);
    expect(await automation.withdraw(id)).toMatchObject({ body: { status: 'PENDING' } });
    withdrawn.resolve();
    expect(await sentenceFor(stage, ANA)).toMatch(/was withdrawn .* does not count/);
    await stage.until(ts, /Withdrawn/);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story('withdrawn no-message-lies', 'withdrawing a decided request leaves it decided', async () => {
  await using stage = await startStage();
  const { ts, id } = await stage.ask();
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
  const answer = await stage.sandbox.automation.withdraw(id);
  expect(answer).toMatchObject({ status: 202, body: { status: 'APPROVED' } });
  expect(stage.read(ts)).toContain('Approved by <@U0ANA>');
});

story(
  'withdrawn no-message-lies',
  'a decision being sent is still shown, and a later withdrawal returns the outcome',
  async () => {
    // At true time: the answer comes in time, however slow the machine is.
    await using stage = await startStage({ scale: 1 });
    const { ts, id } = await stage.ask();
    const { service, automation } = stage.sandbox;
    service.fault({ kind: 'slowAnswer', ms: 1_000, operation: 'respond', times: 1 });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => service.requests('respond').length === 1);
    expect(await automation.withdraw(id)).toMatchObject({ body: { status: 'APPROVED' } });
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);

story.long(
  'withdrawn no-message-lies',
  'withdrawing during the sending of a decision does not return WITHDRAWN yet',
  async () => {
    await using stage = await startStage();
    const { ts, id } = await stage.ask();
    const { service, automation } = stage.sandbox;
    service.fault({ kind: 'dropBefore', operation: 'respond', times: 1 });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => service.requests('respond').length === 1);
    const pending = { body: { status: 'PENDING' } };
    expect(await automation.withdraw(id)).toMatchObject(pending);
    expect(await automation.status(id)).toMatchObject(pending);
    await stage.until(ts, /Withdrawn/);
    expect(await automation.status(id)).toMatchObject({ body: { status: 'WITHDRAWN' } });
  },
);

const AFTER_A_LOST_ANSWER = [
  ['taken', 'dropAfter', /Approved.*decision of <@U0ANA> was sent/s, 'APPROVED'],
  ['not taken', 'dropBefore', /Withdrawn/, 'WITHDRAWN'],
] as const;

for (const [sentence, kind, shown, status] of AFTER_A_LOST_ANSWER) {
  story.long(
    'withdrawn no-message-lies',
    `withdrawing does not stop the check of a lost decision: it was ${sentence}`,
    async () => {
      await using stage = await startStage();
      const { ts, id } = await stage.ask();
      const { service, automation } = stage.sandbox;
      let isAway = true;
      const isSent = () => service.requests('respond').length > 0;
      service.fault({ kind, operation: 'respond', times: 1 });
      service.fault({
        kind: 'dropBefore',
        operation: 'getApproval',
        when: () => isAway && isSent(),
      });
      await stage.click(ANA, ts, 'Approve');
      await stage.sandbox.until(isSent);
      await automation.withdraw(id);
      await stage.until(ts, /Unknown.*<@U0ANA>'s approval may not have reached the service/);
      const unsure = { body: { status: 'UNKNOWN', final: false } };
      expect(await automation.status(id)).toMatchObject(unsure);
      await automation.check(id);
      expect(await automation.status(id)).toMatchObject(unsure);
      isAway = false;
      await automation.check(id);
      await stage.until(ts, shown);
      expect(await automation.status(id)).toMatchObject({ body: { status, final: true } });
    },
  );
}

story.long(
  'reminded',
  'people who have not approved yet are reminded, less and less often',
  async () => {
    await using stage = await startStage({
      route: { quorum: 2, remind: { afterMs: 3_000, times: 2 } },
    });
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await stage.sandbox.until(() => repliesTo(stage, ts).length === 2);
    const [first, second] = repliesTo(stage, ts);
    for (const reminder of [first, second]) expect(reminder).toMatch(/Reminder.*<@U0BEN>/);
    expect(second).not.toContain('<@U0ANA>');
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    await stage.sandbox.until(() => repliesTo(stage, ts).length === 3);
    expect(repliesTo(stage, ts)[2]).toContain('decided by 2 of 2: ');
  },
);

story.long(
  'escalated',
  'after an escalation its people can decide and are mentioned; quiet reviewers never are',
  async () => {
    await using stage = await startStage({
      route: {
        identity: 'omit',
        reviewers: { users: [BEN], groups: [], channel: false },
        quiet: { users: [ANA], groups: [] },
        quorum: 2,
        escalate: [{ after: 6_000, to: { users: [CLEO], groups: [] } }],
      },
    });
    const { ts } = await stage.ask();
    expect(stage.read(ts)).toContain('*Waiting for* <@U0BEN> · 0 of 2 approvals');
    await stage.click(CLEO, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(CLEO).length === 1);
    expect(stage.told(CLEO)[0]).toContain('You are not a reviewer of ');
    await stage.until(ts, /\*Waiting for 2 of\* <@U0BEN>, <@U0CLEO>/);
    await stage.sandbox.until(() => repliesTo(stage, ts).length === 1);
    expect(repliesTo(stage, ts)[0]).toMatch(/^:arrow_up: \*Escalated\* · <@U0CLEO>: /);
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0CLEO>\)/);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0CLEO> and <@U0ANA>/);
    const replies = repliesTo(stage, ts).filter((reply) => reply.includes('Escalated'));
    expect(replies).toHaveLength(1);
    expect(replies.join()).not.toContain('<@U0ANA>');
  },
);

const ENDINGS = {
  'approved here': (stage: Stage, { ts }: Gate) => stage.click(ANA, ts, 'Approve'),
  'rejected elsewhere': ({ sandbox }: Stage, { token, id }: Gate) => {
    sandbox.service.decide(token, 'reject');
    return sandbox.automation.check(id);
  },
  'timed out': ({ sandbox }: Stage, { token, id }: Gate) => {
    sandbox.service.timeOut(token);
    return sandbox.automation.check(id);
  },
  withdrawn: ({ sandbox }: Stage, { id }: Gate) => sandbox.automation.withdraw(id),
} as const;

type Gate = Awaited<ReturnType<Stage['ask']>>;

story.long(
  'reminded last-call no-message-lies',
  'there is no reminder or last call after a request has ended',
  async () => {
    await using stage = await startStage({ route: { remind: { afterMs: 4_000, times: 2 } } });
    const expiresAt = new Date(Date.now() + 24_000).toISOString();
    const ask = () => stage.ask({ message: 'Soon', expiresAt });
    const callsTo = (ts: string) =>
      repliesTo(stage, ts).filter((text) => /Reminder|Last call/.test(text)).length;
    const [open, ...gates] = await Promise.all([ask(), ...Object.values(ENDINGS).map(ask)]);
    const ended = await Promise.all(
      Object.values(ENDINGS).map(async (end, at) => {
        const gate = gates[at];
        if (gate === undefined) throw new Error('there is one for each');
        await end(stage, gate);
        await stage.until(gate.ts, /Approved by|Rejected elsewhere|Timed out|Withdrawn/);
        return { ts: gate.ts, calls: callsTo(gate.ts) };
      }),
    );
    // After 4 s, 12 s and, three quarters of the time being over, 18 s.
    await stage.sandbox.until(() => callsTo(open.ts) === 3, { what: 'all calls' });
    expect(ended.map(({ ts }) => callsTo(ts))).toEqual(ended.map(({ calls }) => calls));
  },
);

story.long('last-call', 'there is a last call before a known deadline', async () => {
  await using stage = await startStage({ route: { remind: { afterMs: 3_600_000, times: 3 } } });
  const expiresAt = new Date(Date.now() + 12_000).toISOString();
  const { ts } = await stage.ask({ message: 'Soon', expiresAt });
  await stage.sandbox.until(() => repliesTo(stage, ts).length === 1);
  expect(repliesTo(stage, ts)[0]).toMatch(/Last call.*<@U0ANA>, <@U0BEN>/);
});
