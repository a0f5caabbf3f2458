import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRows } from '../src/cli/people/import-file.ts';
import { unescapeMrkdwn } from '../src/core/slack/text.ts';
import { taskRequest } from '../src/operations/tasks/task-request.ts';
import { runPeople } from './cli/people/people-stage.ts';
import { runHere } from './cli/run-here.ts';
import { configWith, problemsWith } from './core/config/environment-of-tests.ts';
import { doorsStage, of, type Request } from './doors-stage.ts';
import { type AccountsStage, DANA, startAccountsStage } from './e2e/accounts-stage.ts';

/** The same input, at every entry point: it means the same, or is refused by the same rule. Other programs: `doors-of-programs.test.ts`. */

const { url, gatepost, meant, fileWith } = doorsStage();

async function post(body: object, { mark = '' } = {}): Promise<Request> {
  const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
  const text = mark + JSON.stringify({ key: 'k', title: 'Deploy', ...body });
  await fetch(`${url()}/v1/approvals`, { method: 'POST', headers, body: text });
  return meant();
}

async function ask(words: readonly string[], env = {}): Promise<Request> {
  const title = words.includes('--title') ? [] : ['--title', 'Deploy'];
  const ran = await runHere(['ask', ...title, ...words], { env: { ...gatepost(), ...env } });
  const request = meant(ran.err);
  expect(ran.code, ran.err).toBe('refused' in request ? 2 : 4);
  return request;
}

/** The rest of the configuration. */
const PLAIN = { GATEPOST_INTAKE_SECRET: 'secret', GATEPOST_CHANNEL: 'C0DEPLOYS' };

