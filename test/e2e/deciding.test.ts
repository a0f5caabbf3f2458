import { expect } from 'vitest';
import { DEPLOYS, messageOf, OUTCOMES, readable } from '../support/world.ts';
import { ANYONE } from './deciders.ts';
import { ANA, ANAS_ACCOUNT, BEN, CLEO, effectsOf, respondsOf, startStage } from './stage.ts';
import { story } from './story.ts';

story(
  'no-message-lies respond-get-first respond-user intake-new outcome-thread outcome-channel',
  'an approval is approved with the account of the person who clicked',
  async () => {
    await using stage = await startStage();
    const { sandbox } = stage;
    const asked = await stage.ask({ title: 'Deploy 4.2' });
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({ id: asked.id, status: 'PENDING' });
    expect(stage.read(asked.ts)).toContain('Waiting');
    const delivery = await stage.click(ANA, asked.ts, 'Approve');
    expect(delivery.acknowledged).toBe(true);
    await stage.until(asked.ts, /Approved by <@U0ANA>/);
    const { status, effects, resolvedAt } = sandbox.service.approval(asked.token);
    expect(status).toBe('APPROVED');
    expect(effects).toMatchObject([{ action: 'approve', userId: ANAS_ACCOUNT }]);
    expect(stage.read(asked.ts)).toContain(`|${resolvedAt}>`);
    const operations = sandbox.service.requests().map(({ operation }) => operation);
    expect(operations.at(-1)).toBe('respond');
    expect(operations.slice(-3, -1).sort()).toEqual(['getApproval', 'listUsers']);
    const thread = () => sandbox.workspace.thread(DEPLOYS, asked.ts).slice(1).map(readable);
    await sandbox.until(() =>
      thread().some((text) => /^:white_check_mark: \*Approved\* after \d+ s/.test(text)),
    );
    await sandbox.until(() =>
      sandbox.workspace.messages(OUTCOMES).some((each) => readable(each).includes('Deploy 4.2')),
    );
    expect(await sandbox.automation.status(asked.id)).toMatchObject({
      status: 200,
      body: { status: 'APPROVED', outcome: { by: [ANA], certain: true, resolvedAt } },
    });
  },
);

story(
  'click-reject-decides',
  'one rejection decides even if two approvals are needed',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 } });
    const { ts, token } = await stage.ask();
    await stage.click(BEN, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['reject']);
  },
);

story(
  'click-quorum nobody-without-answer',
  'with a quorum of two the first approver is told what is missing, and both are named',
  async () => {
    await using stage = await startStage();
    const { ts, token, id } = await stage.ask({ quorum: 2 });
    expect(stage.read(ts)).toContain('0 of 2 approvals');
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0ANA>\)/);
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)).toEqual([
      'Your approval of *Deploy to production?* counts: 1 of 2. 1 more approval is needed.',
    ]);
    expect(respondsOf(stage, token)).toEqual([]);
    expect(await stage.sandbox.automation.status(id)).toMatchObject({
      body: { status: 'PENDING', approvals: 1, ballots: [{ user: ANA, action: 'approve' }] },
    });
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'click-quorum-again nobody-decides-who-may-not nobody-without-answer no-message-lies',
  'an approver who was deactivated no longer counts: both are told, and somebody else decides',
  async () => {
    await using stage = await startStage({ route: { ...ANYONE, quorum: 2 } });
    const { workspace, service } = stage.sandbox;
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0ANA>\)/);
    await stage.sandbox.until(() => stage.told(ANA).length === 1);
    service.setUser(ANAS_ACCOUNT, { active: false });
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0BEN>\)/);
    await stage.sandbox.until(() => stage.told(BEN).length > 0 && stage.told(ANA).length > 1);
    expect(stage.told(BEN)).toEqual([
      'Your approval of *Deploy 4.2* counts: 1 of 2. 1 more approval is needed. The approval of <@U0ANA> no longer counts: they can no longer decide this request.',
    ]);
    expect(stage.told(ANA).at(-1)).toBe(
      'Your approval of *Deploy 4.2* no longer counts: your account in the service was deactivated. When you can decide it again, press again.',
    );
    expect(respondsOf(stage, token)).toEqual([]);
    workspace.setUser(BEN, { deleted: true });
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0CLEO>\)/);
    service.setUser(ANAS_ACCOUNT, { active: true });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0CLEO> and <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'click-quorum-again people-unknown',
  'while an earlier approval cannot be checked, it is kept and nothing is sent',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 } });
    const { service } = stage.sandbox;
    const { ts, token } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    const isAnas = ({ body }: { readonly body: unknown }) => /ana@/.test(JSON.stringify(body));
    service.fault({ kind: '500', operation: 'listUsers', when: isAnas });
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Waiting for the service/);
    await stage.sandbox.until(() => stage.told(BEN).length > 0);
    expect(stage.told(BEN)).toEqual([
      expect.stringMatching(
        /^Request \*.+\*: The service answered with an error\. Nothing was sent\./,
      ),
    ]);
    expect(stage.read(ts)).toContain('1 of 2 approvals (<@U0ANA>)');
    expect(respondsOf(stage, token)).toEqual([]);
    service.clearFaults();
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
  },
);

