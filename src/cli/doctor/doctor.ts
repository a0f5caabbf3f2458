import type { Command } from 'commander';
import { filled } from '../../../ask/option-values.ts';
import { readConfig } from '../../app/configuration.ts';
import type { Config } from '../../core/config/config.ts';
import { fileVariable } from '../../core/config/environment.ts';
import { type ConfigProblem, formatProblems } from '../../core/config/read-config.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { System } from '../../core/lib/system.ts';
import { EnvFileError, envFiles } from '../env-file.ts';
import { whileShown } from '../moving-line.ts';
import { safeJson } from '../output.ts';
import { EXIT, type ExitCode, type Terminal } from '../terminal.ts';
import type { Checked } from './checks.ts';

interface DoctorOptions {
  readonly json?: true;
  readonly interactive?: boolean;
  readonly route?: string;
}

/** `doctor`: checks everything that `start` depends on, and says how to fix what is wrong. */
export function addDoctor(
  command: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
): void {
  command
    .option('--json', 'print one JSON object')
    .option('--interactive', 'post a button and wait until its press reaches the running bot')
    .option(
      '--route <name>',
      'with --interactive: ask on this route, and print all that happens',
      filled,
    )
    .action(async (options: DoctorOptions) => {
      if (options.route !== undefined && options.interactive !== true) {
        command.error('error: --route needs --interactive.');
      }
      onEnd(await doctor(terminal, system, options));
    });
}

async function doctor(
  terminal: Terminal,
  system: System,
  options: DoctorOptions,
): Promise<ExitCode> {
  const { stdout } = terminal;
  const { json, interactive = false } = options;
  const { checks, isReadable } = await examine(terminal, system, options);
  const ok = checks.every((check) => check.ok);
  const left = interactive ? '' : `${NOT_CHECKED}\n`;
  stdout.write(json ? safeJson({ ok, checks }) : `${checks.map(lineOf).join('')}${left}`);
  if (!isReadable) return EXIT.usage;
  return ok ? EXIT.done : EXIT.notDone;
}

/** With invalid keys, everything else can still be checked. */
async function examine(
  terminal: Terminal,
  system: System,
  { interactive = false, route: name }: DoctorOptions,
): Promise<{ readonly checks: readonly Checked[]; readonly isReadable: boolean }> {
  const { env, stderr, signal } = terminal;
  const asStart = readConfig(env, { command: 'start' });
  const problems = asStart.ok ? [] : asStart.problems;
  const ofKeys = problems.filter(({ name }) => name === KEYS || name === KEYS_FILE);
  const others = problems.filter((each) => !ofKeys.includes(each));
  const read = asStart.ok
    ? asStart
    : readConfig({ ...env, [KEYS]: undefined, [KEYS_FILE]: undefined }, { command: 'doctor' });
  const warnings = read.ok ? [...read.warnings, ...signingWarnings(read.config.slack)] : [];
  const own = [
    configCheck(others, warnings, terminal.envFile),
    keysCheck(ofKeys, asStart.ok ? asStart.config.keys.length : 0),
    await manifestCheck(terminal),
  ];
  const isReadable = problems.length === 0;
  if (!read.ok || others.length > 0) return { checks: own, isReadable };
  // Loaded here, so that other commands start fast without Slack's libraries.
  const { runChecks } = await import('./checks.ts');
  const checks = [
    ...own,
    ...(await whileShown(CHECKING, { terminal, system }, () => runChecks(read.config, system))),
  ];
  if (!interactive) return { checks, isReadable };
  const { checkRequests } = await import('./request-check.ts');
  const say = (sentence: string) => void stderr.write(`${sentence}\n`);
  const { config } = read;
  const route = config.routes.find((each) => each.name === name);
  if (name !== undefined && route === undefined) {
    const known = config.routes.map((each) => each.name).join(', ');
    const fix = `Choose from: ${known}.`;
    const unknown: Checked = { id: 'requests', ok: false, detail: 'there is no such route', fix };
    return { checks: [...checks, unknown], isReadable };
  }
  const needs = { signal, say, route, actor: `os:${terminal.user}@${terminal.host}` };
  return { checks: [...checks, await checkRequests(config, system, needs)], isReadable };
}

