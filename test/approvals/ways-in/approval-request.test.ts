import { describe, expect, test } from 'vitest';
import { approvalRequest } from '../../../src/approvals/ways-in/approval-request.ts';
import { resultReport } from '../../../src/approvals/ways-in/report-contract.ts';

const LONG = `U${'0'.repeat(3_000)}`;
const GROUPS = Array.from({ length: 11 }, (_, i) => `S0G${i}`);

const SRE = { name: 'SRE', of: { groups: ['S0SRE'] } };
const TEN = { name: 'Ten', of: { groups: GROUPS.slice(0, 10) } };
const needing = (change: object) => ({ need: [{ ...SRE, ...change }] });

describe('an approval request', () => {
  const full = {
    token: 't',
    title: 'Deploy',
    fields: { Version: '4.2', Empty: '' },
    link: 'https://ci.example.com/7',
    requestedBy: { slackUser: 'U0ANA' },
    reviewers: { users: ['U0ANA'], groups: ['S0OPS'] },
    quorum: 2,
    need: [{ name: 'SRE', of: { groups: ['S0SRE'] }, count: 2 }],
    expiresAt: '2026-11-21T10:00:00Z',
  };

  test('is valid with every member, or with only the token', () => {
    expect(approvalRequest.safeParse(full).success).toBe(true);
    expect(approvalRequest.safeParse({ token: 't' }).success).toBe(true);
  });

  test.each<[string, object, (string | number)[]]>([
    ['no token', { token: undefined }, ['token']],
    ['an empty token', { token: '' }, ['token']],
    ['a blank token', { token: '  ' }, ['token']],
    ['a token that is a step in a path', { token: '..' }, ['token']],
    ['a token that nobody sees', { token: '\u{e0001} \u200b\u2800' }, ['token']],
    ['a blank title', { title: ' \n' }, ['title']],
    ['a list as a field', { fields: { Versions: [4] } }, ['fields', 'Versions']],
    ['a number that has lost digits', { fields: { Run: 2 ** 53 } }, ['fields', 'Run']],
    ['an endless number', { fields: { Load: Number.POSITIVE_INFINITY } }, ['fields', 'Load']],
    ['a list for its fields', { fields: ['4'] }, ['fields']],
    ['a field without a name', { fields: { '': 'x' } }, ['fields', '']],
    ['a field that would be lost', { fields: { ['__proto__']: 'x' } }, ['fields', '__proto__']],
    ['a link that runs', { link: 'javascript:alert(1)' }, ['link']],
    ['nobody who asked', { requestedBy: {} }, ['requestedBy']],
    ['a name as a reviewer', { reviewers: { users: ['@ana'] } }, ['reviewers', 'users', 0]],
    ['an id longer than any', { requestedBy: { slackUser: LONG } }, ['requestedBy', 'slackUser']],
    ['more groups than Slack tells of', { reviewers: { groups: GROUPS } }, ['reviewers', 'groups']],
    ['a quorum of none', { quorum: 0 }, ['quorum']],
    ['half a quorum', { quorum: 1.5 }, ['quorum']],
    ['a need without a name', needing({ name: undefined }), ['need', 0, 'name']],
    ['a need that is called like markup', needing({ name: '<@U0ANA>' }), ['need', 0, 'name']],
    ['a need that reads like an outcome', needing({ name: 'Approved' }), ['need', 0, 'name']],
    ['a need of nobody', needing({ of: {} }), ['need', 0, 'of']],
    ['a need of a name', needing({ of: { users: ['@ana'] } }), ['need', 0, 'of', 'users', 0]],
    ['a need of no places', needing({ count: 0 }), ['need', 0, 'count']],
    ['half a place', needing({ count: 1.5 }), ['need', 0, 'count']],
    ['two needs of one name', { need: [SRE, SRE] }, ['need']],
    ['more needs than ten', { need: GROUPS.map((name) => ({ ...SRE, name })) }, ['need']],
    ['needs of more groups than Slack tells of', { need: [SRE, { ...SRE, ...TEN }] }, ['need']],
    ['a need that is called like the token', { token: 'SRE' }, ['need']],
    ['a need whose name has the token in it', { token: 'SR' }, ['need']],
    ['a deadline without a zone', { expiresAt: '2026-11-21T10:00:00' }, ['expiresAt']],
    ['a deadline that is none', { expiresAt: 'tomorrow' }, ['expiresAt']],
    ['a channel by name', { channel: '#prod' }, ['channel']],
  ])('with %s is refused, and the error points at the member', (_what, change, path) => {
    const faults = approvalRequest.safeParse({ ...full, ...change }).error?.issues;
    expect(faults?.map((fault) => fault.path)[0]).toEqual(path);
  });

  test.each(['x', '"', '漢', '\u{10400}', '\n'])(
    'accepts up to 40,000 characters of any script as its change: %j',
    (sign) => {
      const withChange = (count: number) => ({ ...full, change: `x${sign.repeat(count - 1)}` });
      expect(approvalRequest.safeParse(withChange(40_000)).success).toBe(true);
      for (const [count, words] of [
        [40_001, '40,001'],
        [75_000, '75,000'],
      ] as const) {
        expect(approvalRequest.safeParse(withChange(count)).error?.issues).toMatchObject([
          { path: ['change'], message: `has ${words} characters; 40,000 are possible` },
        ]);
      }
    },
  );

  test.each<[string, unknown, string]>([
    ['an integer', 42, '42'],
    ['a fraction', 4.5, '4.5'],
    ['a large integer', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['an empty text', '', ''],
  ])('shows %s among its fields as text', (_what, given, shown) => {
    expect(approvalRequest.parse({ token: 't', fields: { Fact: given } }).fields).toEqual({
      Fact: shown,
    });
  });

  const shownOnly = { message: null, link: null, fields: null };

  test.each<[string, object]>([
    ['null for what is only shown', shownOnly],
    ['empty texts', { message: '', link: ' \n' }],
  ])('with %s is as if that were missing', (_what, nothing) => {
    expect(approvalRequest.parse({ token: 't', ...nothing })).toEqual({ token: 't' });
  });

  test('leaves out a field that is null', () => {
    const fields = { Version: '4.2', Ticket: null };
    expect(approvalRequest.parse({ token: 't', fields }).fields).toEqual({ Version: '4.2' });
  });

  /** Who decides, what is approved, and what else is done. */
  const MEANT = [
    'key',
    'title',
    'route',
    'channel',
    'change',
    'cutFrom',
    'requestedBy',
    'reviewers',
    'quorum',
    'need',
    'supersedes',
    'expiresAt',
  ] as const;
  const nothings = MEANT.flatMap((name) =>
    [null, '', {}, []].map((nothing) => [name, nothing] as const),
  );

  test.each(nothings)('is refused by name, not widened, when its %s is %j', (name, nothing) => {
    const given = { key: 'k', change: 'make', [name]: nothing };
    const faults = approvalRequest.safeParse(given).error?.issues;
    expect(faults?.map(({ path }) => path[0])).toContain(name);
  });

  test.each<[string, object, (string | number)[]]>([
    ['reviewers', { reviewers: { users: null } }, ['reviewers', 'users']],
    ['reviewers', { reviewers: { users: [''] } }, ['reviewers', 'users', 0]],
    ['reviewers', { reviewers: { users: [], groups: [] } }, ['reviewers']],
    ['requestedBy', { requestedBy: { email: '' } }, ['requestedBy', 'email']],
    ['requestedBy', { requestedBy: { slackUser: null } }, ['requestedBy', 'slackUser']],
    ['need', needing({ of: null }), ['need', 0, 'of']],
    ['need', needing({ count: null }), ['need', 0, 'count']],
  ])('is refused when a member of its %s is nothing: %j', (_name, given, path) => {
    const faults = approvalRequest.safeParse({ token: 't', ...given }).error?.issues;
    expect(faults?.map((fault) => fault.path)).toEqual([path]);
  });

  test('with an unknown member is refused', () => {
    const faults = approvalRequest.safeParse({ ...full, tokn: 'x' }).error?.issues;
    expect(faults).toMatchObject([{ code: 'unrecognized_keys', keys: ['tokn'] }]);
  });
});

describe('a report', () => {
  test('with null or an empty text for what is only shown is as if that were missing', () => {
    const nothing = { text: null, link: '', until: null };
    expect(resultReport.parse({ state: 'running', ...nothing })).toEqual({ state: 'running' });
  });

  test.each([
    ['claim', null],
    ['claim', ''],
    ['state', null],
    ['until', ''],
  ])('is refused by name when its %s is %j', (name, nothing) => {
    const faults = resultReport.safeParse({ state: 'running', [name]: nothing }).error?.issues;
    expect(faults?.map(({ path }) => path)).toEqual([[name]]);
  });
});