describe('an e-mail address', () => {
  let stage: AccountsStage;
  beforeAll(async () => {
    stage = await startAccountsStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  type Door = (text: string) => Promise<{ address: string | undefined } | { refused: string }>;
  const requester = (request: Request) =>
    'refused' in request
      ? { refused: request.refused.join() }
      : { address: request.requestedBy?.email };
  const DOORS: Readonly<Record<string, Door>> = {
    async 'POST /v1/approvals'(email) {
      return requester(await post({ requestedBy: { email } }));
    },
    async 'gatepost ask'(text) {
      return requester(await ask(['--requested-by', text]));
    },
    async 'people import'(text) {
      const file = readRows(Buffer.from(`user-name\n"${text.replaceAll('"', '""')}"\n`));
      const [row] = file.kind === 'read' ? file.rows : [];
      return row?.problem ? { refused: row.problem } : { address: row?.user.userName };
    },
    async 'people create'(text) {
      const words = ['create', '--user-name', text, '--dry-run'];
      const { out, err } = await runPeople(stage.sandbox, words);
      return createdIn(out) ?? { refused: err };
    },
    async '/people'(text) {
      await stage.see(`create ${text}`);
      await stage.submit({});
      const [refused] = Object.values(stage.sandbox.workspace.modalErrors(DANA));
      if (refused !== undefined) return { refused };
      return (
        createdIn(unescapeMrkdwn(await stage.modalOf(/This creates/))) ?? {
          refused: 'nothing is said',
        }
      );
    },
  };
  const createdIn = (words: string) => {
    const address = /This creates an account for (.*?)\.(?:\s|$)/im.exec(words)?.[1];
    return address === undefined ? undefined : { address };
  };

  describe.each(Object.entries(DOORS))('in %s', (_name, door) => {
    test.each([
      ['of a robot', '49699333+dependabot[bot]@users.noreply.github.com'],
      ['of a guest', 'ana_x.com#EXT#@y.onmicrosoft.com'],
      ['with a letter beyond ASCII', 'jürgen@example.com'],
      ['with a host beyond ASCII', 'x@bücher.example'],
      ['with a sign', 'user&co@example.com'],
      ['with an apostrophe from the keyboard', "o'brien@example.com"],
      ['without a domain', 'root@localhost'],
      ['in Cyrillic', 'анна@пример.рф'],
      ['in Chinese and Latin', '田中taro@例え.jp'],
      ['in Arabic', 'محمد@مثال.إختبار'],
    ])('%s is accepted', async (_what, text) => {
      expect(await door(text)).toEqual({ address: text });
    });

    test.each([
      ['white space', '  ana@example.com '],
      ['a line end', 'ana@example.com\r\n'],
      ['a byte order mark', '\ufeffana@example.com'],
      ['a link', 'mailto:ana@example.com'],
      ['a link with a subject', 'MAILTO:ana@example.com?subject=Hi'],
      ['brackets', '<ana@example.com>'],
      ['a name and brackets', 'Ana Reyes <ana@example.com>'],
      ['a quoted name', '"Reyes, Ana" <ana@example.com>'],
      ['a link of Slack', '<mailto:ana@example.com|ana@example.com>'],
    ])('in %s is reduced to the bare address', async (_what, text) => {
      expect(await door(text.replaceAll('ana@', 'nia@'))).toEqual({ address: 'nia@example.com' });
    });

    test('with a combining mark is normalized to one letter', async () => {
      expect(await door('ju\u0308rgen@example.com')).toEqual({ address: 'jürgen@example.com' });
    });

    test.each([
      ['a Cyrillic letter', 'n\u0456a@example.com', /look like those of another alphabet/],
      ['a Cyrillic letter in its host', 'nia@ex\u0430mple.com', /another alphabet/],
      ['letters that all look Latin', '\u0441\u0430\u0440\u0430@example.com', /another alphabet/],
      ['a Greek letter', 'ni\u03b1@example.com', /another alphabet/],
      ['full-width letters', 'ｎｉａ@example.com', /full-width/],
      ['a full-width at sign', 'nia＠example.com', /full-width/],
      ['a typographer’s apostrophe', 'o’brien@example.com', /not on the keyboard/],
      ['a picture', '💌@example.com', /not on the keyboard/],
      ['a zero-width space', 'ni\u200ba@example.com', /invisible/],
      ['a soft hyphen', 'ni\u00ada@example.com', /invisible/],
      ['a mark that turns the text', 'ni\u202ea@example.com', /invisible/],
      ['two at signs', 'nia@example.com@example.com', /an e-mail address/],
      ['another address', 'nia@example.com,ben@example.com', /an e-mail address/],
      ['the name of a protocol', 'SMTP:nia@example.com', /an e-mail address/],
      ['a full stop at its end', 'nia@example.com.', /an e-mail address/],
      ['half of its brackets', '<nia@example.com', /an e-mail address/],
    ])('with %s is refused, with the rule that it breaks', async (_what, text, rule) => {
      const end = await door(text);
      expect(end).toEqual({ refused: expect.stringMatching(rule) });
      expect(JSON.stringify(end)).not.toContain(text);
    });
  });

  test('of a requester keeps the display name in front of it as written', async () => {
    const email = 'Ana <ana@example.com>';
    const requestedBy = { name: email, email: 'ana@example.com' };
    expect(await ask(['--requested-by', email])).toMatchObject({ requestedBy });
    const named = await post({ requestedBy: { email, name: 'Ana R.' } });
    expect(named).toMatchObject({ requestedBy: { ...requestedBy, name: 'Ana R.' } });
  });
});

test.each([
  [' U0ANA\n', { slackUser: 'U0ANA' }],
  ['W012AB3CD', { slackUser: 'W012AB3CD' }],
  ['UKJHGTRFD', { slackUser: 'UKJHGTRFD' }],
  ['WENDY', { name: 'WENDY' }],
  [' Ana ', { name: 'Ana' }],
])('ask --requested-by %j is recognized as a Slack user or a name', async (who, requestedBy) => {
  expect(await ask(['--requested-by', who])).toMatchObject({ requestedBy });
});

describe('an empty message or link is treated as not given', () => {
  test.each(['', '  ', '\r\n'])('%j', async (nothing) => {
    const requests = {
      post: await post({ message: nothing, link: nothing }),
      ask: await ask(['--message', nothing, '--link', nothing]),
    };
    for (const [door, request] of Object.entries(requests)) {
      expect(request, door).not.toHaveProperty('refused');
      expect(of('message')(request), door).toBeUndefined();
      expect(of('link')(request), door).toBeUndefined();
    }
  });
});

describe('an empty text', () => {
  const WORDS = /must (?:not be empty|be|have)|is required/;
  const isRefused = { refused: [expect.stringMatching(WORDS)] };
  test.each(['', ' '])('%j is refused as title, key, address or change', async (nothing) => {
    expect(await post({ change: nothing })).toMatchObject(isRefused);
    for (const member of ['title', 'key']) {
      expect(await post({ [member]: nothing }), member).toMatchObject(isRefused);
      expect(await ask([`--${member}`, nothing]), member).toMatchObject(isRefused);
    }
    expect(await post({ requestedBy: { email: nothing } })).toMatchObject(isRefused);
    expect(await post({ requestedBy: { name: nothing } })).toMatchObject(isRefused);
    // A pipeline passes on a variable that is not set: nobody is named.
    expect(await ask(['--requested-by', nothing])).toHaveProperty('key');
  });

  test.each(['', ' ', '\r\n'])('%j is refused as the file of a change', async (nothing) => {
    const refused = [expect.stringMatching(/^error: What --change names is empty/)];
    expect(await ask(['--change', await fileWith(nothing)])).toEqual({ refused });
  });

  const OPTIONS = [
    ['--title'],
    ['--key'],
    ['--route'],
    ['--channel'],
    ['--change'],
    ['--supersedes'],
    ['--reviewers', ',', 'U0ANA,'],
    ['--quorum'],
    ['--need', 'SRE=', 'SRE=,', 'SRE:=U0ANA', '=U0ANA'],
    ['--field', '=x'],
    ['--timeout'],
  ] as const;

  test.each(
    OPTIONS.flatMap(([option, ...others]) =>
      ['', ' ', ...others].map((nothing) => [option, nothing] as const),
    ),
  )('is refused as %s %j, which names the option', async (option, nothing) => {
    const refused = [expect.stringMatching(new RegExp(`^error: option '${option} `))];
    expect(await ask([`${option}=${nothing}`])).toEqual({ refused });
  });

  test.each([
    ['route', ''],
    ['channel', ''],
    ['supersedes', ' '],
    ['reviewers', { users: [''] }],
    ['quorum', ''],
    ['need', []],
  ])('is refused as %s of a request', async (member, nothing) => {
    expect(await post({ [member]: nothing })).toHaveProperty('refused');
  });
});

test.each([
  ['message', null, undefined],
  ['link', null, undefined],
  ['fields', null, undefined],
  ['fields', { Build: 42, 'Dry run': true }, { Build: '42', 'Dry run': 'true' }],
] as const)('%s is read if it is %j', async (member, given, meaning) => {
  expect(of(member)(await post({ [member]: given }))).toEqual(meaning);
});

describe('what editors and vaults add to a text', () => {
  test('a byte order mark at its start is ignored', async () => {
    const file = await fileWith('\ufeff+ größer\n');
    const change = '+ größer\n';
    expect(await ask(['--change', file])).toMatchObject({ change });
    expect(await post({ change }, { mark: '\ufeff' })).toMatchObject({ change });
    const rows = readRows(Buffer.from('\ufeffuser-name\nnia@example.com\n'));
    expect(rows).toMatchObject({ rows: [{ user: { userName: 'nia@example.com' } }] });
    expect(configWith('\ufeffretention: { done: 12h }', PLAIN).retention.doneMs).toBe(43_200_000);
  });

  test('a line end after a URL or a secret is ignored', async () => {
    const env = { GATEPOST_URL: `${url()}\r\n`, GATEPOST_INTAKE_SECRET: 'secret\r\n' };
    expect(await ask([], env)).toMatchObject({ title: 'Deploy' });
  });
});

describe('a time', () => {
  const asSnapshot = (updatedAt: string) =>
    taskRequest.safeParse({ id: '1', status: 'open', updatedAt }).success;

  test.each([
    '2030-01-01T10:00:00Z',
    '2030-01-01T10:00:00z',
    '2030-01-01t10:00:00Z',
    '2030-01-01T11:00:00+01:00',
    '2030-01-01T11:00:00+0100',
    '2030-01-01T04:30:00-05:30',
    '2030-01-01T10:00Z',
    '2030-01-01T10:00:00.000Z',
    '20300101T100000Z',
  ])('%s is accepted as a deadline and in a snapshot, and means the same time', async (time) => {
    expect(await post({ expiresAt: time })).toMatchObject({
      expiresAt: '2030-01-01T10:00:00.000Z',
    });
    expect(asSnapshot(time)).toBe(true);
  });

  test.each([
    '2030-01-01 10:00:00Z',
    '2030-01-01T25:00:00Z',
    '2030-02-30T10:00:00Z',
    '2030-01-01',
    '1893492000',
    'tomorrow',
  ])('%s is refused', async (time) => {
    const refused = ['must be a time such as 2030-01-01T10:00:00Z'];
    expect(await post({ expiresAt: time })).toEqual({ refused });
    expect(asSnapshot(time)).toBe(false);
  });
});

describe('a duration', () => {
  test.each(['90s', '30m', '12 h', '7d'])(
    '%s is accepted by ask and in the configuration',
    async (time) => {
      expect(problemsWith(`retention: { done: ${time} }`, PLAIN)).toEqual([]);
      expect(await ask(['--timeout', time])).toHaveProperty('expiresAt');
    },
  );

  test.each(['90', '2H', '0s', '-5m', '1h30m', ' 2h ', 'PT2H'])(
    '%j is refused by both',
    async (time) => {
      expect(problemsWith(`retention: { done: "${time}" }`, PLAIN)).toHaveLength(1);
      expect(await ask([`--timeout=${time}`])).toHaveProperty('refused');
    },
  );
});
