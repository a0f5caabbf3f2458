/**
 * `npm run noticed`: plants each bug of a rule, and runs the tests that are said to notice it. The last line is JSON.
 * Exit code 1 if one of them passes, 2 for wrong usage.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RULE_PLANTS } from '../simulation/rule-plants.ts';

const USAGE = `npm run noticed -- [NAME…] [--among PATHS] [--processes P]

  NAME         planted bugs; default all
  --among      files and folders of tests, separated by commas, instead of the named one: prints which notice the bug
  --processes  how many at a time; default one for each core
`;

const root = fileURLToPath(new URL('../..', import.meta.url));

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { among, processes } = options;
  const names = options.names.values();
  let [tried, missed] = [0, 0];
  const tryThem = async () => {
    for (const name of names) {
      const red = await redWith(name, among ?? [`test/${RULE_PLANTS[name]?.noticedBy}`]);
      tried += 1;
      if (red.length === 0) missed += 1;
      const words = red.length > 0 ? `${name}: ${red.join(' ')}` : `Not noticed: ${name}`;
      process.stdout.write(`${words}\n`);
    }
  };
  await Promise.all(Array.from({ length: processes }, tryThem));
  process.stdout.write(
    `${JSON.stringify({ tried, noticed: tried - missed, notNoticed: missed })}\n`,
  );
  return missed > 0 ? 1 : 0;
}

function readOptions() {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      options: { among: text, processes: text },
      allowPositionals: true,
    });
    if (positionals.some((name) => RULE_PLANTS[name] === undefined)) return undefined;
    const processes = Number(values.processes ?? availableParallelism());
    if (!Number.isSafeInteger(processes) || processes < 1) return undefined;
    return {
      names: positionals.length > 0 ? positionals : Object.keys(RULE_PLANTS),
      among: values.among?.split(','),
      processes,
    };
  } catch {
    return undefined;
  }
}

/** The files of tests that fail with the bug. Throws if the tests could not run. */
async function redWith(plant: string, paths: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'noticed-'));
  const report = join(folder, 'report.json');
  try {
    const config = 'proof/mutation/planted.vitest.config.ts';
    const reported = ['--reporter=json', `--outputFile=${report}`];
    const child = spawn('npx', ['vitest', 'run', '--config', config, ...reported, ...paths], {
      cwd: root,
      env: { ...process.env, PLANT: plant },
      stdio: 'ignore',
    });
    await once(child, 'close');
    // as: the reporter's form
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
    const red = testResults.filter(({ assertionResults }) =>
      assertionResults.some(({ status }) => status === 'failed'),
    );
    return red.map(({ name }) => relative(root, name));
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}
