import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { hurried } from '../hurried.ts';
import { type RunOptions, runPeople } from './people-stage.ts';

const ANA = '6f1c0d00-0000-4000-8000-000000000001';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const people = (words: string, options?: RunOptions) =>
  runPeople(sandbox, words === '' ? [] : words.split(' '), { system: hurried(), ...options });
const account = (address: string) =>
  sandbox.service.users().find(({ userName }) => userName === address);
const sent = () =>
  (['createUser', 'patchUser', 'deleteUser'] as const).flatMap((each) =>
    sandbox.service.requests(each),
  );

describe('people list', () => {
  it('is a table, and one array for programs', async () => {
    const { code, out, err } = await people('list');
    expect({ code, err }).toEqual({ code: 0, err: '8 accounts.\n' });
    expect(out.split('\n').slice(0, 3)).toMatchInlineSnapshot(`
      [
        "User name             Name         State        Job title  Department  Id",
        "ana@example.com       Ana Reyes    active                              6f1c0d00-0000-4000-8000-000000000001",
        "ben@example.com       Ben Okafor   active                              6f1c0d00-0000-4000-8000-000000000002",
      ]
    `);
    const { rows } = await people('list --json --deactivated');
    expect(rows.map(({ userName }) => userName)).toEqual(['della@example.com', 'ivo@example.com']);
  });

  it('reads every page, and tries again after a page fails', async () => {
    sandbox.service.setVariant({ scimPageSize: 3 });
    sandbox.service.fault({ kind: '500', operation: 'listUsers', times: 1 });
    const { code, rows } = await people('list --json');
    expect(code).toBe(0);
    expect(rows).toHaveLength(8);
  });

  it('fits the width of a terminal, and shows no control characters', async () => {
    sandbox.service.setUser('ben@example.com', {
      displayName: '王小明 🎉',
      title: 'a\u001b[2Jb\u009b1m',
    });
    const wide = await people('list', { columns: 200 });
    expect(wide.out).toContain('王小明 🎉    active       a [2Jb 1m');
    expect(/\p{Cc}/u.test(wide.out.replaceAll('\n', ''))).toBe(false);
    const { out } = await people('list', { columns: 44 });
    expect(out.split('\n')[2]).toMatchInlineSnapshot(`"ben@example.com       active"`);
    const { out: json } = await people('list --json');
    expect(json).toContain('a\\u001b[2Jb\\u009b1m');
  });

  it('says so when the service ignores the filter, or pages', async () => {
    sandbox.service.setVariant({ scimFilter: 'ignored' });
    const found = await people('find REYES --json');
    expect(found).toMatchObject({ code: 0, rows: [{ userName: 'ana@example.com' }] });
    expect(found.err).toMatch(/ignores the filter, so all accounts were read and matched here/);
    sandbox.service.setVariant({ scimPaging: 'ignored' });
    expect((await people('list')).err).toBe('8 accounts.\n');
    sandbox.service.setVariant({ scimPageSize: 5 });
    const listed = await people('list --json');
    expect(listed.rows).toHaveLength(5);
    expect(listed.code).toBe(1);
    expect(listed.err).toMatch(/ignores paging, so it may have accounts that it does not show/);
    const missed = await people('show ivo@example.com');
    expect(missed).toMatchObject({ code: 1, out: '' });
    expect(missed.err).toMatch(/None of the accounts that the service shows .* it may have more/);
  });
});

