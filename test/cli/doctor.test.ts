import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { type System, system } from '../../src/core/lib/system.ts';
import { readLink, writeLink } from '../../src/core/people/identity-link.ts';
import { createEmbeddedStore } from '../../src/core/store/embedded/create-embedded-store.ts';
import { noteForm } from '../core/store/embedded-world.ts';
import { startCluster } from '../core/store/redis/cluster-servers.ts';
import { openDoor } from '../e2e/door.ts';
import { botEnvironment } from '../support/bot-config.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { canStartRedis, startRedisServer } from '../support/redis.ts';
import { startTlsServer } from '../support/tls-server.ts';
import { CALLBACK_SECRET } from '../support/webhook-receiver.ts';
import { DEPLOYS, startWorld } from '../support/world.ts';
import { FOLDERS } from './folders.ts';
import { hurried, impatient, withoutRedis } from './hurried.ts';
import { runHere } from './run-here.ts';

type Env = Record<string, string | undefined>;
interface Check {
  readonly id: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

const IDS = [
  'config',
  'keys',
  'manifest',
  'store',
  'proxy',
  'service',
  'scim',
  'slack',
  'scopes',
  'channels',
  'people',
  'groups',
  'overrides',
  'blocks',
  'requesters',
  'catalogue',
  'callbacks',
  'issuers',
  'clock',
];

const hasRedis = await canStartRedis();

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = await mkdtemp(join(FOLDERS, 'gatepost-doctor-'));
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => sandbox.reset());

/** Longer deadlines, because the machine may be busy. */
const PATIENCE = 3;
const patient: System = {
  ...system,
  timers: {
    ...system.timers,
    after: (ms, callback) => system.timers.after(PATIENCE * ms, callback),
    deadline: (ms) => system.timers.deadline(PATIENCE * ms),
  },
};

async function doctor(more: Env = {}, options: { system?: System; of?: Sandbox } = {}) {
  const env = botEnvironment(options.of ?? sandbox, { DATA_DIR: join(folder, 'data'), ...more });
  const ran = await runHere(['doctor', '--json'], {
    env,
    system: options.system ?? patient,
  });
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(ran.out);
  const failing = checks.filter((check) => !check.ok).map(({ id }) => id);
  const named = (id: string) => checks.find((check) => check.id === id);
  return { ...ran, ok, checks, failing, named };
}

