import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareWith } from '../../src/cli/audit/against.ts';
import type { Visit } from '../../src/cli/audit/visit.ts';
import { system } from '../../src/core/lib/system.ts';
import { auditLine } from '../../src/core/store/audit-line.ts';
import { openTables } from '../../src/core/store/embedded/tables.ts';
import type { AuditChain, KeptAuditEntry, Store } from '../../src/core/store/store.ts';
import { openMemoryWorld } from '../core/store/memory-world.ts';
import { keptAudit } from '../core/store/store-world.ts';
import { FOLDERS } from './folders.ts';
import { type Facts, KEYS, QUARTER, writeLog } from './quarter.ts';
import { type RunOptions, runHere } from './run-here.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(FOLDERS, 'gatepost-report-'));
  await writeLog(folder, QUARTER);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const OCTOBER = '--from 2026-10-01 --to 2026-10-31';

const command = (words: string, more: Record<string, string> = {}, options: RunOptions = {}) =>
  runHere(words.split(' '), {
    env: { DATA_DIR: folder, GATEPOST_KEYS: KEYS, ...more },
    ...options,
  });
const report = (words: string, more: Record<string, string> = {}) =>
  command(`audit report ${words}`, more);
const json = async (words: string) => JSON.parse((await report(`${words} --json`)).out);

