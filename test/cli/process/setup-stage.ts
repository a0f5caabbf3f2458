import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseEnv } from 'node:util';
import type { SlackSandbox, SlackSandboxOptions } from '../../../sandbox/slack-sandbox.ts';
import { startSlackSandbox } from '../../../sandbox/start-slack-sandbox.ts';
import { type Program, runProgram } from '../../e2e/crash/run-program.ts';
import { PROGRAM } from '../../support/program.ts';
import { type Pty, startPty } from '../../support/pty.ts';

/** A workspace without the app, an empty folder, and somebody who sets Gatepost up in it, in a terminal. */

const program = new URL(`../../../${PROGRAM}`, import.meta.url).pathname;

export const CHANNEL = 'C0DEPLOYS';

interface Credentials {
  readonly bot: string;
  readonly app: string;
  readonly secret: string;
}

export interface SetupStage extends AsyncDisposable {
  readonly sandbox: SlackSandbox;
  readonly folder: string;
  /** The built program. */
  readonly program: string;
  /** Runs `gatepost setup` with these words. */
  setup(words?: string, env?: Readonly<Record<string, string>>): Pty;
  /** Runs `gatepost start` in the same folder. */
  start(): Program;
  /** The variables in `.env`; null: there is none. */
  settings(): Promise<Readonly<Record<string, string | undefined>> | null>;
  /** Opens the link that the terminal shows, presses Create and Install, and copies what the page shows. */
  create(pty: Pty): Promise<Credentials>;
  /** Creates the app, pastes both tokens, and waits until it is ready for the invitation. */
  untilInvitation(pty: Pty): Promise<Credentials>;
  /** Ana presses a button of the only message in the channel. */
  press(label: string): Promise<void>;
}

export async function startSetupStage(options: SlackSandboxOptions = {}): Promise<SetupStage> {
  const sandbox = await startSlackSandbox({ isInstalled: false, requestUrl: null, ...options });
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-setup-'));
  const SLACK_API_URL = sandbox.slackApiUrl.replace(/\/$/, '');
  const running: Pty[] = [];
  const stage: SetupStage = {
    sandbox,
    folder,
    program,
    setup(words = '', env = {}) {
      const more = words.split(' ').filter(Boolean);
      const pty = startPty([process.execPath, program, 'setup', ...more], {
        cwd: folder,
        env: { SLACK_API_URL, ...env },
      });
      running.push(pty);
      return pty;
    },
    start: () => {
      const env = { SLACK_API_URL, HOST: '127.0.0.1', PORT: '0' };
      return runProgram([program, 'start'], env, process.execPath, folder);
    },
    async settings() {
      const file = join(folder, '.env');
      if (!existsSync(file)) return null;
      return parseEnv(await readFile(file, 'utf8'));
    },
    async create(pty) {
      await pty.see(/Bot token/);
      const [, manifest = ''] = /manifest_json=(\S+)/.exec(pty.shown) ?? [];
      const body = new URLSearchParams({ manifest_json: decodeURIComponent(manifest) });
      const page = await (await fetch(`${sandbox.url}/apps`, { method: 'POST', body })).text();
      const shown = (id: string) => new RegExp(`id="${id}">([^<]+)<`).exec(page)?.[1] ?? page;
      return { bot: shown('bot-token'), app: shown('app-token'), secret: shown('signing-secret') };
    },
    async untilInvitation(pty) {
      const tokens = await stage.create(pty);
      pty.type(`${tokens.bot}\r`);
      await pty.see(/App token/);
      pty.type(`${tokens.app}\r`);
      await pty.see(/Waiting/);
      return tokens;
    },
    async press(label) {
      const [message] = sandbox.workspace.messages(CHANNEL);
      await sandbox.workspace.click({
        user: 'U0ANA',
        channel: CHANNEL,
        ts: message?.ts ?? '',
        label,
      });
    },
    async [Symbol.asyncDispose]() {
      for (const pty of running) await pty[Symbol.asyncDispose]();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return stage;
}