describe('a person', () => {
  it('is found by a part of the name or address, or by external id', async () => {
    sandbox.service.setUser('ben@example.com', { externalId: 'x-ben' });
    const found = async (text: string) =>
      (await people(`find ${text} --json`)).rows.map(({ userName }) => userName);
    expect(await found('novak')).toEqual(['ivo@example.com']);
    expect(await found('partner')).toEqual(['stan@partner.example']);
    expect(await found('x-ben')).toEqual(['ben@example.com']);
    expect(await found('nobody')).toEqual([]);
    sandbox.service.setVariant({ scimFilter: 'refused' });
    expect(await found('novak')).toEqual(['ivo@example.com']);
    expect(await found('x-ben')).toEqual(['ben@example.com']);
  });

  it('is shown with all attributes, by user name or id', async () => {
    const { code, out } = await people('show Ana@example.com');
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "User name       ana@example.com
      Id              6f1c0d00-0000-4000-8000-000000000001
      State           active
      Display name    Ana Reyes
      Formatted name  Ana Reyes
      First name      Ana
      Last name       Reyes
      Job title
      Department
      External id
      "
    `);
    expect((await people(`show ${ANA} --json`)).rows).toMatchObject([{ id: ANA, active: true }]);
    expect(await people('show nobody --json')).toMatchObject({ code: 1, out: '[]\n' });
    sandbox.service.setUser('ANA@example.com', {});
    expect((await people('show ana@example.com')).err).toMatch(/Several accounts/);
  });
});

describe('people create', () => {
  it('previews, and then says what it did', async () => {
    const words =
      'create --user-name una@example.com --title Lead --department Tours --external-id x';
    const { code, out, rows } = await people(`${words} --json`);
    expect(code).toBe(0);
    expect(rows).toMatchObject([{ title: 'Lead', department: 'Tours', externalId: 'x' }]);
    expect(out).not.toContain('This links');
    const again = await people(`${words} --yes`);
    expect(again.out).toBe(
      'This links to una (una@example.com), which already exists.\nLinked: una (una@example.com). The account already existed.\n',
    );
  });

  it.each([
    ['--user-name ana@example.com', /^This links to Ana Reyes/],
    ['--user-name ivo@example.com', /^This re-activates Ivo Novak/],
  ])('does nothing to an account there is unless it is confirmed: %s', async (words, would) => {
    const { code, out, err } = await people(`create ${words}`);
    expect(code).toBe(1);
    expect(out).toMatch(would);
    expect(err).toBe('Nothing was changed. Add --yes to do it.\n');
    expect((await people(`create ${words} --dry-run`)).code).toBe(0);
    expect(sent()).toEqual([]);
  });

  it.each([
    ['is seen', 'everybody'],
    ['is not seen', 'synchronized'],
  ] as const)(
    'says that nothing was linked when an account that is not synchronized %s',
    async (_, scimLists) => {
      sandbox.service.setVariant({ scimLists });
      const { code, err } = await people(
        'create --user-name ana@example.com --external-id x --yes',
      );
      expect(code).toBe(1);
      expect(err).toMatch(
        scimLists === 'everybody'
          ? /An account has this address, and the service shows no external id for it\. Nothing was linked\./
          : /The service refused this as a duplicate\. Nothing was created or linked\./,
      );
      expect(sent()).toHaveLength(scimLists === 'everybody' ? 0 : 1);
      expect(account('ana@example.com')?.externalId).toBeNull();
    },
  );

  it('checks again after the confirmation', async () => {
    const words = 'create --user-name ana@example.com --title Lead';
    const meanwhile = () => sandbox.service.setUser('ana@example.com', { active: false });
    const { code, err } = await people(words, { types: 'y', meanwhile });
    expect(code).toBe(1);
    expect(err).toMatch(/creating would do something else now\. Nothing was sent/);
    expect(sent()).toEqual([]);
    expect((await people(words, { types: 'y' })).code).toBe(0);
    expect(account('ana@example.com')).toMatchObject({ active: true, title: 'Lead' });
  });

  it('sends an account once when its answer is lost', async () => {
    sandbox.service.fault({ kind: 'dropAfter', operation: 'createUser', times: 1 });
    const { code, rows } = await people('create --user-name una@example.com --json');
    expect({ code, rows }).toMatchObject({ code: 0, rows: [{ userName: 'una@example.com' }] });
    expect(sent()).toHaveLength(1);
  });

  it('sends it again when it is certainly not there', async () => {
    sandbox.service.fault({ kind: 'dropBefore', operation: 'createUser', times: 1 });
    const { code, out } = await people('create --user-name una@example.com');
    expect(code).toBe(0);
    expect(out).toMatch(
      /Created or linked: una \(una@example\.com\)\. The service created the account, or linked one that it does not list\. It does not say which\.\n$/,
    );
    expect(account('una@example.com')).toBeDefined();
  });

  it('re-activates nobody a second time when the answer is lost', async () => {
    sandbox.service.fault({ kind: 'dropBefore', operation: 'createUser', times: 1 });
    const { code, err } = await people('create --user-name ivo@example.com --yes');
    expect(code).toBe(1);
    expect(err).toMatch(/the accounts do not show that it was done/);
    expect(sent()).toHaveLength(1);
  });
});

describe('people update', () => {
  it('sends only what differs, in one operation, and lists it', async () => {
    const { code, out } = await runPeople(sandbox, [
      ...['update', 'ana@example.com', '--title', 'Lead', '--given-name', 'Ana'],
      ...['--display-name', 'Ana R.', '--formatted-name', 'Ana R.', '--department', 'Tours'],
      ...['--external-id', 'x-ana'],
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(/Changed: Ana R\. \(ana@example.com\)\. .*Job title none → “Lead”/);
    expect(account('ana@example.com')).toMatchObject({
      title: 'Lead',
      displayName: 'Ana R.',
      department: 'Tours',
      externalId: 'x-ana',
    });
    expect(sent()).toHaveLength(1);
    expect(JSON.stringify(sent()[0]?.body)).not.toContain('givenName');
    const again = await people('update ana@example.com --title Lead');
    expect(again.out).toMatch(/already has all of this. Nothing was changed/);
    expect(sent()).toHaveLength(1);
  });

  it('shows the account after an answer without it', async () => {
    sandbox.service.setVariant({ scimPatchStatus: 204 });
    const { rows } = await people('update ana@example.com --title Lead --json');
    expect(rows).toMatchObject([{ id: ANA, title: 'Lead' }]);
  });

  it('cannot take an external id from another account', async () => {
    sandbox.service.setUser('ben@example.com', { externalId: 'x' });
    const { code, err } = await people('update ana@example.com --external-id x');
    expect(code).toBe(1);
    expect(err).toMatch(
      /Nothing was changed\. The service refused this as a duplicate\. .* this external id\./,
    );
  });

  it.each(['dropBefore', 'dropAfter'] as const)('has the right result after a %s', async (kind) => {
    sandbox.service.fault({ kind, operation: 'patchUser', times: 1 });
    expect((await people('update ana@example.com --title Lead')).code).toBe(0);
    expect(account('ana@example.com')?.title).toBe('Lead');
    expect(sent()).toHaveLength(kind === 'dropAfter' ? 1 : 2);
  });
});

describe('access to the service', () => {
  it.each([
    ['deactivate ana@example.com', 'ana@example.com', false],
    [`deactivate ${ANA}`, 'ana@example.com', false],
    ['delete ana@example.com', 'ana@example.com', false],
    ['activate ivo@example.com', 'ivo@example.com', true],
  ])('changes by `people %s` when it is confirmed', async (words, address, active) => {
    expect(await people(words)).toMatchObject({ code: 1 });
    expect(await people(words, { types: 'n' })).toMatchObject({ code: 1 });
    expect(await people(words, { types: '' })).toMatchObject({ code: 1 });
    expect(await people(words, { types: null })).toMatchObject({ code: 1 });
    expect(await people(`${words} --dry-run`)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([]);
    expect(await people(`${words} --yes`)).toMatchObject({ code: 0 });
    expect(account(address)?.active).toBe(active);
    const again = await people(`${words} --yes`);
    expect(again.out).toMatch(/already: nothing was changed/);
    expect(sent()).toHaveLength(1);
  });

  it('is confirmed with a question that names the person and the effect', async () => {
    const { code, out, err } = await people('deactivate ana@example.com', { types: 'y' });
    expect(code).toBe(0);
    expect(out).toBe(
      'This deactivates Ana Reyes (ana@example.com). Access ends at once. Documents and tasks are kept.\nDeactivated: Ana Reyes (ana@example.com). Access has ended. Documents and tasks are kept.\n',
    );
    expect(err).toContain('Deactivate Ana Reyes (ana@example.com)? [y/N]');
  });

  it('is not reported as ended while the service still shows it', async () => {
    sandbox.service.setVariant({ scimPatchStatus: 204 });
    let answer = () => {};
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    sandbox.service.fault({ kind: 'slowAnswer', operation: 'patchUser', times: 1, until });
    const ran = people('deactivate ana@example.com --yes');
    await vi.waitFor(() => expect(account('ana@example.com')?.active).toBe(false), 60_000);
    sandbox.service.setUser('ana@example.com', { active: true });
    answer();
    const { code, err } = await ran;
    expect(code).toBe(1);
    expect(err).toMatch(/^Done, but not as requested: Ana Reyes .*shows other values: Active\./m);
  });

  it('ends even if the service never shows who is active', async () => {
    sandbox.service.setVariant({ scimActive: 'missing' });
    expect((await people('deactivate ana@example.com --yes')).code).toBe(0);
    expect(account('ana@example.com')?.active).toBe(false);
  });

  it('of the person who runs the command does not end without a warning', async () => {
    sandbox.service.setUser('OPS@example.com', {});
    const { err } = await people('deactivate ops@example.com --dry-run');
    expect(err).toMatch(/may be your own account/);
    expect((await people('deactivate ana@example.com --dry-run')).err).toBe('');
  });

  it('counts as ended when the account is already gone', async () => {
    sandbox.service.setVariant({ scimDeleteAgain: 404 });
    sandbox.service.fault({ kind: 'dropAfter', operation: 'deleteUser', times: 1 });
    expect((await people('delete ana@example.com --yes')).code).toBe(0);
  });
});

describe('a service that denies or limits access', () => {
  it.each([
    [
      { scimAccess: 'forbidden' },
      /closed beta, needs an enterprise licence and has to be switched on/,
    ],
    [{ scimAccess: 'absent' }, /no accounts \(SCIM\) at this address/],
  ] as const)('is explained: %j', async (variant, sentence) => {
    sandbox.service.setVariant(variant);
    for (const words of ['list', 'find x', 'show x', 'create --user-name a@b', 'delete x --yes']) {
      const { code, out, err } = await people(`${words} --json`);
      expect({ code, out }, words).toEqual({ code: 1, out: '' });
      expect(err, words).toMatch(sentence);
    }
  });

  it('that does not accept the token is reported without the token', async () => {
    const { code, err } = await people('list', { env: { SCIM_TOKEN: 'a-wrong-token' } });
    expect(code).toBe(1);
    expect(err).toMatch(/did not accept the token .* SCIM_TOKEN/);
    expect(err).not.toContain('a-wrong-token');
  });

  it('that says how long to wait is tried again after that time', async () => {
    sandbox.service.fault({ kind: '429', times: 1, retryAfter: 3 });
    const system = hurried();
    const { code, err } = await people('list', { system });
    expect(code).toBe(0);
    expect(err).toMatch(/asked Gatepost to wait 3 seconds/);
    expect(system.waitedMs()).toBe(3_000);
  });
});

describe('a mistake on the command line', () => {
  it.each([
    ['', /Usage: gatepost people|Usage: people/],
    ['remove', /unknown command/],
    ['show', /missing required argument/],
    ['list --active --deactivated', /cannot be used with/],
    ['create --title x', /--user-name/],
    ['create --user-name nobody', /--user-name must be an e-mail address/],
    ['create --user-name a@b --external-id ', /--external-id must not be empty/],
    ['update ana@example.com', /give at least one attribute/],
    ['update ana@example.com --user-name b@example.com', /cannot be changed here/],
    ['update ana@example.com --title a\u001bb', /--title must be one line without control/],
  ])('is reported: people %s', async (words, sentence) => {
    const { code, out, err } = await people(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(sentence);
    expect(sandbox.service.requests('listUsers')).toEqual([]);
  });

  it('in the environment lists only the settings that people commands need', async () => {
    const env = { SERVICE_URL: undefined, SCIM_TOKEN: undefined };
    const { code, err } = await people('list', { env });
    expect(code).toBe(2);
    expect(err).toBe(
      '2 settings need fixing:\n  SERVICE_URL  is required\n  SCIM_TOKEN   is required\n',
    );
  });
});
