import { expect, vi } from 'vitest';
import type { Question } from '../../sandbox/automation/automation.ts';
import type { Config, Route } from '../../src/core/config/config.ts';
import { CALLBACK_SECRET, startReceiver } from '../support/webhook-receiver.ts';
import { ANYONE, NOBODY } from './deciders.ts';
import { ANA, BEN, CLEO, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** Who asked: named, known or not, added later; and that they do not decide. */

const LOGINS = { 'github:octocat': ANA, 'email:ana+deploy@example.com': ANA };

function linked(route: Partial<Route> = {}) {
  return startStage({
    route,
    config: (config: Config) => ({
      ...config,
      identityLogins: LOGINS,
      identityRobots: ['github:renovate[bot]'],
    }),
  });
}

const GATE = { key: 'deploy/4711', title: 'Deploy 4.2' };
const OCTOCAT = { requestedBy: { login: 'OctoCat', at: 'github' } };
const UNKNOWN = 'It is not known who asked';

async function statusOf({ sandbox }: Stage, id: string): Promise<Record<string, unknown>> {
  const { body } = await sandbox.automation.status(id);
  // as: GET is documented, and a story holds it
  return body as Record<string, unknown>;
}

async function refusedAsRequester(stage: Stage, user: string, ts: string): Promise<void> {
  await stage.click(user, ts, 'Approve');
  const refusal = /^You asked for .* so somebody else has to decide/;
  await stage.sandbox.until(() => stage.told(user).some((text) => refusal.test(text)));
}

for (const requestedBy of [
  OCTOCAT.requestedBy,
  { email: 'Ana+Deploy@example.com' },
  { email: 'ana@example.com' },
  { slackUser: ANA },
]) {
  const how = Object.values(requestedBy).join(' at ');
  story(
    'asker-known',
    `the person named by ${how} cannot approve, and somebody else can`,
    async () => {
      await using stage = await linked();
      const { id, ts } = await stage.ask({ ...GATE, requestedBy });
      expect(stage.read(ts)).not.toContain(UNKNOWN);
      expect(await statusOf(stage, id)).toMatchObject({ requester: { known: true } });
      await refusedAsRequester(stage, ANA, ts);
      await stage.click(BEN, ts, 'Approve');
      await stage.until(ts, /Approved by <@U0BEN>/);
    },
  );
}

for (const [what, requestedBy] of [
  ['nobody', undefined],
  ['a name', { name: 'octocat' }],
  ['an id that Slack does not know', { slackUser: 'U0NONE' }],
  ['a login that nobody is linked to', { login: 'hubot', at: 'github' }],
  ['an address that nobody has', { email: '123+ana@users.noreply.example.com' }],
  ['a guest', { slackUser: 'U0GUS' }],
  ['a robot that is not listed', { login: 'dependabot[bot]', at: 'github' }],
] as const) {
  const named: Question = requestedBy === undefined ? {} : { requestedBy };
  story('asker-unknown', `where a request names ${what}, it is not known who asked`, async () => {
    await using receiver = await startReceiver();
    await using stage = await startStage({
      config: (config: Config) => ({
        ...config,
        identityLogins: LOGINS,
        sources: config.sources.map((source) => ({
          ...source,
          callback: { url: receiver.url, secrets: [CALLBACK_SECRET] },
        })),
      }),
    });
    const { id, ts } = await stage.ask({ ...GATE, ...named });
    await stage.until(ts, /It is not known who asked: reviewers could approve their own request/);
    expect(await statusOf(stage, id)).toMatchObject({ requester: { known: false } });
    const posted = () => receiver.received.find(({ type }) => type === 'approval.posted');
    const called = await vi.waitUntil(posted, { timeout: 60_000, interval: 50 });
    expect(called.data.requester).toEqual({ known: false });
    await stage.click(ANA, ts, 'Approve');
    expect(await stage.until(ts, /Approved by <@U0ANA>/)).not.toContain(UNKNOWN);
  });
}

story('asker-unknown', 'a gate of the service says so only in its details', async () => {
  await using stage = await linked();
  const { ts } = await stage.ask({ title: 'Deploy 4.2' });
  expect(stage.read(ts)).not.toContain(UNKNOWN);
  await stage.pick(BEN, ts, 'Details…');
  const modal = await stage.sandbox.until(() => {
    const view = stage.sandbox.workspace.modal(BEN);
    return JSON.stringify(view ?? '').includes('Current rules') ? view : undefined;
  });
  expect(JSON.stringify(modal)).toContain(`${UNKNOWN}: reviewers could approve their own request.`);
});

story('asker-known', 'a listed robot is known, and nobody is excluded', async () => {
  await using stage = await linked({ requester: 'known' });
  const requestedBy = { login: 'renovate[bot]', at: 'github' };
  const { id, ts } = await stage.ask({ ...GATE, requestedBy });
  expect(stage.read(ts)).toContain('Asked by renovate[bot] (GitHub)');
  expect(await statusOf(stage, id)).toMatchObject({ requester: { known: true } });
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
});

story(
  'asker-required',
  'a route that demands a known requester refuses others by name',
  async () => {
    await using stage = await linked({ requester: 'known' });
    const refusals = [
      [{}, '/requestedBy'],
      [{ requestedBy: { name: 'Ana' } }, '/requestedBy'],
      [{ requestedBy: { slackUser: 'U0NONE' } }, '/requestedBy/slackUser'],
      [{ requestedBy: { slackUser: 'U0GUS' } }, '/requestedBy/slackUser'],
      [{ requestedBy: { email: 'nobody@example.com' } }, '/requestedBy/email'],
      [{ requestedBy: { login: 'hubot', at: 'github' } }, '/requestedBy/login'],
      [{ requestedBy: { login: 'dependabot[bot]', at: 'github' } }, '/requestedBy/login'],
    ] as const;
    for (const [named, pointer] of refusals) {
      const { status, body } = await stage.send({ ...GATE, ...named });
      expect(status).toBe(422);
      expect(body).toMatchObject({ errors: [{ pointer }] });
      expect(JSON.stringify(body)).not.toMatch(/hubot|nobody@|U0NONE/);
    }
    const { status, id } = await stage.send({ ...GATE, ...OCTOCAT });
    expect(status).toBe(202);
    // The same again needs no look-up, another one does.
    stage.sandbox.workspace.fault({ kind: '500', method: 'users.info' });
    stage.sandbox.workspace.fault({ kind: '500', method: 'users.lookupByEmail' });
    expect(await stage.send({ ...GATE, ...OCTOCAT })).toMatchObject({ status: 200, id });
    expect(await stage.send({ ...GATE, requestedBy: { email: 'ben@example.com' } })).toMatchObject({
      status: 503,
    });
    const other = { ...GATE, key: 'deploy/4712', requestedBy: { email: 'ben@example.com' } };
    expect(await stage.send(other)).toMatchObject({ status: 503 });
    stage.sandbox.workspace.clearFaults();
    expect(await stage.send(other)).toMatchObject({ status: 202 });
  },
);

story(
  'asker-added',
  'who asks second with the same key cannot approve, and the message says so',
  async () => {
    await using stage = await linked();
    const { id, ts } = await stage.ask(GATE);
    await stage.until(ts, new RegExp(UNKNOWN));
    expect(await stage.send({ ...GATE, ...OCTOCAT })).toMatchObject({ status: 200, id });
    await stage.until(ts, /^(?!.*not known who asked).*Asked for by/s);
    await refusedAsRequester(stage, ANA, ts);
    expect(await statusOf(stage, id)).toMatchObject({ requester: { known: true } });
    const requestedBy = { slackUser: BEN };
    expect(await stage.send({ ...GATE, requestedBy })).toMatchObject({ status: 200, id });
    await stage.until(ts, /Asked for by [^,\n]+, /);
    await refusedAsRequester(stage, BEN, ts);
  },
);

story(
  'asker-added nobody-without-answer',
  'an approval that was counted before its person asked is removed, and they are told',
  async () => {
    await using stage = await linked({ ...ANYONE, quorum: 2 });
    const { ts } = await stage.ask(GATE);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await stage.send({ ...GATE, ...OCTOCAT });
    await stage.until(ts, /0 of 2 approvals/);
    await stage.sandbox.until(() => stage.told(ANA).some((text) => /you asked for it/.test(text)));
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN> and <@U0CLEO>/);
  },
);