const NOT_CHECKED =
  'Not checked: whether presses in Slack reach the running bot. gatepost doctor --interactive does.';

/** Slack's are 32 hexadecimal digits, which its documentation does not promise. */
function signingWarnings({ mode, signingSecret }: Config['slack']): readonly string[] {
  if (mode !== 'http' || /^[\da-f]{32}$/i.test(signingSecret)) return [];
  return [
    "SLACK_SIGNING_SECRET is not 32 hexadecimal digits, as Slack's are: Slack's requests will be refused.",
  ];
}

const KEYS = 'GATEPOST_KEYS';
const KEYS_FILE = fileVariable(KEYS);
const CHECKING = 'Checking store, service and Slack (15 s at most)';

function configCheck(
  problems: readonly ConfigProblem[],
  warnings: readonly string[],
  file: string | undefined,
): Checked {
  if (problems.length > 0) {
    const detail = formatProblems(problems).trimEnd();
    const fix = 'Fix these settings. docs/configuration.md explains each one.';
    return { id: 'config', ok: false, detail, fix };
  }
  if (warnings.length > 0) {
    const fix = 'Change these settings, unless this is intended.';
    return { id: 'config', ok: true, detail: warnings.join(' '), fix };
  }
  const also = file === undefined ? '' : ` (the environment, and ${file})`;
  return { id: 'config', ok: true, detail: `all settings are valid${also}`, fix: null };
}

function keysCheck(problems: readonly ConfigProblem[], count: number): Checked {
  const [problem] = problems;
  if (problem !== undefined) {
    const { name, message } = problem;
    const fix = name === KEYS ? 'Make a key with: gatepost keys new' : `Correct ${name}.`;
    return { id: 'keys', ok: false, detail: `${name} ${message}`, fix };
  }
  if (count === 0) return { id: 'keys', ok: true, detail: 'understood', fix: null };
  const detail = count === 1 ? '1 key' : `${count} keys; the first one encrypts`;
  return { id: 'keys', ok: true, detail, fix: null };
}

/** The scopes are a row of their own: Slack shows them. */
async function manifestCheck({ env, envFile }: Terminal): Promise<Checked> {
  const id = 'manifest';
  const { givenManifest, manifestChanges } = await import('../setup/manifest-changes.ts');
  const given = orUnread(() => givenManifest(envFile ?? envFiles(env).at(-1) ?? ''));
  if (given instanceof EnvFileError) {
    const fix = 'Let the user who runs Gatepost read it.';
    return { id, ok: true, detail: `not compared: ${given.message} ${UNSEEN}`, fix };
  }
  if (given === undefined) {
    return {
      id,
      ok: true,
      detail: `not compared: there is no slack-app.json. ${UNSEEN}`,
      fix: null,
    };
  }
  const { lines } = await manifestChanges(given);
  if (lines.length === 0) return { id, ok: true, detail: 'the app is up to date', fix: null };
  const detail = `this version changes the app: ${lines.join(', ')}. ${UNSEEN}`;
  return { id, ok: true, detail, fix: 'Run gatepost setup --check, and paste the manifest.' };
}

function orUnread<Value>(read: () => Value): Value | EnvFileError {
  try {
    return read();
  } catch (error) {
    if (error instanceof EnvFileError) return error;
    throw error;
  }
}

const UNSEEN = 'Commands, events and buttons that Slack does not send show only when used';

/** One line, and below it what to do. */
function lineOf({ id, ok, detail, fix }: Checked): string {
  const state = ok ? (fix === null ? 'ok  ' : 'warn') : 'FAIL';
  const [first = '', ...more] = detail.split('\n').map(cleanLine);
  const lines = [`${state}  ${id.padEnd(9)}  ${first}`, ...more.map((line) => `${INDENT}${line}`)];
  if (fix !== null) lines.push(`${INDENT}→ ${fix}`);
  return lines.map((line) => `${line}\n`).join('');
}

const INDENT = ' '.repeat(17);
