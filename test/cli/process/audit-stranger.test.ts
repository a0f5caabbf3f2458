import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe.skipIf(!has('python3') || spawnSync('openssl', ['version']).error !== undefined)(
  'with what integrations/audit says',
  () => {
    test.each(['html', 'json', 'csv'])(
      'a stranger checks the signature with openssl, and the chain with Python: %s',
      async (form) => {
        const place = await mkdtemp(join(FOLDERS, 'gatepost-stranger-'));
        const [page, program] = await Promise.all(
          ['README.md', 'check-chain.py'].map((name) => readFile(new URL(name, AUDIT), 'utf8')),
        );
        const [, check = ''] = /```sh\n([\s\S]*?)```/.exec(page ?? '') ?? [];
        expect(program?.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
        const { out } = await command(
          `audit report ${OCTOBER}${form === 'html' ? '' : ` --${form}`}`,
        );
        const chain = (await command('audit export --format chain')).out;
        const head = (await command('audit verify --head')).out.trim();
        expect(out).toContain(head);
        const write = (name: string, text: string) => writeFile(join(place, name), text);
        await write('gatepost.pem', (await command('keys public')).out);
        await write('check-chain.py', program ?? '');
        const signature = async (text: string) => {
          await write('report.html', text);
          return run('sh', ['-euc', check], { cwd: place });
        };
        const chained = async (text: string) => {
          await write('log.jsonl', text);
          return run('python3', ['check-chain.py', 'log.jsonl', head], { cwd: place });
        };
        expect((await signature(out)).stdout).toContain('Signature Verified Successfully');
        await expect(signature(out.replace('U0ANA', 'U0EVE'))).rejects.toThrow();
        expect((await chained(chain)).stdout).toBe('The entries lead to this head.\n');
        // Among other lines, and some of them twice.
        const lines = chain.trimEnd().split('\n');
        const log = ['{"level":30}', 'no JSON', ...lines.slice(0, 5), ...lines.slice(3)];
        expect((await chained(log.join('\n'))).stdout).toBe('The entries lead to this head.\n');
        // Retention removed the first ones.
        expect((await chained(lines.slice(4).join('\n'))).stdout).toMatch(/^The entries lead/);
        for (const forged of [
          chain.replace('"U0BEN"', '"U0EVE"'),
          chain.replace('tookMs":41000', 'tookMs":4100'),
          lines.toSpliced(6, 1).join('\n'),
          lines.slice(0, -1).join('\n'),
        ]) {
          await expect(chained(forged)).rejects.toMatchObject({ code: 1 });
        }
        await rm(place, { recursive: true });
      },
    );
  },
);
