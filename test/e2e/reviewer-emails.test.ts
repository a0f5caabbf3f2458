import { expect } from 'vitest';
import { ANA, BEN, type Stage, type StageOptions, startStage } from './stage.ts';
import { story } from './story.ts';

/** Reviewers by address: agents and pipelines know no Slack ids. */

const OF_USERS: StageOptions = {
  route: { reviewers: { users: [ANA, BEN], groups: [], channel: false } },
};

async function ask({ app, sandbox }: Stage, body: object) {
  const answer = await fetch(`${app.url}/v1/approvals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.credentials.intakeSecret}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ title: 'Deploy', ...body }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}

async function reviewersOf({ app, sandbox }: Stage, url: string): Promise<object> {
  const authorization = `Bearer ${sandbox.credentials.intakeSecret}`;
  const answer = await fetch(`${app.url}${url}`, { headers: { authorization } });
  return (await answer.json()).reviewers;
}

story('intake-narrows', 'an address narrows the reviewers to one person', async () => {
  await using stage = await startStage(OF_USERS);
  const asked = await ask(stage, { key: 'a', reviewers: { emails: [' Ana <ana@example.com>'] } });
  expect(asked.status).toBe(202);
  expect(await reviewersOf(stage, asked.body.url)).toMatchObject({ users: [ANA], groups: [] });
  const again = await ask(stage, { key: 'a', reviewers: { users: [ANA] } });
  expect(again).toMatchObject({ status: 200, body: { id: asked.body.id } });
  const other = await ask(stage, { key: 'a', reviewers: { emails: ['ben@example.com'] } });
  expect(other.status).toBe(409);
});

story(
  'intake-narrows intake-bad-input intake-no-echo',
  'an address that nobody has, or of no reviewer, is refused with its place',
  async () => {
    await using stage = await startStage(OF_USERS);
    const emails = ['ana@example.com', 'nobody@example.com', 'cleo@example.com'];
    const unknown = await ask(stage, { key: 'b', reviewers: { emails } });
    expect(unknown.status).toBe(422);
    const places = unknown.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(places).toEqual(['/reviewers/emails/1']);
    const [first, , last] = emails;
    const reviewers = { users: [BEN], emails: [first, last] };
    const strange = await ask(stage, { key: 'b', reviewers });
    expect(strange).toMatchObject({
      status: 422,
      body: {
        errors: [{ pointer: '/reviewers/emails/1', detail: 'is not a reviewer of this route' }],
      },
    });
    const invalid = await ask(stage, { key: 'b', reviewers: { emails: ['not-an-address'] } });
    expect(invalid.body.errors).toMatchObject([{ pointer: '/reviewers/emails/0' }]);
    const empty = await ask(stage, { key: 'b', reviewers: { emails: [] } });
    expect(empty.status).toBe(422);
    for (const { text } of [unknown, strange, invalid]) {
      expect(text).not.toMatch(/nobody@|cleo@|not-an-address/);
    }
  },
);

story(
  'intake-narrows',
  'nothing is stored while Slack does not say whose an address is',
  async () => {
    await using stage = await startStage(OF_USERS);
    stage.sandbox.workspace.fault({ method: 'users.lookupByEmail', kind: '500' });
    const body = { key: 'c', reviewers: { emails: ['ana@example.com'] } };
    const silent = await ask(stage, body);
    expect(silent).toMatchObject({ status: 503 });
    stage.sandbox.workspace.clearFaults();
    const asked = await ask(stage, body);
    expect(asked.status).toBe(202);
    expect(await reviewersOf(stage, asked.body.url)).toMatchObject({ users: [ANA] });
  },
);

story('intake-narrows', 'a linked address needs no answer from Slack', async () => {
  await using stage = await startStage({
    ...OF_USERS,
    config: (config) => ({ ...config, identityLogins: { 'email:robot@ci.example': BEN } }),
  });
  const asked = await ask(stage, { key: 'd', reviewers: { emails: ['robot@ci.example'] } });
  expect(await reviewersOf(stage, asked.body.url)).toMatchObject({ users: [BEN] });
});