describe('audit report', () => {
  test('says of each decision who asked, who decided and how they were entitled, by which rule and how fast', async () => {
    const { sections } = await json(OCTOBER);
    expect(sections.decisions).toEqual([
      {
        at: '2026-10-01T00:01:21.000Z',
        record: '0-aaaaaaaaaaaaaaaa',
        request: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/),
        route: 'production',
        title: 'Deploy <checkout> 4.2',
        source: 'deploys',
        requester: 'U0CLEO, repo:acme/shop',
        requesterIs: 'verified',
        outcome: 'APPROVED',
        credit: 'certain',
        deciders: [
          { user: 'U0ANA', through: 'named' },
          { user: 'U0BEN', through: 'S0SRE,channel', for: 'U0DANA' },
        ],
        tookMs: 141_000,
        digest: 'd-a',
        rules: 'r-prod-1',
      },
      expect.objectContaining({
        requesterIs: 'not known',
        outcome: 'REJECTED',
        deciders: [{ user: 'U0BEN', through: 'channel' }],
        rules: 'r-default',
      }),
      expect.objectContaining({ requesterIs: 'claimed', requester: 'U0ANA', digest: 'd-c' }),
      // It was asked before the log began.
      expect.objectContaining({ outcome: 'TIMED_OUT', deciders: [], tookMs: 9_000 }),
    ]);
  });

  test('counts requests by route and outcome, with the time that decisions took', async () => {
    const { requests, total } = await json(OCTOBER);
    const none = { TIMED_OUT: 0, WITHDRAWN: 0, APPROVED: 0, REJECTED: 0, open: 0 };
    expect(requests).toEqual([
      {
        ...none,
        route: 'production',
        asked: 3,
        APPROVED: 2,
        WITHDRAWN: 1,
        open: 1,
        medianSeconds: 141,
        p90Seconds: 180,
      },
      {
        ...none,
        route: 'default',
        asked: 1,
        REJECTED: 1,
        TIMED_OUT: 1,
        medianSeconds: 41,
        p90Seconds: 41,
      },
    ]);
    expect(total).toMatchObject({ asked: 4, APPROVED: 2, medianSeconds: 141, p90Seconds: 180 });
  });

  test('counts a request once that was withdrawn while its decision was sent, and says whose it was', async () => {
    const data = await mkdtemp(join(FOLDERS, 'gatepost-report-'));
    const F = '0-ffffffffffffffff';
    const asked = { route: 'production', title: 'Deploy 5', 'requester.known': false };
    await writeLog(data, [
      ['10-01T00:00:00', 'approvals.asked', F, 'deploys', asked],
      ['10-01T00:00:01', 'approvals.ballot', F, 'U0ANA', { action: 'approve', through: 'named' }],
      ['10-01T00:00:02', 'approvals.respond', F, 'U0ANA', { action: 'approve' }],
      ['10-01T00:00:03', 'approvals.withdrawn', F, 'deploys', {}],
      ['10-02T00:00:00', 'approvals.outcome', F, 'U0ANA', { ...asked, status: 'APPROVED' }],
    ]);
    const of = async (words: string) => {
      const { out } = await report(`${words} --json`, { DATA_DIR: data });
      return JSON.parse(out);
    };
    const both = await of(OCTOBER);
    expect(both.total).toMatchObject({ asked: 1, APPROVED: 1, WITHDRAWN: 0, open: 0 });
    expect(both.sections.decisions).toMatchObject([
      {
        title: 'Deploy 5',
        source: 'deploys',
        requesterIs: 'not known',
        deciders: [{ user: 'U0ANA', through: 'named' }],
        what: 'withdrawn before the outcome was known',
      },
    ]);
    const first = await of('--from 2026-10-01 --to 2026-10-01');
    expect(first.total).toMatchObject({ asked: 1, APPROVED: 0, WITHDRAWN: 1, open: 0 });
    const second = await of('--from 2026-10-02');
    expect(second.total).toMatchObject({ asked: 0, APPROVED: 1, WITHDRAWN: 0, open: 0 });
    await rm(data, { recursive: true });
  });

  test('has the rules in force, their changes, and their texts', async () => {
    const { rulesInForce, rulesTexts, sections } = await json(OCTOBER);
    expect(rulesInForce).toMatchObject({ at: '2026-09-28T08:00:01.000Z', rules: 'rules-1' });
    expect(sections.rules).toEqual([
      expect.objectContaining({
        rules: 'rules-2',
        what: 'changed: production; reloaded by run r1',
      }),
    ]);
    expect(rulesTexts).toEqual([
      { digest: 'r-people', route: null, rules: { identityEmails: 'confirmed' } },
      { digest: 'r-default', route: 'default', rules: { name: 'default', quorum: 1 } },
      { digest: 'r-prod-2', route: 'production', rules: { name: 'production', quorum: 2 } },
      { digest: 'r-prod-1', route: 'production', rules: { name: 'production', quorum: 1 } },
    ]);
  });

  test('lists self-approvals, holds undone, closed times and changed accounts', async () => {
    const { sections } = await json(OCTOBER);
    const said = (id: string) =>
      sections[id].map(({ who, what }: Record<string, string>) => [who, what]);
    expect(said('self-approvals')).toEqual([
      ['U0ANA', 'approved their own request'],
      ['U0BEN', 'reviewed that U0ANA approved their own request'],
    ]);
    expect(said('undone')).toEqual([['U0ANA', 'undid the decision of U0ANA']]);
    expect(sections.undone).toMatchObject([{ route: 'default', title: 'Drop the old index' }]);
    expect(said('closed')).toEqual([
      ['U0ADMIN', 'closed route production until 2026-10-08T06:00:00.000Z: freeze'],
    ]);
    expect(said('accounts')).toEqual([
      ['U0ADMIN', 'ended: what deactivate, account a-17, outcome deactivated'],
    ]);
  });

  test('keeps to a route, and to a time within a day', async () => {
    const { sections, requests, rulesTexts } = await json(`${OCTOBER} --route default`);
    expect(requests.map(({ route }: { route: string }) => route)).toEqual(['default']);
    expect(sections.decisions).toHaveLength(2);
    expect(sections['self-approvals']).toEqual([]);
    expect(sections.accounts).toHaveLength(1);
    expect(rulesTexts.map(({ route }: { route: string }) => route)).toEqual([null, 'default']);
    const hour = await json('--from 2026-10-03T12:00:00+02:00 --to 2026-10-03T10:01:00Z');
    expect(hour.sections.decisions).toMatchObject([{ outcome: 'REJECTED' }]);
    const nowhere = await report(`${OCTOBER} --route nowhere`);
    expect(nowhere.err).toContain('The log has no request on a route "nowhere" in this period.\n');
  });

  test('says whether the log verifies, how much of the period is sealed, and where the log begins', async () => {
    const { log, head } = await json('--from 2026-09-01 --to 2026-10-31');
    expect(log).toMatchObject({ ok: true, entries: 29 });
    expect(log.coverage).toEqual([
      'In this period: 29 entries, 22 of them sealed by a checkpoint.',
      'The log begins at 2026-09-28 08:00:00Z, after the period does: nothing was logged before.',
    ]);
    expect(`${head}\n`).toBe((await command('audit verify --head')).out);
  });

  test('is complete, says what is wrong and ends with 1 if the log does not verify', async () => {
    const data = await mkdtemp(join(FOLDERS, 'gatepost-report-'));
    await writeLog(data, QUARTER);
    const { root, audit: table } = openTables(data);
    const rows = [...table.getRange()];
    const [, , , , , , , , ninth] = rows;
    if (ninth === undefined) throw new Error('there are more');
    await root.transaction(() => table.removeSync(ninth.key));
    await root.close();
    const { code, out, err } = await report(OCTOBER, { DATA_DIR: data });
    await rm(data, { recursive: true });
    expect(code).toBe(1);
    expect(out).toContain('The log does not verify');
    expect(out).toContain('Entry 9 is missing.');
    expect(err).toContain('Entry 9 is missing.');
    expect(out).toMatch(/\n<!-- signature \S{88} -->\n$/);
  });

  test.each(['', ' --json', ' --csv'])(
    'is complete if rules that somebody forged cannot be read%s',
    async (form) => {
      const data = await mkdtemp(join(FOLDERS, 'gatepost-report-'));
      const forged = (facts: Facts, action = 'gatepost.rules') =>
        ['10-20T12:00:00', action, null, 'gatepost', facts] as const;
      await writeLog(data, [
        ...QUARTER.filter(([time]) => time < '10-20'),
        forged({ run: 'r1', to: 'rules-3', routes: '{"production":', people: 'r-people' }),
        forged({ run: 'r1', to: 'rules-4', routes: '{"production":{"a":1}}', people: 7 }),
        forged({ run: 'r1', to: 'rules-5', routes: '{"default":"r-forged"}', people: 'r-none' }),
        forged({ digest: 'r-forged', route: 'default', text: '{' }, 'gatepost.rules.text'),
      ]);
      const { code, out } = await report(`${OCTOBER}${form}`, { DATA_DIR: data });
      await rm(data, { recursive: true });
      expect(code).toBe(0);
      expect(out).toContain('its list of routes cannot be read');
      if (form !== ' --csv') expect(out).toMatch(/not readable["<.]/i);
    },
  );

  test('is a page without scripts and with nothing from outside, in which no title is markup', async () => {
    const { code, out } = await report(OCTOBER);
    expect(code).toBe(0);
    expect(out).not.toMatch(/<script|<img|<link|<iframe|https?:|url\(|<checkout>/i);
    expect(out).toContain('Deploy &#60;checkout&#62; 4.2');
    expect(out).toContain('U0BEN <i>member of S0SRE, the channel, in place of U0DANA</i>');
  });

  test('is one table as CSV, whose cells no spreadsheet takes for formulas', async () => {
    const { out } = await report('--from 2026-10-01 --csv');
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head).toMatch(/^section,time,route,request,record,title,/);
    expect(rows.filter((row) => row.startsWith('decisions,'))).toHaveLength(4);
    expect(rows.find((row) => row.startsWith('decisions,2026-10-01'))).toContain(
      'APPROVED,certain,U0ANA U0BEN,"named reviewer; member of S0SRE, the channel, in place of U0DANA",141,d-a,r-prod-1',
    );
    const columns = rows.map((row) => row.replaceAll(/"(?:[^"]|"")*"/g, '').split(',').length);
    expect(new Set(columns)).toEqual(new Set([head?.split(',').length]));
    expect(rows.at(-1)).toMatch(/^signature,/);
  });

  test.each([
    ['--from yesterday', /--from takes a day/],
    ['--from 2026-09-31', /--from takes a day/],
    ['--from 2026-10-01 --to 2026-10-01T25:00Z', /--to takes a day/],
    ['--from 2026-10-02 --to 2026-10-01', /--to is before --from/],
    ['--to 2026-10-01', /required option '--from/],
    ['--from 2026-10-01 --json --csv', /--json cannot be used with --csv/],
    ['--from 2999-01-01', /begins in the future/],
  ])('%s ends with 2', async (words, problem) => {
    const { code, out, err } = await report(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(problem);
  });

  test('ends with 2 without a key, because it could not be signed', async () => {
    const { code, out, err } = await report(OCTOBER, { GATEPOST_KEYS: '' });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^GATEPOST_KEYS is not set, so the report cannot be signed/);
  });
});

describe('audit verify --against', () => {
  let lines: readonly string[];
  const against = async (text: readonly string[], more: Record<string, string> = {}) => {
    const file = join(folder, 'audit.log');
    await writeFile(file, text.map((line) => `${line}\n`).join(''));
    const { code, out } = await command(`audit verify --against ${file}`, more);
    return { code, out: out.replaceAll(file, 'FILE') };
  };
  beforeAll(async () => {
    lines = (await command('audit export --format chain')).out.trimEnd().split('\n');
  });

  test('finds the same entries, however often and between other lines', async () => {
    const { code, out } = await against([
      '{"level":30}',
      'text',
      ...lines.slice(0, 20),
      ...lines.slice(5),
    ]);
    expect(code).toBe(0);
    expect(out).toContain(`\nThe same in FILE: ${lines.length} entries.\n`);
    expect(out).not.toMatch(/Only in the log|cannot be read/);
  });

  test('says which entries were removed before the file had them, and that is no fault', async () => {
    const { code, out } = await against([
      '{"audit":true,"shard":0,"marker":"removed","removed":{"from":2,"to":7}}',
      ...lines.slice(7),
    ]);
    expect(code).toBe(0);
    expect(out).toContain(
      '\nFILE says that entries 2 to 7 were removed from the log without being written there.\n',
    );
    expect(out).not.toMatch(/cannot be read/);
  });

  test('says which entries the file does not have, and that is no fault', async () => {
    const { code, out } = await against([
      ...lines.slice(3, 6),
      ...lines.slice(8, 10),
      '{"audit":true,"se',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('\nThe same in FILE: 5 entries.\n');
    expect(out).toContain(`\nOnly in the log: ${lines.length - 5} entries.\n`);
    expect(out).toContain('\nLines of FILE that cannot be read: 1.\n');
  });

  test.each<[string, () => readonly string[], RegExp]>([
    [
      'an entry that was changed since',
      () => lines.with(6, String(lines[6]).replace(/"link":"./, '"link":"z')),
      /^Entry 7 is not the one in FILE: the log was changed, or the store went back\.$/m,
    ],
    [
      'entries that were cut off since',
      () => [...lines, String(lines.at(-1)).replace(/"seq":\d+/, '"seq":99')],
      /^Entry 99 is in FILE, but the log ends at \d+: it was cut off, or lost by the store\.$/m,
    ],
    ['a file of another log', () => ['{"level":30}'], /^No entry of this log is in FILE\.$/m],
    [
      'a marker',
      () => [
        ...lines,
        '{"audit":true,"shard":0,"marker":"went-back","lost":{"seq":99}}',
        '{"audit":true,"shard":0,"seq":99,"time":1,"link":"-"}',
      ],
      /^FILE says that the store went back: it had lost entry 99\.$/m,
    ],
  ])('shows %s', async (_what, text, said) => {
    const { code, out } = await against(text());
    expect(code).toBe(1);
    expect(out).toMatch(said);
    expect(out).not.toMatch(/none of these is missing/);
  });

  describe('while the bot is running', () => {
    const entry = { action: 'approvals.a', record: null, actor: 'U1', facts: {} };
    /** Compares with lines of three entries; `meanwhile` happens once the log's ends were read. */
    async function compare(meanwhile: (store: Store) => Promise<void>, isEarly = false) {
      await using world = await openMemoryWorld();
      const [store] = world.stores;
      for (let n = 0; n < 3; n += 1) await store.writeAudit(entry);
      const file = join(folder, 'running.log');
      const kept = (await keptAudit(store)).map((each) => auditLine(0, each));
      await writeFile(file, kept.join(''));
      let reads = 0;
      const running: Store = new Proxy(store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (name !== 'auditChain') {
            return typeof member === 'function' ? member.bind(target) : member;
          }
          return async (shard: number) => {
            const chain = await target.auditChain(shard);
            reads += 1;
            if (reads > 1) return chain;
            await meanwhile(store);
            return isEarly ? await asOfTwo(chain) : chain;
          };
        },
      });
      const { signal } = new AbortController();
      // as: what a comparison uses
      const visit = { store: running, system, terminal: { signal } } as unknown as Visit;
      return await compareWith(visit, file);
    }
    /** The chain before its third entry was written. */
    async function asOfTwo(chain: AuditChain): Promise<AuditChain> {
      const found: KeptAuditEntry[] = [];
      for await (const each of chain.entries()) if (each.seq < 3) found.push(each);
      const [, second] = found;
      if (second === undefined) throw new Error('there are three');
      return {
        ...chain,
        head: { seq: 2, link: second.link },
        async *entries({ from } = {}) {
          yield* found.filter(({ seq }) => from === undefined || seq >= from.seq);
        },
      };
    }

    test('an entry that was written meanwhile is there', async () => {
      const { problems, sentences } = await compare(async () => undefined, true);
      expect(problems).toEqual([]);
      expect(sentences).toEqual([expect.stringMatching(/^The same in .*: 3 entries\.$/)]);
    });

    test('entries that retention removed meanwhile are no fault', async () => {
      const { problems, sentences } = await compare(async (store) => {
        const [, second] = await keptAudit(store);
        if (second !== undefined) await store.removeAudit(0, second);
      });
      expect(problems).toEqual([]);
      expect(sentences).toEqual([
        expect.stringMatching(/^The same in .*: 1 entry\.$/),
        'Removed by retention since: 2 entries.',
      ]);
    });

    test('a file whose entries are all removed is no fault', async () => {
      const { problems, sentences } = await compare(async (store) => {
        const third = (await keptAudit(store)).at(-1);
        if (third !== undefined) await store.removeAudit(0, third);
      });
      expect(problems).toEqual([]);
      expect(sentences).toContain('Removed by retention since: 3 entries.');
    });
  });

  test('ends with 2 without the file', async () => {
    const { code, err } = await command('audit verify --against /nowhere/audit.log');
    expect({ code, err }).toEqual({ code: 2, err: '/nowhere/audit.log does not exist.\n' });
  });
});
