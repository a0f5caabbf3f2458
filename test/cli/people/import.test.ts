import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { readRows } from '../../../src/cli/people/import-file.ts';
import { hurried } from '../hurried.ts';
import { type RunOptions, runPeople } from './people-stage.ts';

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  folder = await mkdtemp(join(tmpdir(), 'gatepost-test-'));
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => sandbox.reset());

async function importing(csv: string | Buffer, words = '', options?: RunOptions) {
  const path = join(folder, 'users.csv');
  await writeFile(path, csv);
  const more = words === '' ? [] : words.split(' ');
  return runPeople(sandbox, ['import', path, ...more], options);
}

const account = (address: string) =>
  sandbox.service.users().find(({ userName }) => userName === address);
const sent = () =>
  [...sandbox.service.requests('createUser'), ...sandbox.service.requests('patchUser')].length;
const results = (rows: readonly Record<string, unknown>[]) => rows.map(({ result }) => result);

const MIXED = `user-name,title,department,external-id,active
una@example.com,Lead,Tours,x-una,
ana@example.com,Guide,,,
ivo@example.com,,,,true
ben@example.com,,,,no
cleo@example.com,,,x-new,
gus@example.com,,,,yes
della@example.com,,Sales,,false
`;

describe('people import', () => {
  it('previews each row and changes nothing', async () => {
    sandbox.service.setUser('gus@example.com', { externalId: 'x-gus' });
    const { code, out, err } = await importing(MIXED, '--dry-run');
    expect(out).toMatchInlineSnapshot(`
      "Row 2  una@example.com    would create an account: Job title, Department, External id
      Row 3  ana@example.com    would link to Ana Reyes (ana@example.com): Job title
      Row 4  ivo@example.com    would re-activate Ivo Novak (ivo@example.com)
      Row 5  ben@example.com    would deactivate Ben Okafor (ben@example.com)
      Row 6  cleo@example.com   refused: An account has this address, and the service shows no external id for it. Nothing was linked. It is Cleo Martin (cleo@example.com). To link to it, leave out the external id; it can be set afterwards.
      Row 7  gus@example.com    already has all of this
      Row 8  della@example.com  would change Della Hart (della@example.com): Department
      "
    `);
    expect(err).toMatchInlineSnapshot(`
      "7 rows: 1 to create, 1 to link, 1 to re-activate, 1 to change, 1 to deactivate, 1 unchanged, 1 refused.
      "
    `);
    expect(code).toBe(1);
    const without = await importing(MIXED);
    expect(without).toMatchObject({ code: 1, out });
    expect(without.err).toContain('Nothing was changed. Add --yes to do it.');
    expect((await importing(MIXED, '', { types: 'n' })).code).toBe(1);
    expect(sent()).toBe(0);
  });

  it('applies each row, and changes nothing when run again', async () => {
    const { code, rows } = await importing(MIXED, '--yes --json');
    expect(code).toBe(1);
    expect(results(rows)).toEqual([
      ...['created', 'linked', 're-activated', 'deactivated', 'refused', 'unchanged', 'updated'],
    ]);
    expect(account('una@example.com')).toMatchObject({ title: 'Lead', externalId: 'x-una' });
    expect(account('ana@example.com')).toMatchObject({ title: 'Guide' });
    expect(account('ivo@example.com')?.active).toBe(true);
    expect(account('ben@example.com')?.active).toBe(false);
    expect(account('della@example.com')).toMatchObject({ active: false, department: 'Sales' });
    expect(account('cleo@example.com')?.externalId).toBeNull();
    const before = sent();
    const again = await importing(MIXED.replace(/^cleo.*\n/m, ''), '--yes --json');
    expect(again.code).toBe(0);
    expect(new Set(results(again.rows))).toEqual(new Set(['unchanged']));
    expect(sent()).toBe(before);
  });

  it('re-activates nobody who was deactivated since, unless the row says so', async () => {
    const csv = 'user-name,title\nben@example.com,Lead\n';
    expect((await importing(csv, '--yes')).code).toBe(0);
    sandbox.service.setUser('ben@example.com', { active: false });
    const before = sent();
    const again = await importing(csv, '--yes');
    expect(again).toMatchObject({
      code: 1,
      out: 'Row 2  ben@example.com  refused: Ben Okafor (ben@example.com) is deactivated. To re-activate the account, set active to true in this row.\n',
    });
    expect(sent()).toBe(before);
    const active = 'user-name,title,active\nben@example.com,Lead,true\n';
    expect((await importing(active, '--yes --json')).rows).toMatchObject([
      { result: 're-activated' },
    ]);
    expect(account('ben@example.com')?.active).toBe(true);
  });

  it('does not create an account that would be inactive', async () => {
    const { code, out } = await importing('user-name,active\nleft@example.com,no\n', '--yes');
    expect({ code, out }).toEqual({
      code: 1,
      out: 'Row 2  left@example.com  refused: The service shows no account with this address, so this row cannot deactivate one.\n',
    });
    expect(sent()).toBe(0);
  });

  it('asks for confirmation in a terminal, after the preview', async () => {
    const { code, out, err } = await importing('user-name\nuna@example.com\n', '', { types: 'y' });
    expect(code).toBe(0);
    expect(err).toContain('Do this? [y/N]');
    expect(out.split('\n')).toMatchObject([
      'Row 2  una@example.com  would create an account',
      'Row 2  una@example.com  created',
      '',
    ]);
  });

  it('warns before it deactivates the account of the person who runs it', async () => {
    sandbox.service.setUser('ops@example.com', {});
    const { err } = await importing('user-name,active\nops@example.com,no\n', '--dry-run');
    expect(err).toMatch(/^Row 2: This may be your own account/);
  });

  it('changes an account that has an external id', async () => {
    sandbox.service.setUser('ana@example.com', { externalId: 'x-ana' });
    const csv = 'email;Job title;External id\nANA@example.com;Lead;x-ana\n';
    const { code, rows } = await importing(csv, '--yes --json');
    expect({ code, rows }).toMatchObject({
      code: 0,
      rows: [
        { result: 'updated', detail: 'Ana Reyes (ana@example.com)', attributes: ['Job title'] },
      ],
    });
    expect(account('ana@example.com')).toMatchObject({ title: 'Lead', externalId: 'x-ana' });
  });

  it('says that it cannot change the address of an account', async () => {
    sandbox.service.setUser('ana@example.com', { externalId: 'x-ana' });
    const csv = 'user-name,title,external-id,active\nother@example.com,Lead,x-ana,';
    for (const active of ['', 'true', 'false']) {
      const { code, out } = await importing(`${csv}${active}\n`, '--yes');
      expect({ code, out }).toEqual({
        code: 1,
        out: 'Row 2  other@example.com  refused: Ana Reyes (ana@example.com) has this external id but a different address. Change the address in the service itself, or correct this row.\n',
      });
    }
    expect(sent()).toBe(0);
  });

  it('stops when the service stays too busy, and says how far it came', async () => {
    sandbox.service.fault({
      kind: '429',
      retryAfter: 0,
      operation: 'createUser',
      when: ({ body }) => JSON.stringify(body).includes('b@example.com'),
    });
    const csv = 'user-name\na@example.com\nb@example.com\nc@example.com\n';
    const { code, err, rows } = await importing(csv, '--yes --json');
    expect(code).toBe(1);
    expect(rows).toHaveLength(1);
    expect(err).toMatch(/too busy.* Stopped at row 3: 2 of 3 rows were not tried\./);
    expect(err).toMatch(/Run the same command again to continue/);
    expect(account('c@example.com')).toBeUndefined();
  });

  it('stops after the current row at Ctrl-C, and continues there next time', async () => {
    const interrupt = new AbortController();
    sandbox.service.fault({
      kind: 'slowAnswer',
      ms: 300,
      operation: 'createUser',
      when: ({ body }) => JSON.stringify(body).includes('b@example.com'),
    });
    const csv = 'user-name\na@example.com\nb@example.com\nc@example.com\n';
    const ran = importing(csv, '--yes', { signal: interrupt.signal });
    await vi.waitFor(() => expect(account('b@example.com')).toBeDefined(), 60_000);
    interrupt.abort();
    const { code, out, err } = await ran;
    expect(code).toBe(1);
    expect(out).toMatch(/Row 3 {2}b@example.com {2}created\n$/);
    expect(err).toMatch(/Interrupted\. Stopped at row 4: 1 of 3 rows were not tried/);
    const { rows } = await importing(csv, '--yes --json');
    expect(results(rows)).toEqual(['unchanged', 'unchanged', 'created']);
  });

  it('stays within the rate limit for requests to the service', async () => {
    const csv = `user-name\n${Array.from({ length: 34 }, (_, n) => `p${n}@example.com\n`).join('')}`;
    const system = hurried();
    const startedAt = system.clock.monotonic();
    expect((await importing(csv, '--dry-run --per-minute 120', { system })).code).toBe(0);
    // 30 at once, and 4 more at one in half a second.
    expect(system.clock.monotonic() - startedAt).toBeGreaterThan(1_400);
  });

  // Each look-up reads the 8 accounts on 8 pages: 30 at once, and 18 more at one in a tenth of a second.
  it.each([
    ['to look accounts up', 'user-name\na@b\nb@b\nc@b\nd@b\ne@b\nf@b\n', '--dry-run'],
    [
      'to see what came of a change',
      'user-name,active\nana@example.com,no\nben@example.com,no\ncleo@example.com,no\ndella@example.com,no\n',
      '--yes',
    ],
  ])('counts every page that is read %s', async (_what, csv, words) => {
    sandbox.service.setVariant({ scimFilter: 'ignored', scimPageSize: 1, scimPatchStatus: 204 });
    const system = hurried();
    const startedAt = system.clock.monotonic();
    expect((await importing(csv, `${words} --per-minute 600`, { system })).code).toBe(0);
    expect(system.clock.monotonic() - startedAt).toBeGreaterThan(1_300);
  });

  it.each(['--per-minute 0', '--per-minute often'])('refuses %s', async (words) => {
    expect(await importing('user-name\n', words)).toMatchObject({ code: 2 });
  });
});

