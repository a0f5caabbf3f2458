import { expect, vi } from 'vitest';
import type { Config, Route, Source } from '../../src/core/config/config.ts';
import { GITHUB_CLAIMS, type Issuer, startIssuer } from '../support/issuer.ts';
import { CALLBACK_SECRET, startReceiver } from '../support/webhook-receiver.ts';
import { ANA, BEN, CLEO, type Stage, type StageOptions, startStage } from './stage.ts';
import { story } from './story.ts';

/** Who asks is proved: a job's identity token instead of a secret. */

const LOGINS = { '127.0.0.1:id/583231': CLEO, 'github:octo-ana': ANA };
const GATE = { key: 'deploy/4711', title: 'Deploy 4.2' };

interface Proved extends AsyncDisposable {
  readonly stage: Stage;
  readonly issuer: Issuer;
  /** A job asks, with its token's claims in addition to the usual ones. */
  readonly asks: (claims?: object, body?: object) => Promise<Answer>;
  readonly call: (path: string, bearer: string, body?: unknown) => Promise<Answer>;
  /** Until the request is posted. */
  readonly posted: (id: string) => Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: what the intake documents, held by the story
  readonly body: any;
}

async function proving(
  route: Partial<Route> = {},
  source: (issuer: Issuer) => Partial<Source> = () => ({}),
  options: StageOptions = {},
): Promise<Proved> {
  const issuer = await startIssuer();
  const auth = {
    kind: 'oidc',
    preset: 'github',
    issuer: issuer.url,
    audience: 'gatepost',
    claims: { repository: ['acme/*'], ref: ['refs/heads/main'] },
    jwksFile: null,
    ca: null,
  } as const;
  const stage = await startStage({
    ...options,
    route,
    config: (config: Config) => ({
      ...config,
      identityLogins: LOGINS,
      identityRobots: ['127.0.0.1:[schedule]'],
      sources: [
        ...config.sources,
        {
          ...{ id: 'shop', auth, secrets: [], routes: ['default'], channels: [], kinds: ['gate'] },
          ...source(issuer),
        } as Source, // as: complete with the members above
      ],
    }),
  });
  const call = async (path: string, bearer: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${stage.app.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: await response.json() };
  };
  const given: string[] = [];
  return {
    stage,
    issuer,
    call,
    async asks(claims = {}, body = {}) {
      const token = await issuer.token({ ...GITHUB_CLAIMS, ...claims });
      const answer = await call('/v1/approvals', token, { ...GATE, ...body });
      given.push(token);
      if (answer.body.requestKey !== undefined) given.push(answer.body.requestKey);
      return answer;
    },
    async posted(id) {
      const shown = () => stage.sandbox.workspace.messages('C0DEPLOYS');
      const own = () => shown().find((each) => each.metadata?.event_payload.record === id);
      await stage.sandbox.until(() => own() !== undefined);
      return own()?.ts ?? '';
    },
    async [Symbol.asyncDispose]() {
      const places = [...stage.log, JSON.stringify(stage.stored)];
      places.push(JSON.stringify(stage.sandbox.workspace.calls()));
      const leaks = given.filter((secret) => places.some((place) => place.includes(secret)));
      await stage[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
      expect(leaks, 'an identity token or request key is where it must not be').toEqual([]);
    },
  };
}

story(
  'asker-proved asker-known no-token-shown',
  'the person whom the token names is shown as verified, and cannot approve',
  async () => {
    await using receiver = await startReceiver();
    await using it = await proving({ requester: 'verified' }, () => ({
      callback: { url: receiver.url, secrets: [CALLBACK_SECRET] },
    }));
    const { status, body } = await it.asks();
    expect(status).toBe(202);
    const ts = await it.posted(body.id);
    expect(await it.stage.until(ts, /verified by GitHub/)).toMatch(/run 4711 of acme\/shop/);
    await it.stage.click(CLEO, ts, 'Approve');
    await it.stage.sandbox.until(() =>
      it.stage.told(CLEO).some((text) => /^You asked for .* so somebody else/.test(text)),
    );
    await it.stage.click(BEN, ts, 'Approve');
    await it.stage.until(ts, /Approved by <@U0BEN>/);
    const { body: details } = await it.call(body.url, body.requestKey);
    expect(details).toMatchObject({
      status: 'APPROVED',
      requester: { known: true, verified: true },
      proof: {
        by: expect.stringMatching(/^GitHub at 127\.0\.0\.1/),
        subject: GITHUB_CLAIMS.sub,
        repository: 'acme/shop',
        run: { id: '4711', attempt: 1 },
      },
    });
    expect(JSON.stringify(details)).not.toContain('"scope"');
    const decided = () => receiver.received.find(({ type }) => type === 'approval.decided');
    const requester = { known: true, verified: true };
    await vi.waitFor(() => expect(decided()?.data).toMatchObject({ requester }), 60_000);
  },
);

story(
  'asker-proved',
  'the person whom the request names beside the token cannot approve either',
  async () => {
    await using it = await proving();
    const { body } = await it.asks({}, { requestedBy: { login: 'octo-ana', at: 'github' } });
    const ts = await it.posted(body.id);
    for (const user of [CLEO, ANA]) {
      await it.stage.click(user, ts, 'Approve');
      await it.stage.sandbox.until(() =>
        it.stage.told(user).some((text) => /^You asked for /.test(text)),
      );
    }
    await it.stage.click(BEN, ts, 'Approve');
    await it.stage.until(ts, /Approved by <@U0BEN>/);
  },
);

story(
  'asker-proved',
  'a run that somebody ran again is not verified, and a route can refuse it',
  async () => {
    await using it = await proving({ requester: 'known' });
    const { status, body } = await it.asks({ run_attempt: '2' });
    expect(status).toBe(202);
    const ts = await it.posted(body.id);
    expect(await it.stage.until(ts, /run 4711/)).not.toContain('verified');
    expect((await it.call(body.url, body.requestKey)).body.requester).toEqual({
      known: true,
      verified: false,
    });
    await it.stage.pick(BEN, ts, 'Details…');
    await it.stage.sandbox.until(() =>
      JSON.stringify(it.stage.sandbox.workspace.modal(BEN) ?? {}).includes('does not say by whom'),
    );
    await using strict = await proving({ requester: 'verified' });
    const refused = await strict.asks({ run_attempt: '2' });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '', detail: expect.stringContaining('start a new run') }] },
    });
  },
);