story(
  'asker-added nothing-twice',
  'a held approval of the person who asks is not sent',
  async () => {
    await using stage = await linked({ hold: 20_000 });
    const { ts } = await stage.ask(GATE);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /counts at/);
    await stage.send({ ...GATE, ...OCTOCAT });
    await stage.until(ts, /Waiting for/);
    await refusedAsRequester(stage, ANA, ts);
  },
);

story(
  'asker-added',
  'an own gate that the person who asks has approved opens nothing',
  async () => {
    await using stage = await linked();
    const { id, ts } = await stage.ask(GATE);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    for (const requestedBy of [OCTOCAT.requestedBy, { email: 'ana@example.com' }]) {
      const { status, body } = await stage.send({ ...GATE, requestedBy });
      expect(status).toBe(409);
      expect(body).toMatchObject({ detail: expect.stringContaining('Ask with another key') });
    }
    // From then on it opens nothing for anybody, also where nobody is named, or for who would run it.
    await stage.until(ts, /own requester/);
    const others: Question[] = [{}, { requestedBy: { slackUser: BEN } }];
    for (const other of others)
      expect(await stage.send({ ...GATE, ...other })).toMatchObject({ status: 409 });
    const claim = { state: 'running', claim: 'run 1' } as const;
    expect(await stage.sandbox.automation.report(id, claim)).toMatchObject({ status: 409 });
    await stage.click(BEN, ts, 'Reviewed');
    await stage.until(ts, /Reviewed by <@U0BEN>/);
    expect(await stage.send(GATE)).toMatchObject({ status: 409 });
  },
);