story(
  'click-latest-counts nothing-twice',
  'a person who approves twice counts once, and can still reject',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 } });
    const { ts, token } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(ANA).length === 2);
    expect(stage.read(ts)).toContain('1 of 2 approvals');
    await stage.click(ANA, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['reject']);
  },
);

story('message-buttons', 'buttons carry an opaque id and nothing else', async () => {
  await using stage = await startStage();
  const { ts, id } = await stage.ask();
  const blocks = stage.sandbox.workspace.message(DEPLOYS, ts)?.blocks ?? [];
  const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  expect(buttons).toMatchObject([
    { text: { text: 'Approve' }, value: id },
    { text: { text: 'Reject' }, value: id },
    { options: [{ text: { text: 'Details…' }, value: `details:${id}` }] },
  ]);
});

story('outcome-requester', 'the requester is told the outcome directly', async () => {
  await using stage = await startStage();
  const { sandbox } = stage;
  const byId = await stage.ask({ title: 'One', requestedBy: { slackUser: 'U0CLEO' } });
  const byMail = await stage.ask({ title: 'Two', requestedBy: { email: 'dana@example.com' } });
  expect(stage.read(byMail.ts)).toMatch(/Asked by <[^|]*\/team\/U0DANA\|Dana>/);
  await stage.click(ANA, byId.ts, 'Approve');
  await stage.click(BEN, byMail.ts, 'Reject');
  const told = (user: string) => sandbox.workspace.directMessages(user).map(readable).join('\n');
  await sandbox.until(() =>
    /Approved by <[^|]*\/team\/U0ANA\|Ana>\*\nYour request .*One/.test(told('U0CLEO')),
  );
  await sandbox.until(() =>
    /Rejected by <[^|]*\/team\/U0BEN\|Ben>\*\nYour request .*Two/.test(told('U0DANA')),
  );
});

for (const [what, email] of [
  ['robot', '49699333+dependabot[bot]@users.noreply.github.com'],
  ['guest', 'ana_x.com#EXT#@y.onmicrosoft.com'],
  ['local account', 'root@localhost'],
  ['host beyond ASCII', 'x@bücher.example'],
  ['name', '@channel *Ana* & Co <user&co@example.com>'],
  ['name in quotes', '"@here" <ana+nobody@example.com>'],
] as const) {
  story(
    'message-content people-requester',
    `an address (${what}) that Slack does not know or refuses to look up is shown as a name`,
    async () => {
      await using stage = await startStage();
      const { workspace } = stage.sandbox;
      const error = 'no_permission';
      workspace.fault({ kind: 'refused', method: 'users.lookupByEmail', error, times: 1 });
      const refused = await stage.ask({ title: 'One', requestedBy: { email } });
      const unknown = await stage.ask({ title: 'Two', requestedBy: { email } });
      for (const { status, ts } of [refused, unknown]) {
        expect(status).toBe(202);
        const { blocks, text = '' } = workspace.message(DEPLOYS, ts) ?? {};
        const shown = { type: 'plain_text', text: `Asked by ${email}`, emoji: false };
        expect(blocks).toContainEqual(
          expect.objectContaining({ elements: expect.arrayContaining([shown]) }),
        );
        expect(text).not.toMatch(/<(?!http)/);
        await stage.click(BEN, ts, 'Approve');
        await stage.until(ts, /Approved by <@U0BEN>/);
      }
      expect(workspace.calls('users.lookupByEmail')).toHaveLength(2);
    },
  );
}