describe('an import file', () => {
  const wrong: [string, string | Buffer, RegExp][] = [
    ['without columns', '', /column user-name is missing/],
    ['without user names', 'title\nLead\n', /column user-name is missing/],
    ['with a strange column', 'user-name,secret\n', /column 2 is not known/],
    [
      'with several strange columns',
      'user-name,Jobb title,secret\n',
      /column 2 is not known \(did you mean title\?\); column 3 is not known\./,
    ],
    [
      'that begins with data',
      `${Array.from({ length: 2_000 }, (_, index) => `secret${index}`).join(',')}\n`,
      /: the column user-name is missing; column 1 is not known; (.*; )?column 9 is not known; and more\. Rename/,
    ],
    [
      'with ten strange columns',
      `user-name${',secret'.repeat(10)}\n`,
      /: column 2 is not known; (.*; )?column 11 is not known\. Rename/,
    ],
    ['with a column twice', 'user-name,title,Job title\n', /columns 2 and 3 are the same/],
    ['with an open quote', 'user-name\n"secret\n', /at line 2: check the quotes/],
    ['with two addresses', 'Mail,User principal name\n', /columns 1 and 2 are the same/],
    ['with a cell below no name', 'user-name,,\na@b,,secret\n', /: column 3 has no name\./],
    ['in UTF-16 without its mark', Buffer.from('user-name\na@b\n', 'utf16le'), /not UTF-8/],
    ['that is a workbook', Buffer.from('PK\x03\x04\x14\0\x06\0'), /export it as "CSV UTF-8"/],
    ['in another encoding', Buffer.from('user-name\nm\xfcller@example.com', 'latin1'), /not UTF-8/],
  ];
  it.each(wrong)('%s is refused, without quoting its content', async (_, content, problem) => {
    const read = readRows(Buffer.from(content));
    expect(read).toMatchObject({ kind: 'wrong', problem: expect.stringMatching(problem) });
    expect(JSON.stringify(read)).not.toContain('secret');
    expect(await importing(content)).toMatchObject({ code: 2, out: '' });
  });

  it('that does not exist is refused', async () => {
    const none = join(folder, 'none.csv');
    const { code, err } = await runPeople(sandbox, ['import', none]);
    expect({ code, err }).toEqual({
      code: 2,
      err: `The file cannot be imported. ${none} does not exist.\n`,
    });
  });

  const rows = (csv: string) => {
    const read = readRows(Buffer.from(csv));
    return read.kind === 'read' ? read.rows : expect.unreachable();
  };

  it('is checked by row and column, and problems never quote a value', () => {
    const read = rows(
      [
        'user-name,title,external-id,active',
        'secret,,,',
        'a@example.com,"se\ncret",,',
        'b@example.com,,,secret',
        'c@example.com,,,,secret',
        'd@example.com,,x,',
        'D@example.com,,,',
        '',
        'e@example.com,,x,',
      ].join('\r\n'),
    );
    expect(read.map(({ number, problem }) => [number, problem])).toEqual([
      [2, 'column user-name must be an e-mail address'],
      [3, 'column title must be one line without control characters'],
      [4, 'column active is not understood: write true or false'],
      [5, 'has 5 columns, the first row 4'],
      [6, null],
      [7, 'column user-name is the same as in row 6'],
      [9, 'column external-id is the same as in row 6'],
    ]);
  });

  it.each([
    ['a nameless, empty last column', 'user-name,title,\nana@example.com,Lead,\n'],
    ['empty columns in between', 'user-name,,title,,\nana@example.com,,Lead,,\n'],
    ['more empty cells than columns', 'user-name,title\nana@example.com,Lead,,,\n'],
    ['no empty cells at the end', 'user-name,title,department\nana@example.com,Lead\n'],
    ['line ends of several kinds', 'user-name,title\nana@example.com,Lead\r\n\r'],
    ['line ends of an old kind', 'user-name,title\rana@example.com,Lead\r'],
    ['tabs', 'user-name\ttitle\nana@example.com\tLead\n'],
    [
      'tabs, quotes and an empty cell',
      '"user-name"\t"department"\ttitle\nana@example.com\t\t"Lead"',
    ],
    [
      'semicolons, and a comma in quotes',
      '"user-name";"title";"given,name"\nana@example.com;Lead;',
    ],
    ['a line for the separator', 'sep=;\r\nuser-name;title\r\nana@example.com;Lead\r\n'],
    ['a quoted one', '"sep=|"\nuser-name|title\nana@example.com|Lead\n'],
    ['one for tabs', '\ufeffSEP=\t\nuser-name\ttitle\nana@example.com\tLead\n'],
  ])('can have %s', (_what, csv) => {
    const user = { userName: 'ana@example.com', title: 'Lead' };
    expect(rows(csv)).toEqual([{ number: 2, user, problem: null }]);
  });

  it.each(['\nuser-name,title\n', ',,\r\nuser-name,title,\r\n', 'sep=;\n;\nuser-name;title\n'])(
    'may begin with a blank row, which counts: %j',
    (heads) => {
      expect(rows(`${heads}a@b\n`)).toMatchObject([{ number: 3, user: { userName: 'a@b' } }]);
    },
  );

  it.each(['utf-16le', 'utf-16be'])('can be in %s with a byte order mark', (encoding) => {
    const bytes = Buffer.from('\ufeffuser-name\ttitle\nana@example.com\tMüller ✓\n', 'utf16le');
    const read = readRows(encoding === 'utf-16le' ? bytes : bytes.swap16());
    expect(read).toMatchObject({ kind: 'read', rows: [{ user: { title: 'Müller ✓' } }] });
  });

  it.each([
    'User principal name,Display name,Given name,Surname,Job title,Department,Account enabled',
    'Email Address [Required],Name,First Name [Required],Last Name [Required],Employee Title,Dept,Status [READ ONLY]',
    'E-mail,Full name,Forename,SN,Position,Department name,Enabled',
    'userName,displayName,name.givenName,name.familyName,title,urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department,active',
  ])('can have the column names of a directory: %s', (heads) => {
    const cells = 'ana@example.com,Ana Reyes,Ana,Reyes,Guide,Tours';
    const [on, off] = rows(
      `${heads}\n${cells},Active\n${cells.replace('ana@', 'ben@')},disabled\n`,
    );
    const ana = { displayName: 'Ana Reyes', givenName: 'Ana', familyName: 'Reyes' };
    const work = { title: 'Guide', department: 'Tours' };
    expect(on?.user).toEqual({ userName: 'ana@example.com', ...ana, ...work, active: true });
    expect(off?.user.active).toBe(false);
  });

  it.each([
    ['1.23E+11', 'has a number that a spreadsheet shortened'],
    ['1,23457E+17', 'has a number that a spreadsheet shortened'],
    ['4E-05', 'has a number that a spreadsheet shortened'],
    ['#N/A', 'has an error value of a spreadsheet'],
    ['#REF!', 'has an error value of a spreadsheet'],
    ['#NAME?', 'has an error value of a spreadsheet'],
    ['########', 'has an error value of a spreadsheet'],
  ])('is refused where a spreadsheet has written %s', (cell, problem) => {
    const [row] = rows(`user-name,external-id\na@example.com,"${cell}"\n`);
    expect(row?.problem).toContain(`column external-id ${problem}`);
    expect(JSON.stringify(row)).not.toContain(cell);
  });

  it.each(['12E5', '#42', 'E+11', '1E+11 Tours'])('may have %s as a text', (cell) => {
    const [row] = rows(`user-name,external-id\na@example.com,${cell}\n`);
    expect(row?.user.externalId).toBe(cell);
  });

  it.each([
    ['user-name', '=una@example.com'],
    ['user-name', '+una@example.com'],
    ['user-name', '-una@example.com'],
    ['user-name', '@una@example.com'],
    ['user-name', '\tuna@example.com'],
    ['user-name', '  =una@example.com'],
    ['user-name', '="una@example.com"'],
    ['title', '=HYPERLINK("https://x.example")'],
    ['external-id', '="0042"'],
    ['department', '\tTours'],
    ['active', '=TRUE'],
  ])('is refused where the column %s has the formula %j', (column, cell) => {
    const address = column === 'user-name' ? '' : 'a@example.com';
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const csv = `${column},${address === '' ? 'title' : 'user-name'}\n${quoted},${address}\n`;
    const [row] = rows(csv);
    expect(row?.problem).toBe(`column ${column} begins like a formula: enter the value itself`);
    expect(JSON.stringify(row)).not.toContain(cell);
  });

  it.each([
    ['title', '- none -'],
    ['title', '@Home lead'],
    ['external-id', '+3hJ0kQ=='],
    ['external-id', '-417'],
  ])('may have in the column %s the text %s', (column, cell) => {
    const [row] = rows(`user-name,${column}\na@example.com,${cell}\n`);
    expect(row?.problem).toBeNull();
  });

  it.each([
    [true, ['Y', 'y', 'T', 'TRUE', 'yes', 'on', '1', 'WAHR', 'VRAI', 'VERDADERO', 'PRAWDA']],
    [false, ['N', 'n', 'F', 'FALSE', 'no', 'off', '0', 'FALSCH', 'FAUX', 'FALSO', 'FAŁSZ']],
    [undefined, ['x', 'ja', 'oui', '✓', '2', 'maybe', '-', 'WAHR/FALSCH']],
  ])('is read as %s in the column active: %j', (active, cells) => {
    const read = rows(
      ['user-name,active', ...cells.map((cell, at) => `a${at}@example.com,${cell}`)].join('\n'),
    );
    const problem =
      active === undefined ? 'column active is not understood: write true or false' : null;
    expect(read.map((row) => row.problem)).toEqual(cells.map(() => problem));
    expect(new Set(read.map(({ user }) => user.active))).toEqual(new Set([active]));
  });

  it('can have names with unusual spaces', () => {
    const [row] = rows('user-name,display-name\nana@example.com,Ana\u00a0 Reyes\n');
    expect(row).toMatchObject({ user: { displayName: 'Ana\u00a0 Reyes' }, problem: null });
  });

  it('is read without blanks around its values, quoted or not', () => {
    const csv = 'user-name,title,department,active\n" a@b ", Lead ," "," no "\n" "," "," "," "\n';
    expect(rows(csv)).toMatchObject([{ user: { userName: 'a@b', title: 'Lead', active: false } }]);
    expect(rows(csv)[0]?.user).not.toHaveProperty('department');
  });

  it('can begin with a byte order mark, and have quoted and empty cells', () => {
    const csv =
      '\ufeffUser name,name.givenName,Active\n"una@example.com","U, ""na""",TRUE\nb@c,,\n';
    expect(rows(csv).map(({ user }) => user)).toEqual([
      { userName: 'una@example.com', givenName: 'U, "na"', active: true },
      { userName: 'b@c' },
    ]);
  });
});
