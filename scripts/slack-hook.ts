/**
 * The hooks of Slack's command line, as `.slack/hooks.json` names them: `slack run` takes the manifest and starts the
 * bot. What it appends to their command lines comes behind the hook's name.
 */

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** How often it looks whether its shell is still there. */
const LOOK_MS = 500;

const [hook = '', ...appended] = process.argv.slice(2);
// It is looked for upwards from where somebody is.
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
if (hook === 'get-manifest') await printManifest();
else if (hook === 'start') await start();
else fail(`There is no hook ${JSON.stringify(hook)}. Known: get-manifest, start.`);

/** As JSON, for Socket Mode. Between boundaries, if Slack's command line names one. */
async function printManifest(): Promise<void> {
  const { readManifest } = await import('../src/cli/manifest.ts');
  const { parse } = await import('yaml');
  const { protocol, boundary } = parseArgs({
    args: appended,
    options: { protocol: { type: 'string' }, boundary: { type: 'string' } },
    // Others name the folder, which is known, and what later versions add.
    strict: false,
  }).values;
  const manifest = JSON.stringify(parse(await readManifest(null)));
  const isBound = protocol === 'message-boundaries' && typeof boundary === 'string';
  process.stdout.write(isBound ? `${boundary}${manifest}${boundary}` : `${manifest}\n`);
}

/** Makes what is missing, and goes on as `gatepost start`. A signal before that ends it, and the next run goes on. */
async function start(): Promise<void> {
  const { createLogger, prettyOutput } = await import('../src/app/logger.ts');
  const { withEnvFile } = await import('../src/cli/env-file.ts');
  const { isForPerson } = await import('../src/cli/setup/setup-run.ts');
  const { settingsForSlackRun } = await import('../src/cli/setup/slack-run.ts');
  const { system } = await import('../src/core/lib/system.ts');
  stopWithShell();
  try {
    const given = { LOG_FORMAT: 'pretty', ...withEnvFile(['start'], process.env).env };
    const isPretty = given.LOG_FORMAT === 'pretty';
    const output = isPretty ? await prettyOutput(process.stdout) : process.stdout;
    const logger = createLogger('info', output);
    const env = await settingsForSlackRun(given, { system, logger });
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  } catch (error) {
    if (!isForPerson(error)) throw error;
    fail(error.message);
    return;
  }
  process.argv.splice(2, process.argv.length, 'start');
  await import('../src/main.ts');
}

/** Slack's command line sends its signals to the shell. Some shells pass none on, and are killed after five seconds. */
function stopWithShell(): void {
  const shell = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGINT');
  }, LOOK_MS);
  looking.unref();
}

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