describe('doctor', () => {
  test('reports no problem when all is well, and posts nothing', async () => {
    const { code, ok, checks, failing, err } = await doctor();
    expect({ failing, ok, code, err }).toEqual({ failing: [], ok: true, code: 0, err: '' });
    expect(checks.map(({ id }) => id)).toEqual(IDS);
    expect(sandbox.workspace.calls('chat.postMessage')).toEqual([]);
  });

  test('asks nothing of a service where none is configured', async () => {
    const alone = { SERVICE_URL: undefined, SERVICE_API_KEY: undefined, SCIM_TOKEN: undefined };
    const { code, named, failing } = await doctor(alone);
    expect({ code, failing }).toEqual({ code: 0, failing: [] });
    const skipped = { ok: true, detail: 'skipped: SERVICE_URL is not set', fix: null };
    expect([named('service'), named('scim')]).toMatchObject([skipped, skipped]);
    expect(named('config')?.detail).toBe('all settings are valid');
    const { named: warned } = await doctor({ SERVICE_URL: undefined });
    expect(warned('config')?.detail).toMatch(/SERVICE_API_KEY has no effect without SERVICE_URL/);
  });

  test('prints a line for each check, with a fix below each failure', async () => {
    sandbox.workspace.kickBot('C0DEPLOYS');
    const env = botEnvironment(sandbox, { DATA_DIR: join(folder, 'data') });
    const { code, out } = await runHere(['doctor'], { env });
    expect(code).toBe(1);
    expect(out).toMatch(/^ok {4}slack {6}the bot is U\w+ in workspace T\w+$/m);
    expect(out).toMatch(
      /^FAIL {2}channels {3}the bot is not in C0DEPLOYS .*\n {17}→ Type \/invite/m,
    );
  });

  test('says in which workspaces an organisation has installed the app', async () => {
    const installedIn = [
      { id: 'T0ACME', name: 'Acme' },
      { id: 'T0SISTER', name: 'Sister' },
    ];
    const enterprise = { id: 'E0ACME', name: 'Acme Group', installedIn };
    const other = await startSandbox({ enterprise });
    try {
      other.workspace.setUserGroup('S0REL', { teamId: 'T0SISTER' });
      const env = botEnvironment(other, {
        DATA_DIR: join(folder, 'organisation'),
        GATEPOST_REVIEWERS: 'S0REL',
      });
      const { out } = await runHere(['doctor'], { env });
      expect(out).toMatch(
        /^ok {4}slack .* installed for organisation E0ACME, in Acme \(T0ACME\), Sister \(T0SISTER\)$/m,
      );
      expect(out).toMatch(/^ok {4}groups .* S0REL has 2 members$/m);
    } finally {
      await other.close();
    }
  });

  test.each<[string, string, Env, RegExp]>([
    ['a wrong path', 'service', { SERVICE_URL: 'wrong-path' }, /Check SERVICE_URL/],
    [
      'nobody at the address',
      'service',
      { SERVICE_URL: 'http://127.0.0.1:1' },
      /Check SERVICE_URL/,
    ],
    ['a wrong SCIM token', 'scim', { SCIM_TOKEN: 'another-token-of-scim' }, /SCIM_TOKEN/],
    ['a wrong bot token', 'slack', { SLACK_BOT_TOKEN: 'xoxb-wrong' }, /Bot User OAuth Token/],
    ['nobody at Slack', 'slack', { SLACK_API_URL: 'http://127.0.0.1:1' }, /SLACK_API_URL/],
    [
      'a channel that does not exist',
      'channels',
      { GATEPOST_CHANNEL: 'C0NOWHERE' },
      /Check the id/,
    ],
    ['a person who does not exist', 'people', { GATEPOST_REVIEWERS: 'U0NOBODY' }, /Check the id/],
    ['a bot among people', 'people', { GATEPOST_ADMINISTRATORS: 'U0BOTX' }, /Name a person/],
    ['a group that does not exist', 'groups', { GATEPOST_REVIEWERS: 'S0NOBODY' }, /Check the id/],
    ['no Redis', 'store', { REDIS_URL: 'redis://127.0.0.1:1' }, /REDIS_URL/],
    [
      'a proxy that does not answer',
      'service',
      { https_proxy: 'http://ana:secret@127.0.0.1:1', HTTP_PROXY: 'http://ana:secret@127.0.0.1:1' },
      /^There is no way through the proxy at 127\.0\.0\.1:1 \(connection_refused\)\. Check HTTP_PROXY, and that the proxy runs\.$/,
    ],
    ['a folder that cannot be', 'store', { DATA_DIR: '/dev/null/data' }, /DATA_DIR/],
  ])('finds %s', async (_what, id, more, fix) => {
    const wrongPath = more.SERVICE_URL === 'wrong-path';
    const env = wrongPath ? { SERVICE_URL: `${sandbox.serviceUrl}/wrong` } : more;
    const { code, failing, named } = await doctor(env, {
      system: id === 'store' ? withoutRedis : patient,
    });
    expect(code).toBe(1);
    expect(failing).toContain(id);
    expect(named(id)?.fix).toMatch(fix);
  });

  test('says once that Slack does not accept the bot token', async () => {
    const { out, named } = await doctor({ SLACK_BOT_TOKEN: 'xoxb-wrong' });
    expect(out.match(/Slack does not accept SLACK_BOT_TOKEN/g)).toHaveLength(1);
    expect(named('scopes')).toMatchObject({
      ok: false,
      detail: 'not checked: see slack',
      fix: null,
    });
  });

  test('warns of a signing secret that Slack would not have made', async () => {
    const { named } = await doctor({ SLACK_SIGNING_SECRET: 'signing' });
    expect(named('config')).toMatchObject({ ok: true });
    expect(named('config')?.detail).toMatch(/SLACK_SIGNING_SECRET is not 32 hexadecimal digits/);
  });

  test('says which connections use a proxy, without its credentials', async () => {
    await using proxy = await startConnectProxy();
    const url = proxy.url.replace('//', '//ana:secret@');
    const { failing, named, out } = await doctor({
      http_proxy: url,
      NO_PROXY: 'elsewhere.example',
    });
    expect(failing).toEqual([]);
    const through = `through the proxy of http_proxy (127.0.0.1:${proxy.port})`;
    expect(named('proxy')?.detail).toBe(`Slack ${through}; the service ${through}`);
    expect(out).not.toMatch(/secret|ana:/);
    const { named: direct } = await doctor({ http_proxy: url, NO_PROXY: '127.0.0.1' });
    expect(direct('proxy')?.detail).toBe(
      'Slack directly (NO_PROXY); the service directly (NO_PROXY)',
    );
  });

  test('says what to do about a certificate of an unknown authority, and a proxy that refuses', async () => {
    await using server = await startTlsServer('valid');
    const ofOwn = { SERVICE_URL: server.origin, SLACK_API_URL: server.origin };
    const { named } = await doctor(ofOwn);
    expect(named('service')?.fix).toContain('set NODE_EXTRA_CA_CERTS');
    expect(named('slack')?.fix).toContain('set NODE_EXTRA_CA_CERTS');
    await using proxy = await startConnectProxy();
    proxy.way = { kind: 'refuse', status: 407 };
    const refused = await doctor({ HTTP_PROXY: proxy.url });
    expect(refused.named('slack')?.fix).toContain(
      'does not accept the user name and password in HTTP_PROXY',
    );
  });

  test('asks about a TLS port that is spoken to without TLS', async () => {
    await using server = await startTlsServer('valid');
    const SERVICE_URL = server.origin.replace('https:', 'http:');
    const { named } = await doctor({ SERVICE_URL });
    expect(named('service')).toMatchObject({
      ok: false,
      detail: 'cannot be reached (connection_lost)',
      fix: 'Is this a TLS port? Then its address starts with https://.',
    });
  });

  test.each([
    '<center>The plain HTTP request was sent to HTTPS port</center>',
    'Client sent an HTTP request to an HTTPS server.\n',
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
    'Bad Request\nThis combination of host and port requires TLS.\n',
  ])('asks about a TLS port whose server answers %s', async (body) => {
    await using door = await openDoor(() => 'any');
    door.answer(() => ({ status: 400, body }));
    const { named } = await doctor({ SERVICE_URL: door.url });
    expect(named('service')).toMatchObject({
      detail: 'cannot be reached (needs_tls)',
      fix: 'Is this a TLS port? Then its address starts with https://.',
    });
    door.answer(() => ({ status: 400, body: 'Something else' }));
    const { named: other } = await doctor({ SERVICE_URL: door.url });
    expect(other('service')?.detail).toBe('answers http_400');
  });

  test.skipIf(!hasRedis)('finds that Redis lacks the database', async () => {
    await using redis = await startRedisServer({ settings: { databases: '1' } });
    const { code, failing, named } = await doctor({ REDIS_URL: `${redis.url}/1` });
    expect({ code, failing }).toEqual({ code: 1, failing: ['store'] });
    expect(named('store')).toMatchObject({
      detail: 'Redis has no database 1',
      fix: 'Set REDIS_URL to a database of this Redis that no other installation of Gatepost uses, or to another Redis.',
    });
  });

  test('finds records of a newer version', async () => {
    const data = join(folder, 'newer');
    await noteForm(data, 2);
    const { code, failing, named } = await doctor({ DATA_DIR: data });
    expect({ code, failing }).toEqual({ code: 1, failing: ['store'] });
    expect(named('store')).toMatchObject({
      detail: 'its records are kept in format 2, and this version of Gatepost only knows format 1',
      fix: expect.stringMatching(/^Go back to the version that wrote them/),
    });
  });

  test.skipIf(!hasRedis)(
    'recommends a setting when a Redis Cluster would stop with one of its shards',
    async () => {
      await using servers = await startCluster({ appendonly: 'yes', appendfsync: 'always' });
      const { failing, named } = await doctor({ REDIS_URL: servers.url, REDIS_STRICT: '1' });
      expect(failing).toEqual([]);
      expect(named('store')).toMatchObject({
        detail: expect.stringContaining('set cluster-require-full-coverage no'),
        fix: expect.stringContaining('docs/operations.md'),
      });
    },
  );

  test('finds another server at the address of the service', async () => {
    const server = createServer((_, response) => response.end('<html>Welcome</html>'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo; // as: it listens on a port
    const { failing } = await doctor({ SERVICE_URL: `http://127.0.0.1:${port}` });
    server.close();
    expect(failing).toEqual(['service', 'scim']);
  });

  test('finds scopes that are missing', async () => {
    await using other = await startSandboxWithout('users:read.email');
    const { failing, named } = await doctor({}, { of: other.sandbox });
    expect(failing).toEqual(['scopes', 'people']);
    expect(named('scopes')?.detail).toMatch(/^missing: users:read\.email \(find/);
    expect(named('people')?.detail).toBe(
      'U0ANA (Ana), U0BEN (Ben) cannot decide (default): Slack shows no confirmed address',
    );
  });

  test('finds a plan without user groups', async () => {
    const method = 'usergroups.users.list';
    sandbox.workspace.fault({ kind: 'refused', method, error: 'paid_only' });
    const { failing, named } = await doctor({ GATEPOST_REVIEWERS: 'S0REL' });
    expect(failing).toContain('groups');
    expect(named('groups')).toMatchObject({
      detail: expect.stringContaining('this Slack plan has no user groups'),
      fix: 'Use people instead of groups.',
    });
  });

  test('finds a channel that was archived, and a group without members', async () => {
    sandbox.workspace.archive('C0DEPLOYS');
    sandbox.workspace.setUserGroup('S0REL', { users: [] });
    const { failing, named } = await doctor({ GATEPOST_REVIEWERS: 'S0REL' });
    expect(failing).toEqual(['channels']);
    expect(named('channels')?.detail).toMatch(/archived/);
    expect(named('groups')).toMatchObject({ ok: true, fix: expect.stringMatching(/Add members/) });
  });

  test('reads the groups of needs, too', async () => {
    const path = join(folder, 'needs.yaml');
    const of = '{ groups: [S0REL, S0NOBODY] }';
    await writeFile(
      path,
      `routes: { production: { channel: C0DEPLOYS, reviewers: { channel: true }, need: [{ name: SRE, of: ${of} }] } }`,
    );
    const { failing, named } = await doctor({ GATEPOST_CONFIG: path });
    expect(failing).toEqual(['groups']);
    expect(named('groups')?.detail).toBe('S0NOBODY does not exist, or is disabled');
  });

  test('finds an override to an account that somebody else is linked with', async () => {
    const [data, path] = [join(folder, 'linked'), join(folder, 'overrides.yaml')];
    await writeFile(path, 'identity: { overrides: { U0UNA: a-1, U0BEN: a-2 } }');
    const env = { DATA_DIR: data, GATEPOST_CONFIG: path, GATEPOST_REVIEWERS: 'U0BEN' };
    expect((await doctor(env)).named('overrides')).toMatchObject({ ok: true, fix: null });
    {
      await using store = await createEmbeddedStore({ ...system, folder: data, guard: false });
      await writeLink(store, 'U0ANA', 'a-1');
      await writeLink(store, 'U0BEN', 'a-2');
    }
    const { failing, named } = await doctor(env);
    expect(failing).toEqual(['overrides']);
    expect(named('overrides')).toMatchObject({
      detail: 'U0UNA has the account that U0ANA is linked with, so both count as one person',
      fix: 'If they are two people, correct identity.overrides. If not, type /people forget U0ANA.',
    });
    // Two ids of one person in an organisation.
    const enterprise_user = { enterprise_id: 'E0ACME', id: 'U0ANA' };
    sandbox.workspace.setUser('U0UNA', { enterprise_user });
    expect((await doctor(env)).failing).toEqual([]);
  });

  describe('checks everyone named in the configuration', () => {
    /** Its output with these routes in addition to that of the environment. */
    async function people(routes: object, more: object = {}, env: Env = {}) {
      const path = join(folder, 'people.yaml');
      // JSON is YAML too.
      await writeFile(path, JSON.stringify({ routes, ...more }));
      const ran = await doctor({ GATEPOST_CONFIG: path, GATEPOST_REVIEWERS: 'U0ANA', ...env });
      const { ok, detail = '', fix } = ran.named('people') ?? {};
      return { ok, fix, lines: detail.split('; ') };
    }

    const channel = 'C0DEPLOYS';

    test('and says who cannot do what, and why', async () => {
      sandbox.workspace.setUser('U0BEN', { is_email_confirmed: false });
      sandbox.service.setUser('DANA@example.com', {});
      const users = ['U0UNA', 'U0IVO', 'U0GUS', 'U0DEL', 'U0STR', 'U0BEN', 'U0DANA', 'U0CLEO'];
      const { ok, fix, lines } = await people(
        {
          production: { channel, reviewers: { users } },
          staging: { channel, reviewers: { users }, identity: 'omit', guests: true },
        },
        { administrators: { users: ['U0GUS'] }, identity: { overrides: { U0CLEO: 'unlisted' } } },
      );
      expect(ok).toBe(false);
      expect(lines).toEqual([
        'U0UNA (Una, una@example.com) cannot decide (production): no synchronized account in the service has this address',
        'U0IVO (Ivo, ivo@example.com) cannot decide (production, staging): the account in the service is deactivated',
        'U0GUS (Gus, gus@example.com) cannot decide (production) or manage accounts: a guest in Slack',
        'U0DEL (Della) cannot decide (production, staging): deactivated in Slack',
        'U0STR (Stan) cannot decide (production, staging): from another workspace',
        'U0BEN (Ben) cannot decide (production): Slack shows no confirmed address',
        'U0DANA (Dana, dana@example.com) cannot decide (production, staging): several accounts in the service have this address',
      ]);
      expect(fix).toContain('If single sign-on owns the addresses, set identity.emails: any.');
    });

    test('by their links too, without creating any', async () => {
      const env = { DATA_DIR: join(folder, 'conflicts') };
      const at = { folder: env.DATA_DIR };
      {
        await using store = await createEmbeddedStore({ ...system, ...at, guard: false });
        await writeLink(store, 'U0ANA', 'a-1');
      }
      const users = ['U0ANA', 'U0BEN'];
      const { lines } = await people({ production: { channel, reviewers: { users } } }, {}, env);
      expect(lines).toEqual([
        'U0ANA (Ana, ana@example.com) cannot decide (default, production): linked with an account, and this address leads to another one',
      ]);
      await using store = await createEmbeddedStore({ ...system, ...at, guard: false });
      expect(await readLink(store, ['U0BEN'], null)).toMatchObject({ account: null });
    });

    test('and warns about group members, each checked once', async () => {
      sandbox.workspace.setUserGroup('S0REL', { users: ['U0ANA', 'U0UNA'] });
      const reviewers = { groups: ['S0REL'] };
      const { ok, lines } = await people({
        production: { channel, reviewers },
        staging: { channel, reviewers },
      });
      expect(ok).toBe(true);
      expect(lines).toEqual([
        'U0UNA (Una, una@example.com) cannot decide (production, staging): no synchronized account in the service has this address',
      ]);
      const asked = sandbox.workspace.calls('users.info').map(({ args }) => args.user);
      expect(asked.toSorted()).toEqual(['U0ANA', 'U0UNA']);
      expect(sandbox.workspace.calls('usergroups.users.list')).toHaveLength(1);
      // One more for the check `scim`.
      expect(sandbox.service.requests('listUsers')).toHaveLength(3);
    });

    test('up to forty people, and says how many more there are', async () => {
      const users = Array.from({ length: 60 }, (_, at) => `U0MANY${10 + at}`);
      const { lines } = await people({ production: { channel, reviewers: { users } } });
      expect(lines).toHaveLength(40);
      expect(lines.at(-1)).toBe('21 more were not checked');
    });

    test('and stops when accounts cannot be read', async () => {
      const users = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DEL'];
      const routes = { production: { channel, reviewers: { users } } };
      const { ok, lines } = await people(routes, {}, { SCIM_TOKEN: 'another-token-of-scim' });
      expect(ok).toBe(false);
      expect(lines).toEqual([
        'U0DEL (Della) cannot decide (production): deactivated in Slack',
        'accounts could not be read (http_401), so it is not known who can act',
      ]);
    });
  });

  test('says nothing of overrides where the store cannot be read', async () => {
    const path = join(folder, 'overrides-away.yaml');
    await writeFile(path, 'identity: { overrides: { U0UNA: a-1 } }');
    const away = { REDIS_URL: 'redis://127.0.0.1:1', GATEPOST_CONFIG: path };
    const { failing, named } = await doctor(away, { system: withoutRedis });
    expect(failing).toContain('store');
    expect(named('overrides')?.detail).toBe('not checked: the store cannot be read');
  });

  test('asks about forty channels at most, and says how many more there are', async () => {
    const path = join(folder, 'gatepost.yaml');
    const channels = Array.from({ length: 60 }, (_, at) => `C0MANY${10 + at}`);
    const source = { id: 'default', secret: 'GATEPOST_INTAKE_SECRET', routes: ['default'] };
    // JSON is YAML too.
    await writeFile(path, JSON.stringify({ sources: [{ ...source, channels }] }));
    const { named } = await doctor({ GATEPOST_CONFIG: path });
    const { detail = '' } = named('channels') ?? {};
    expect(detail.match(/C0MANY\d\d does not exist/g) ?? detail).toHaveLength(38);
    expect(detail).toMatch(/; 22 more were not checked$/);
  });

  test('warns when the service ignores the filter or SCIM_TOKEN is not set', async () => {
    sandbox.service.setVariant({ scimFilter: 'ignored' });
    expect((await doctor()).named('scim')).toMatchObject({ ok: true, fix: expect.any(String) });
    expect((await doctor({ SCIM_TOKEN: undefined })).named('scim')?.detail).toMatch(/not set/);
  });

  test('has Slack judge the message of an approval, and posts nothing', async () => {
    const { named } = await doctor();
    expect(named('blocks')).toMatchObject({ ok: true, detail: expect.stringMatching(/accepts/) });
    const [{ args } = { args: {} }] = sandbox.workspace.calls('blocks.validate');
    expect(JSON.stringify(args)).toContain('Deploy 4.2 to production');
    expect(sandbox.workspace.calls('chat.postMessage')).toEqual([]);
  });

  test('says that Slack does not accept the message of an approval', async () => {
    const method = 'blocks.validate';
    sandbox.workspace.fault({ kind: 'refused', method, error: 'invalid_blocks' });
    const { failing, named } = await doctor();
    expect(failing).toEqual(['blocks']);
    expect(named('blocks')).toMatchObject({
      detail: 'Slack does not accept the blocks of an approval message',
      fix: expect.stringMatching(/^Update Gatepost/),
    });
  });

  test('skips the validation of messages when the workspace does not offer it, and says so', async () => {
    const method = 'blocks.validate';
    sandbox.workspace.fault({ kind: 'refused', method, error: 'unknown_method' });
    const { failing, named } = await doctor();
    expect(failing).toEqual([]);
    expect(named('blocks')?.detail).toBe(
      'not checked: this workspace does not have blocks.validate',
    );
  });

  describe('when a Slack call is answered by something else', () => {
    async function answering(method: string, status: number, body: unknown = 'no such page') {
      await using door = await openDoor(({ path }) => path);
      const api = new URL(sandbox.slackApiUrl);
      door.leadTo(api.origin);
      door.answer((path) => (path.endsWith(`/${method}`) ? { status, body } : undefined));
      return await doctor({ SLACK_API_URL: door.url + api.pathname });
    }

    test.each([
      ['auth.test', 'slack'],
      ['auth.test', 'scopes'],
      ['conversations.info', 'channels'],
      ['users.info', 'people'],
    ])('%s is reported as missing, and Slack not as unreachable', async (method, id) => {
      const missing = {
        ok: false,
        detail: expect.stringContaining(`Slack has no method ${method} at this address`),
        fix: expect.stringMatching(/^Check that SLACK_API_URL leads to Slack/),
      };
      expect((await answering(method, 404)).named(id)).toMatchObject(missing);
      const unknown = await answering(method, 200, { ok: false, error: 'unknown_method' });
      expect(unknown.named(id)).toMatchObject(missing);
    });

    test('only blocks.validate may be missing', async () => {
      const { failing, named } = await answering('blocks.validate', 404);
      expect(failing).toEqual([]);
      expect(named('blocks')?.detail).toMatch(/does not have blocks\.validate$/);
    });

    test.each([403, 502])('the method and the status %i are reported', async (status) => {
      const { named } = await answering('conversations.info', status);
      const { detail } = named('channels') ?? {};
      expect(detail).toContain(`Slack answered conversations.info with http_${status}`);
      expect(detail).not.toContain('cannot be reached');
    });
  });

  test.each<[string, number | 'nobody', RegExp, RegExp | null]>([
    ['takes nothing but POST', 405, /^the receiver of the source hooks answers$/, null],
    ['fails', 502, /answers with an error \(502\)/, /sent again for 24 hours/],
    ['redirects', 307, /redirects \(307\)/, /follows no redirect/],
    ['is not there', 'nobody', /cannot be reached \(connection_refused\)/, /Check callback\.url/],
  ])('says of a receiver of callbacks that it %s', async (_what, answer, detail, fix) => {
    const asked: string[] = [];
    const server = createServer(({ method = '', url = '' }, response) => {
      asked.push(`${method} ${url}`);
      response.writeHead(Number(answer), { location: '/elsewhere' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: it listens on a port
    const closed = once(server, 'close');
    if (answer === 'nobody') server.close();
    const file = join(folder, 'callbacks.yaml');
    await writeFile(
      file,
      `sources: [{ id: hooks, auth: bearer, secret: HOOKS, routes: [default], kinds: [gate],
        callback: { url: "http://127.0.0.1:${port}/hooks?team=a", secret: SIGNS } }]`,
    );
    const { ok, failing, named } = await doctor({
      GATEPOST_CONFIG: file,
      HOOKS: 'a-secret-of-the-hooks-that-is-long',
      SIGNS: CALLBACK_SECRET,
    });
    if (answer !== 'nobody') {
      server.close();
      expect(asked).toEqual(['OPTIONS /hooks?team=a']);
    }
    await closed;
    expect({ ok, failing }).toEqual({
      ok: answer !== 'nobody',
      failing: answer === 'nobody' ? ['callbacks'] : [],
    });
    expect(named('callbacks')?.detail).toMatch(detail);
    if (fix === null) expect(named('callbacks')?.fix).toBeNull();
    else expect(named('callbacks')?.fix).toMatch(fix);
  });

  test('finds a clock that is off', async () => {
    const clock = { ...system.clock, now: () => Date.now() + 10 * 60_000 };
    const { failing, named } = await doctor({}, { system: { ...patient, clock } });
    expect(failing).toEqual(['clock']);
    expect(named('clock')?.detail).toMatch(/^(599|6\d\d) s ahead of Slack$/);
  });

  test.each([
    ['missing', undefined],
    ['too short', 'k1:abc='],
  ])('ends with 2 when keys are %s, and still runs the other checks', async (_what, keys) => {
    const { code, failing, checks } = await doctor({ GATEPOST_KEYS: keys });
    expect({ code, failing }).toEqual({ code: 2, failing: ['keys'] });
    expect(checks.map(({ id }) => id)).toEqual(IDS);
  });

  test('ends with 2 when settings are wrong, and lists all of them', async () => {
    const { code, ok, named } = await doctor({
      SERVICE_URL: 'ftp://x',
      GATEPOST_CHANNEL: '#deploys',
    });
    expect({ code, ok }).toEqual({ code: 2, ok: false });
    expect(named('config')).toMatchObject({ ok: false });
    expect(named('config')?.detail).toMatch(/SERVICE_URL[\s\S]*GATEPOST_CHANNEL/);
  });

  test('ends when nobody answers', async () => {
    const until = new Promise<void>(() => {});
    sandbox.workspace.fault({ kind: 'latency', until });
    sandbox.service.fault({ kind: 'latency', until, operation: 'getApproval' });
    const { code, failing } = await doctor({}, { system: impatient });
    expect(code).toBe(1);
    expect(failing).toEqual(expect.arrayContaining(['service', 'slack']));
  });
});

test('doctor --interactive waits for a press that reaches the running bot', async () => {
  const data = await mkdtemp(join(folder, 'bot-'));
  const keys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  await using world = await startWorld({ env: { DATA_DIR: data, GATEPOST_KEYS: keys } });
  const { workspace } = world.sandbox;
  const env = botEnvironment(world.sandbox, { DATA_DIR: data, GATEPOST_KEYS: keys });
  const ran = runHere(['doctor', '--interactive', '--json'], { env });
  await world.sandbox.until(() => workspace.messages(DEPLOYS).length > 0, { what: 'a button' });
  const [message] = workspace.messages(DEPLOYS);
  await world.click('U0ANA', message?.ts ?? '', 'It works');
  const { code, out, err } = await ran;
  expect(code).toBe(0);
  expect(JSON.parse(out).checks.at(-1)).toMatchObject({ id: 'requests', ok: true, fix: null });
  expect(err).toBe('Press the button in C0DEPLOYS within a minute.\n');
  expect(workspace.message(DEPLOYS, message?.ts ?? '')?.text).toMatch(/the press arrived/);
});

describe('doctor --interactive --route', () => {
  const TITLE = 'Gatepost check';

  async function startBot(more: Record<string, string> = {}) {
    const data = await mkdtemp(join(folder, 'route-'));
    const keys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
    const settings = { DATA_DIR: data, GATEPOST_KEYS: keys, ...more };
    const world = await startWorld({ env: settings });
    const env = botEnvironment(world.sandbox, settings);
    const run = (signal?: AbortSignal) =>
      runHere(['doctor', '--interactive', '--route', 'default', '--json'], {
        env,
        ...(signal && { signal }),
      });
    const posted = () =>
      world.sandbox.until(
        () => world.sandbox.workspace.messages(DEPLOYS).find(({ text }) => text.includes(TITLE)),
        { what: 'the request' },
      );
    return { world, run, posted, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  }

  const resultOf = (out: string) => JSON.parse(out).checks.at(-1);

  test('asks there, and says what was stored, sent and shown', async () => {
    await using bot = await startBot();
    const ran = bot.run();
    const { ts } = await bot.posted();
    await bot.world.click('U0ANA', ts, 'Approve');
    const { code, out, err } = await ran;
    expect(code).toBe(0);
    expect(err).toBe(`Press a button of "${TITLE}" in ${DEPLOYS} within a minute.\n`);
    const { id, ok, detail } = resultOf(out);
    expect({ id, ok }).toEqual({ id: 'requests', ok: true });
    const [said, ...story] = detail.split('\n');
    expect(said).toBe('a press on the route default decided: APPROVED');
    const times = story.map((line: string) => line.slice(0, 12));
    expect(times).toEqual(times.toSorted());
    const inOrder = [
      'os:ops@desk  asked for a decision on route default',
      'gatepost  posted message',
      'U0ANA  pressed approve: accepted',
      'outcome APPROVED',
      'changed the message: APPROVED',
    ].map((words) => story.findIndex((line: string) => line.includes(words)));
    expect(inOrder.every((at) => at >= 0)).toBe(true);
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
  });

  test('says that a press did not count, and withdraws the request', async () => {
    await using bot = await startBot();
    const ran = bot.run();
    const { ts } = await bot.posted();
    await bot.world.click('U0CLEO', ts, 'Approve');
    const { out } = await ran;
    const { ok, detail, fix } = resultOf(out);
    expect({ ok, fix }).toEqual({
      ok: true,
      fix: 'Press as a reviewer of the route to see a decision.',
    });
    expect(detail).toMatch(/^a press on the route default arrived and did not count \(/);
    expect(detail).toContain('changed the message: WITHDRAWN');
    await bot.world.until(ts, /Withdrawn/);
  });

  test('asks as a known requester on a route that demands one, and not where that has to be proved', async () => {
    const file = join(await mkdtemp(join(folder, 'demanding-')), 'gatepost.yaml');
    const route = (requester: string) =>
      `routes: { default: { channel: ${DEPLOYS}, reviewers: { users: [U0ANA] }, requester: ${requester} } }\n`;
    await writeFile(file, route('known'));
    await using bot = await startBot({ GATEPOST_CONFIG: file });
    const ran = bot.run();
    const { ts } = await bot.posted();
    await bot.world.click('U0ANA', ts, 'Approve');
    const known = resultOf((await ran).out);
    expect(known.detail).toMatch(/^a press on the route default decided: APPROVED/);
    const oidc = 'oidc: { preset: github, audience: a, claims: { repository_id: 74 } }';
    const source = `{ id: default, auth: oidc, ${oidc}, kinds: [gate], routes: [default] }`;
    await writeFile(file, `${route('verified')}sources: [${source}]\n`);
    const proved = resultOf((await bot.run()).out);
    expect(proved.detail).toMatch(/^the route default demands proof of who asks/);
  });

  test('follows the refusal in what it advises', async () => {
    await using bot = await startBot();
    const ran = bot.run();
    const { ts } = await bot.posted();
    await bot.world.click('U0GUS', ts, 'Approve');
    const { detail, fix } = resultOf((await ran).out);
    expect(detail).toMatch(/did not count \(guest\)/);
    expect(fix).toMatch(/^Do what Gatepost told the person who pressed/);
  });

  test('without a press it says so, also after Ctrl-C, and nothing stays open', async () => {
    await using bot = await startBot();
    const stopping = new AbortController();
    const ran = bot.run(stopping.signal);
    const { ts } = await bot.posted();
    stopping.abort();
    const { code, out } = await ran;
    expect(code).toBe(1);
    expect(resultOf(out).detail).toMatch(/^no press reached the running bot/);
    await bot.world.until(ts, /Withdrawn/);
  });

  test('without a running bot says so, and the next one posts nothing of it', async () => {
    const data = await mkdtemp(join(folder, 'alone-'));
    const keys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
    const settings = { DATA_DIR: data, GATEPOST_KEYS: keys };
    const before = await startWorld({ env: settings });
    await before[Symbol.asyncDispose]();
    await using idle = await startSandboxWithout('none');
    const env = botEnvironment(idle.sandbox, settings);
    const words = ['doctor', '--interactive', '--route', 'default', '--json'];
    const { code, out } = await runHere(words, { env, system: hurried() });
    expect(code).toBe(1);
    expect(resultOf(out).detail).toMatch(/^no running bot posted the request within a minute/);
    await using world = await startWorld({ env: settings });
    const isWithdrawn = async () =>
      (await runHere(['audit', 'list', '--json'], { env })).out.includes('approvals.withdrawn');
    while (!(await isWithdrawn()));
    expect(world.sandbox.workspace.messages(DEPLOYS)).toEqual([]);
  });

  test('names the routes, if there is none of this name, and needs --interactive', async () => {
    await using world = await startWorld();
    const env = botEnvironment(world.sandbox, {});
    const words = ['doctor', '--interactive', '--route', 'prod', '--json'];
    const { out } = await runHere(words, { env });
    expect(resultOf(out)).toMatchObject({
      ok: false,
      detail: 'there is no such route',
      fix: expect.stringContaining('default'),
    });
    const alone = await runHere(['doctor', '--route', 'default'], { env });
    expect(alone).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: --route needs --interactive\./),
    });
  });
});

async function startSandboxWithout(scope: string) {
  const scopes = [
    ...[
      'chat:write',
      'commands',
      'channels:history',
      'groups:history',
      'im:history',
      'channels:read',
    ],
    ...['groups:read', 'im:write', 'users:read', 'users:read.email', 'usergroups:read'],
  ].filter((each) => each !== scope);
  const started = await startSandbox({ scopes });
  return { sandbox: started, [Symbol.asyncDispose]: () => started.close() };
}