story(
  'asker-proved asker-added',
  'running an approved run again with the same key takes the proof from it',
  async () => {
    await using it = await proving();
    const first = await it.asks();
    await it.posted(first.body.id);
    const again = await it.asks({ run_attempt: '2' });
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect(again.body.requestKey).toBe(first.body.requestKey);
    const { body } = await it.call(first.body.url, first.body.requestKey);
    expect(body.requester).toEqual({ known: true, verified: false });
  },
);

story('asker-proved asker-required', 'a schedule that is proved counts as listed', async () => {
  await using it = await proving({ requester: 'verified' });
  const { status, body } = await it.asks({ event_name: 'schedule', actor: 'octo-ana' });
  expect(status).toBe(202);
  const ts = await it.posted(body.id);
  expect(await it.stage.until(ts, /verified by GitHub/)).toContain('a schedule (127.0.0.1)');
});

story('asker-proved asker-required', 'a proved person whom nobody knows is refused', async () => {
  await using it = await proving({ requester: 'verified' });
  const { status, body } = await it.asks({ actor: 'stranger', actor_id: '7' });
  expect(status).toBe(422);
  expect(body.errors[0].detail).toMatch(/is not linked with a full member/);
});

story('asker-proved asker-required', 'a token that names nobody is refused', async () => {
  await using it = await proving({ requester: 'verified' });
  const { actor: _, ...claims } = GITHUB_CLAIMS;
  const token = await it.issuer.token(claims);
  const { status, body } = await it.call('/v1/approvals', token, GATE);
  expect(status).toBe(422);
  expect(body.errors[0].detail).toMatch(/does not say who started the run/);
});

