import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { csvReport } from '../../../src/cli/audit/report-format.ts';
import { reportKey } from '../../../src/core/store/report-key.ts';
import { FOLDERS } from '../folders.ts';
import { KEYS, QUARTER, writeLog } from '../quarter.ts';
import { runHere } from '../run-here.ts';

const run = promisify(execFile);
const AUDIT = new URL('../../../integrations/audit/', import.meta.url);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(FOLDERS, 'gatepost-report-'));
  await writeLog(folder, QUARTER);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const OCTOBER = '--from 2026-10-01 --to 2026-10-31';

const command = (words: string) =>
  runHere(words.split(' '), { env: { DATA_DIR: folder, GATEPOST_KEYS: KEYS } });

const has = (program: string) => spawnSync(program, ['-V']).error === undefined;

/** Last lines that others may write: only the lines before it are signed. */
const FORGED: Readonly<Record<string, (last: string) => readonly string[]>> = {
  html: (last) => [`<h1>Forged</h1>${last}`, `${last}<h1>Forged</h1>`],
  json: (last) => [
    `"total":{"asked":0},${last}`,
    last.replace('}', ',"total":{"asked":0}}'),
    last.replace('"}', '","sections":{}}'),
  ],
  csv: (last) => [
    last.replace(/^signature,*/, 'decisions,,,,,,,,,,,U0EVE,,,,,,'),
    `${last},forged`,
  ],
};