story(
  'message-sending no-message-lies',
  'a slow service makes the message say that a decision is being sent, until the answer',
  async () => {
    await using stage = await startStage({ scale: 1 });
    const { sandbox } = stage;
    const slow = await stage.ask({ title: 'Slow' });
    const quick = await stage.ask({ title: 'Quick' });
    sandbox.service.fault({
      kind: 'slowAnswer',
      ms: 2_500,
      operation: 'respond',
      when: ({ token }) => token === slow.token,
    });
    const clickedAt = Date.now();
    await Promise.all([
      stage.click(ANA, slow.ts, 'Approve'),
      stage.click(ANA, quick.ts, 'Approve'),
    ]);
    const text = await stage.until(slow.ts, /Sending/);
    expect(text).toContain("<@U0ANA>'s approval");
    expect(text).not.toMatch(/Approve$|Reject$|Approved by/m);
    await stage.until(slow.ts, /Approved by <@U0ANA>/);
    await stage.until(quick.ts, /Approved by <@U0ANA>/);
    const updates = sandbox.workspace.calls('chat.update');
    const sending = updates.filter(({ args }) => JSON.stringify(args).includes('Sending'));
    expect(sending.length).toBeGreaterThan(0);
    for (const { at } of sending) expect(at - clickedAt).toBeGreaterThanOrEqual(1_000);
    const last = updates.findLast(({ args }) => args.ts === slow.ts);
    expect(JSON.stringify(last?.args)).toContain('Approved by');
    expect(effectsOf(stage, slow.token)).toEqual(['approve']);
  },
);

story('click-spent', 'approvals of a failed decision do not count again', async () => {
  await using stage = await startStage({ hasDoor: true, route: { quorum: 2 } });
  const { ts, token } = await stage.ask();
  stage.door.answer((call) =>
    call === 'respond' ? { status: 422, body: { error: 'Not on Fridays.' } } : undefined,
  );
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /1 of 2 approvals/);
  await stage.click(BEN, ts, 'Approve');
  await stage.until(ts, /0 of 2 approvals/);
  await stage.sandbox.until(() => stage.told(ANA).some((text) => /no longer counts/.test(text)));
  stage.door.answer(null);
  await stage.click(BEN, ts, 'Approve');
  await stage.until(ts, /1 of 2 approvals \(<@U0BEN>\)/);
  expect(effectsOf(stage, token)).toEqual([]);
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0BEN> and <@U0ANA>/);
  expect(effectsOf(stage, token)).toEqual(['approve']);
});

story(
  'intake-known nobody-decides-who-may-not',
  'a token that is sent again with another change, reviewers or quorum is refused',
  async () => {
    await using stage = await startStage();
    const asked = { change: '+ 4.2', quorum: 2, reviewers: { users: [ANA, BEN] } };
    const { token, id } = await stage.ask(asked);
    const sent = (question: object) => stage.send({ ...asked, token, ...question });
    expect(await sent({ title: 'Other words' })).toMatchObject({ status: 200, body: { id } });
    for (const other of [{ change: '+ 4.3' }, { quorum: 1 }, { reviewers: { users: [BEN] } }]) {
      expect({ ...(await sent(other)), other }).toMatchObject({ status: 409, other });
    }
  },
);

story('intake-known nothing-twice', 'a token sent again is posted once', async () => {
  await using stage = await startStage();
  const first = await stage.ask({ title: 'Once' });
  const again = await stage.send({ title: 'Twice', token: first.token });
  expect(again).toMatchObject({ status: 200, body: { id: first.id, status: 'PENDING' } });
  const many = await Promise.all([1, 2, 3, 4].map(() => stage.send({ token: first.token })));
  expect(many.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await stage.click(ANA, first.ts, 'Approve');
  await stage.until(first.ts, /Approved by/);
  expect(await stage.send({ token: first.token })).toMatchObject({
    status: 200,
    body: { id: first.id, status: 'APPROVED' },
  });
  const messages = stage.sandbox.workspace.messages(DEPLOYS);
  expect(messages.filter((message) => messageOf([message], first.id))).toHaveLength(1);
});
