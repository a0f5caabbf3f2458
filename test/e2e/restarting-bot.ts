import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/configuration.ts';
import { createLogger } from '../../src/app/logger.ts';
import { timingAt } from '../../src/core/lib/timing.ts';
import { botAddress, botEnvironment } from '../support/bot-config.ts';
import { driving, startPatientSandbox, type World } from '../support/world.ts';

/** A sandbox, and a bot on one folder that is restarted with other settings. */
export interface RestartingBot
  extends AsyncDisposable,
    Pick<World, 'sandbox' | keyof ReturnType<typeof driving>> {
  /** `settings` is the text of its gatepost.yaml; without it there is none. */
  restart(env: Readonly<Record<string, string | undefined>>, settings?: string): Promise<void>;
  /** Like SIGHUP, with another text of its gatepost.yaml. */
  reload(settings: string): Promise<void>;
  stop(): Promise<void>;
  /** All of its log lines so far. */
  readonly log: readonly string[];
}

export async function startRestartingBot(): Promise<RestartingBot> {
  const sandbox = await startPatientSandbox();
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-restarts-'));
  const path = join(folder, 'gatepost.yaml');
  const log: string[] = [];
  let app: Awaited<ReturnType<typeof startApp>> | undefined;
  let reread = () => readConfig({}, { command: 'start' });
  const stop = async () => {
    await app?.stop();
    app = undefined;
  };
  return {
    sandbox,
    ...driving(sandbox),
    async restart(env, settings) {
      await stop();
      if (settings !== undefined) await writeFile(path, settings);
      const file = settings === undefined ? {} : { GATEPOST_CONFIG: path };
      const all = botEnvironment(sandbox, { DATA_DIR: join(folder, 'data'), ...file, ...env });
      reread = () => readConfig(all, { command: 'start' });
      const read = reread();
      if (!read.ok) throw new Error(`bad configuration: ${JSON.stringify(read.problems)}`);
      const logger = createLogger('info', { write: (line: string) => log.push(line) });
      app = await startApp({ config: read.config, logger, timing: timingAt(0.1) });
      sandbox.connectBot(botAddress(app.url));
    },
    async reload(settings) {
      await writeFile(path, settings);
      await app?.reload(reread());
    },
    stop,
    log,
    async [Symbol.asyncDispose]() {
      await stop();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