story('asker-added', 'an own gate that somebody else approved is answered as before', async () => {
  await using stage = await linked();
  const { ts } = await stage.ask(GATE);
  await stage.click(BEN, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0BEN>/);
  expect(await stage.send({ ...GATE, ...OCTOCAT })).toMatchObject({ status: 200 });
});

story('asker-added', 'an address beside another person’s id hides nobody', async () => {
  await using stage = await linked({ requester: 'known' });
  const email = 'ana+deploy@example.com';
  const { ts } = await stage.ask({ ...GATE, requestedBy: { email, slackUser: BEN } });
  await refusedAsRequester(stage, ANA, ts);
  await refusedAsRequester(stage, BEN, ts);
});

story(
  'asker-added',
  'of a gate of the service that they approved, the message says so',
  async () => {
    await using stage = await linked();
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    const again = { token, title: 'Deploy 4.2', ...OCTOCAT };
    expect(await stage.send(again)).toMatchObject({ status: 200 });
    await stage.until(ts, /own requester/);
    await stage.click(BEN, ts, 'Reviewed');
    await stage.until(ts, /Reviewed by <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story('asker-added', 'a request takes ten requesters', async () => {
  await using stage = await linked();
  await stage.ask({ ...GATE, ...OCTOCAT });
  const named = (at: number) => ({ ...GATE, requestedBy: { name: `Pipeline ${at}` } });
  for (let at = 0; at < 9; at += 1) {
    expect(await stage.send(named(at))).toMatchObject({ status: 200 });
  }
  expect(await stage.send(named(9))).toMatchObject({ status: 409 });
  expect(await stage.send(named(8))).toMatchObject({ status: 200 });
});

story('asker-alone', 'the only reviewer asked by their linked login: refused at once', async () => {
  await using stage = await linked({ reviewers: { ...NOBODY, users: [ANA] } });
  expect(await stage.send({ ...GATE, ...OCTOCAT })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/requestedBy/login' }] },
  });
});

story(
  'asker-alone',
  'an address turns out to be the only reviewer’s: everybody is told',
  async () => {
    await using stage = await linked({ reviewers: { ...NOBODY, users: [ANA] } });
    const { id, ts } = await stage.ask({ ...GATE, requestedBy: { email: 'ana@example.com' } });
    await stage.until(ts, /This request cannot be approved: only its requester can decide/);
    expect(await statusOf(stage, id)).toMatchObject({
      status: 'BLOCKED',
      blocked: 'only-requester',
    });
  },
);