story(
  'asker-apart intake-own-records nothing-twice',
  'the same key of two repositories is two requests, and neither reaches that of the other',
  async () => {
    await using it = await proving();
    const other = { repository: 'acme/tools', repository_id: '75' };
    const shop = await it.asks();
    const tools = await it.asks(other);
    expect([shop.status, tools.status]).toEqual([202, 202]);
    expect(tools.body.id).not.toBe(shop.body.id);
    expect(tools.body.requestKey).not.toBe(shop.body.requestKey);
    const ts = await it.posted(shop.body.id);
    await it.posted(tools.body.id);
    await it.stage.click(BEN, ts, 'Approve');
    await it.stage.until(ts, /Approved by <@U0BEN>/);
    const token = (claims: object) => it.issuer.token({ ...GITHUB_CLAIMS, ...claims });
    const { url } = shop.body;
    expect((await it.asks(other)).body.status).toBe('PENDING');
    const claim = { state: 'running', claim: 'stolen' };
    const byKey = `/v1/approvals?key=${encodeURIComponent(GATE.key)}`;
    const found = [await it.call(byKey, await token(other)), await it.call(byKey, await token({}))];
    expect(found.map(({ body }) => body.id)).toEqual([tools.body.id, shop.body.id]);
    const third = { repository: 'acme/third', repository_id: '76' };
    const tries = [
      await it.call(byKey, await token(third)),
      await it.call(url, await token(other)),
      await it.call(`${url}/withdraw`, await token(other), {}),
      await it.call(`${url}/check`, await token(other), {}),
      await it.call(`${url}/result`, await token(other), claim),
    ];
    expect(tries.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const withKey = [
      await it.call(url, tools.body.requestKey),
      await it.call(`${url}/result`, tools.body.requestKey, claim),
      await it.call('/v1/approvals', shop.body.requestKey, GATE),
      await it.call(byKey, shop.body.requestKey),
    ];
    expect(withKey.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const own = [
      await it.call(url, await token({})),
      await it.call(`${url}/result`, shop.body.requestKey, { ...claim, claim: 'own' }),
    ];
    expect(own.map(({ status }) => status)).toEqual([200, 200]);
    const { sandbox } = it.stage;
    expect((await it.call(url, sandbox.credentials.intakeSecret)).status).toBe(404);
  },
);

story(
  'asker-apart',
  'a request supersedes older ones of its own repository alone, and only their key withdraws them',
  async () => {
    await using it = await proving();
    const named = { supersedes: 'production' };
    const older = await it.asks({}, { ...named, key: 'a' });
    const foreign = await it.asks({ repository: 'acme/tools', repository_id: '75' }, named);
    const [ts, theirs] = [await it.posted(older.body.id), await it.posted(foreign.body.id)];
    const newer = await it.asks({}, { ...named, key: 'b' });
    await it.posted(newer.body.id);
    await it.stage.until(ts, /Withdrawn/);
    expect(it.stage.read(theirs)).not.toContain('Withdrawn');
    const gone = await it.call(`${foreign.body.url}/withdraw`, foreign.body.requestKey, {});
    expect(gone.status).toBe(202);
    await it.stage.until(theirs, /Withdrawn/);
  },
);

story(
  'intake-authentication asker-proved',
  'nobody is asked for a token that is not the source’s, or without the keys of its issuer',
  async () => {
    await using it = await proving();
    const foreign = await it.asks({ repository: 'mallory/shop' });
    expect(foreign).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/: repository$/) },
    });
    const branch = await it.asks({ ref: 'refs/heads/dev' });
    expect(branch.status).toBe(401);
    const secret = it.stage.sandbox.credentials.intakeSecret;
    const named = await fetch(`${it.stage.app.url}/v1/approvals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'gatepost-source': 'shop' },
      body: '{}',
    });
    expect(named.status).toBe(401);
    const metrics = await (await fetch(`${it.stage.app.url}/metrics`)).text();
    expect(metrics).toContain('gatepost_identity_tokens_total{result="claims"} 2');
    expect(it.stage.sandbox.workspace.messages('C0DEPLOYS')).toEqual([]);
    await using away = await proving();
    away.issuer.mood = 'fails';
    expect(await away.asks()).toMatchObject({ status: 503, retryAfter: '10' });
    expect(away.stage.sandbox.workspace.messages('C0DEPLOYS')).toEqual([]);
  },
);

story(
  'asker-proved no-token-shown',
  'an agent with an identity token asks in the name of the proved person, whatever it names',
  async () => {
    await using it = await proving({ requester: 'verified' });
    const token = await it.issuer.token(GITHUB_CLAIMS);
    const params = { name: 'request_approval', arguments: { title: 'Apply', change: 'make' } };
    const send = (bearer: string) =>
      fetch(`${it.stage.app.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'gatepost-requested-by': BEN,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
    const answer = await (await send(token)).text();
    const id = /Requested, with the id ([^.]+)\./.exec(answer)?.[1] ?? '';
    const ts = await it.posted(id);
    expect(await it.stage.until(ts, /verified by GitHub/)).toMatch(/run 4711 of acme\/shop/);
    await it.stage.click(CLEO, ts, 'Approve');
    await it.stage.sandbox.until(() =>
      it.stage.told(CLEO).some((text) => /^You asked for .* so somebody else/.test(text)),
    );
    const { body } = await it.asks();
    expect((await send(body.requestKey)).status).toBe(401);
    const wrong = await it.issuer.token({ ...GITHUB_CLAIMS, repository: 'other/shop' });
    expect((await send(wrong)).status).toBe(401);
  },
);