describe.skipIf(!has('python3') || spawnSync('openssl', ['version']).error !== undefined)(
  'a stranger checks the signature with openssl, and the chain with Python, as integrations/audit says',
  () => {
    let place: string;
    let check: string;
    const write = (name: string, text: string) => writeFile(join(place, name), text);
    beforeAll(async () => {
      place = await mkdtemp(join(FOLDERS, 'gatepost-stranger-'));
      const page = await readFile(new URL('README.md', AUDIT), 'utf8');
      [, check = ''] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
      await write('gatepost.pem', (await command('keys public')).out);
    });
    afterAll(() => rm(place, { recursive: true }));

    const signature = async (text: string) => {
      await write('report.html', text);
      return run('sh', ['-euc', check], { cwd: place });
    };
    const signed = { stdout: expect.stringContaining('Signature Verified Successfully') };

    test.each(Object.entries(FORGED))(
      'the signature of a report: %s',
      async (form, forgedLines) => {
        const { out } = await command(
          `audit report ${OCTOBER}${form === 'html' ? '' : ` --${form}`}`,
        );
        expect(out).toContain((await command('audit verify --head')).out.trim());
        await expect(signature(out)).resolves.toMatchObject(signed);
        await expect(signature(out.replace('U0ANA', 'U0EVE'))).rejects.toThrow();
        const [last = ''] = out.trimEnd().split('\n').slice(-1);
        for (const forged of forgedLines(last)) {
          await expect(signature(out.replace(last, forged)), forged).rejects.toThrow();
        }
      },
    );

    test('a signature that CSV takes for a formula is read, too', async () => {
      const key = reportKey({ id: 'k1', key: Buffer.alloc(32, 7) });
      for (let number = 0; ; number += 1) {
        const body = `report,${number}\n`;
        const sign = key.sign(createHash('sha256').update(body).digest()).toString('base64');
        if (!sign.startsWith('+')) continue;
        const line = csvReport().signature(sign);
        expect(line).toContain("'+");
        await expect(signature(body + line)).resolves.toMatchObject(signed);
        return;
      }
    });

    describe('the chain', () => {
      let head: string;
      let lines: readonly string[];
      const program = new URL('check-chain.py', AUDIT).pathname;
      const chained = async (log: readonly string[], to = head) => {
        await write('log.jsonl', log.join('\n'));
        return run('python3', [program, 'log.jsonl', to], { cwd: place });
      };
      const leads = (...notes: readonly string[]) => ({
        stdout: `${['The entries lead to this head.', ...notes].join(' ')}\n`,
      });
      const named = (line: string) => line.replace(/"actor":"[^"]*"/, '"actor":"U0EVE"');
      /** With a link of its own, which needs no key. */
      const linked = (line: string, before: string) => {
        const { time, seq, action, record, actor, mac } = JSON.parse(line);
        const [, facts] = /,"facts":(.*)}$/.exec(line) ?? [];
        const said = [before, `${time}-${seq}`, action, record ?? '', actor, facts, mac].join('\n');
        const link = createHash('sha256').update(said).digest('hex');
        return line.replace(/"link":"[^"]*"/, `"link":"${link}"`);
      };
      const linkOf = (line = '') => JSON.parse(line).link;
      beforeAll(async () => {
        lines = (await command('audit export --format chain')).out.trimEnd().split('\n');
        head = (await command('audit verify --head')).out.trim();
      });

      test('is checked by a short program', async () => {
        const text = await readFile(program, 'utf8');
        expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
      });

      test('is found whole, also with repeated and other lines', async () => {
        await expect(chained(lines)).resolves.toMatchObject(leads());
        const log = ['{"level":30}', 'no JSON', ...lines.slice(0, 5), ...lines.slice(3)];
        await expect(chained(log)).resolves.toMatchObject(leads());
        expect(linkOf(linked(lines[3] ?? '', linkOf(lines[2])))).toBe(linkOf(lines[3]));
      });

      test('is whole, with a word about what is not proved', async () => {
        const first = 'Nothing shows whether entry 5 of shard 0, the first here, was changed.';
        await expect(chained(lines.slice(4))).resolves.toMatchObject(leads(first));
        await expect(chained([...lines.slice(4), ...lines.slice(4)])).resolves.toMatchObject(
          leads(first),
        );
        const last = lines.slice(-1).map(named);
        await expect(chained(last)).resolves.toMatchObject(
          leads(first.replace('5', String(lines.length))),
        );
        await expect(chained(lines, `0:9:${linkOf(lines[8])}`)).resolves.toMatchObject(
          leads('Nothing shows whether what is after entry 9 of shard 0 was changed.'),
        );
        await expect(chained([...lines, '{"audit":true,"action":"x"}'])).resolves.toMatchObject(
          leads('Lines about the log that are not entries, and not checked: 1.'),
        );
      });

      test.each<[string, (log: readonly string[]) => readonly string[]]>([
        ['a changed actor', (log) => log.with(9, named(log[9] ?? ''))],
        ['changed facts', (log) => log.map((line) => line.replace('Ms":41000', 'Ms":4100'))],
        ['a missing entry', (log) => log.toSpliced(6, 1)],
        ['a missing end', (log) => log.slice(0, -1)],
        [
          'the last entry first, and all changed',
          (log) => [log.at(-1) ?? '', ...log.slice(0, -1)].map(named),
        ],
        [
          'the last entry first, and only it changed',
          (log) => [named(log.at(-1) ?? ''), ...log.slice(0, -1)],
        ],
        ['a changed copy behind', (log) => [...log, named(log[9] ?? '')]],
        ['a changed copy before', (log) => log.toSpliced(9, 0, named(log[9] ?? ''))],
        [
          'a changed copy of the first of a shortened log',
          (log) => [...log.slice(4), named(log[4] ?? '')],
        ],
        [
          'a changed copy with its own link',
          (log) => log.toSpliced(9, 0, linked(named(log[9] ?? ''), linkOf(log[8]))),
        ],
        ['an entry 0', (log) => [named(log[0] ?? '').replace('"seq":1', '"seq":0'), ...log]],
        [
          'a shard without a head',
          (log) => [...log, (log[0] ?? '').replace('"shard":0', '"shard":1')],
        ],
      ])('is not whole with %s', async (_, forge) => {
        const forged = forge(lines);
        expect(forged).not.toEqual(lines);
        await expect(chained(forged)).rejects.toMatchObject({ code: 1 });
      });
    });
  },
);
