import { expect } from 'vitest';
import { DEPLOYS, listing } from '../support/world.ts';
import { ANA, BEN, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** The end of the story: what became of what was approved, and requests that a newer one replaces. */

const DEPLOY = { key: 'checkout/4711/deploy', title: 'Deploy 4.2', message: 'All green.' };

const replies = ({ sandbox }: Stage, ts: string) =>
  sandbox.workspace.thread(DEPLOYS, ts).map(({ text = '' }) => text);

async function approved(stage: Stage, question: Parameters<Stage['ask']>[0] = DEPLOY) {
  const asked = await stage.ask(question);
  await stage.click(ANA, asked.ts, 'Approve');
  await stage.until(asked.ts, /Approved by <@U0ANA>/);
  return asked;
}

story(
  'result',
  'a result is shown with a link to the run, and none before an approval',
  async () => {
    await using stage = await startStage();
    const { automation } = stage.sandbox;
    const { id, ts } = await stage.ask(DEPLOY);
    const early = await automation.report(id, { state: 'running' });
    expect(early).toMatchObject({ status: 409, body: { title: 'Conflict' } });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    const link = 'https://ci.example.com/4711';
    const running = await automation.report(id, { state: 'running', link });
    expect(running).toMatchObject({
      status: 200,
      body: { id, status: 'APPROVED', result: { state: 'running', link } },
    });
    expect(await stage.until(ts, /\*Running\*/)).toContain(`<${link}|Open run on ci.example.com>`);
    const done = await automation.report(id, { state: 'succeeded', text: 'Version 4.2 @here' });
    expect(done).toMatchObject({
      status: 200,
      body: {
        result: {
          state: 'succeeded',
          text: 'Version 4.2 @here',
          history: [{ state: 'running' }, { state: 'succeeded' }],
        },
      },
    });
    const shown = await stage.until(ts, /\*Succeeded\* after \d+ s/);
    expect(shown).toContain('Approved by <@U0ANA>');
    await stage.sandbox.until(() =>
      replies(stage, ts).some((text) => text.includes('*Succeeded*')),
    );
    // Work that has ended does not run any more, and the same again is the same.
    const late = await automation.report(id, { state: 'running' });
    const again = await automation.report(id, { state: 'succeeded', text: 'Version 4.2 @here' });
    expect([late, again]).toMatchObject([
      { status: 200, body: { result: { state: 'succeeded' } } },
      { status: 200, body: { result: { history: { length: 2 } } } },
    ]);
    expect(replies(stage, ts).filter((text) => text.includes('*Succeeded*'))).toHaveLength(1);
  },
);

story(
  'result no-token-shown',
  'the requester is told of a failure, with the token redacted',
  async () => {
    await using stage = await startStage();
    const { automation } = stage.sandbox;
    const { id, ts, token } = await approved(stage, {
      title: 'Deploy 4.2',
      requestedBy: { slackUser: BEN },
    });
    const text = `curl -H ${token} failed`;
    const { status, body } = await automation.report(id, { state: 'failed', text });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(token);
    expect(await stage.until(ts, /\*Failed\*/)).toContain('curl -H [token] failed');
    const told = await stage.sandbox.until(() =>
      replies(stage, ts).find((each) => each.includes('*Failed*')),
    );
    expect(told).toContain('<@U0BEN>');
  },
);

story('result', 'work that is not heard of in time is shown as silent', async () => {
  await using stage = await startStage({ config: listing });
  const { id, ts } = await approved(stage);
  const { automation } = stage.sandbox;
  // A busy machine may be late with it.
  for (let status = 0; status !== 200; ) {
    const until = new Date(Date.now() + 2_000).toISOString();
    ({ status } = await automation.report(id, { state: 'running', until }));
  }
  const shown = await stage.until(ts, /\*No report since\*/);
  expect(shown).not.toContain('Succeeded');
  expect((await automation.report(id, { state: 'succeeded' })).status).toBe(200);
  await stage.until(ts, /\*Succeeded\*/);
});

story(
  'result intake-bad-input intake-no-echo',
  'an invalid report is refused with a pointer, and changes nothing',
  async () => {
    await using stage = await startStage();
    const { automation } = stage.sandbox;
    const { id, ts } = await approved(stage);
    const past = await automation.report(id, { state: 'running', until: '2020-01-01T00:00:00Z' });
    const long = await automation.report(id, { state: 'failed', text: 'xyz'.repeat(101) });
    expect([past, long]).toMatchObject([
      { status: 422, body: { errors: [{ pointer: '/until', detail: 'is in the past' }] } },
      { status: 422, body: { errors: [{ pointer: '/text' }] } },
    ]);
    expect(JSON.stringify(long.body)).not.toContain('xyz');
    expect(await automation.report('unknown', { state: 'running' })).toMatchObject({ status: 404 });
    expect(await automation.status(id)).toMatchObject({ body: { status: 'APPROVED' } });
    expect(stage.read(ts)).not.toMatch(/Running|Failed/u);
  },
);

story(
  'result-claim nothing-twice',
  'of several runs that claim an approval only one starts',
  async () => {
    await using stage = await startStage();
    const { automation } = stage.sandbox;
    const { id } = await approved(stage);
    const runs = Array.from({ length: 5 }, (_, run) => ({
      state: 'running' as const,
      claim: `${run}`,
    }));
    const answers = await Promise.all(runs.map((run) => automation.report(id, run)));
    const won = runs.filter((_, at) => answers[at]?.status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    // Its answer may be lost.
    const repeated = await Promise.all(won.map((run) => automation.report(id, run)));
    expect(repeated).toMatchObject([{ status: 200, body: { result: { state: 'running' } } }]);
  },
);

story('supersedes', 'a newer request withdraws older undecided ones', async () => {
  await using stage = await startStage();
  const { automation } = stage.sandbox;
  const named = (key: string) => ({
    key,
    title: `Deploy ${key}`,
    supersedes: 'checkout/production',
  });
  const decided = await approved(stage, named('4.0'));
  const older = await stage.ask(named('4.1'));
  const other = await stage.ask({ ...named('5.0'), supersedes: 'shop/production' });
  const newer = await stage.ask(named('4.2'));
  const shown = await stage.until(older.ts, /\*Withdrawn\*/);
  expect(shown).toMatch(/replaced by <http:[^|]+\|a newer request>/u);
  expect(shown).toContain(`p${newer.ts.replace('.', '')}`);
  const statuses = [decided, older, other, newer].map(async ({ id }) => {
    // as: GET is documented, and a story holds it
    const body = (await automation.status(id)).body as Record<string, unknown>;
    return [body.status, body.supersededBy];
  });
  expect(await Promise.all(statuses)).toEqual([
    ['APPROVED', undefined],
    ['WITHDRAWN', newer.id],
    ['PENDING', undefined],
    ['PENDING', undefined],
  ]);
});
