import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { creating, TEST_PROJECTS } from '../case-stage.ts';
import { ANA } from '../stage.ts';
import { type StoreName, startStage } from './stage.ts';

/** A bot that lets Ana create test cases, and may be killed. `more` is added to its settings. */
export async function startCases(store: StoreName, more: object = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-cases-'));
  const file = join(folder, 'gatepost.yaml');
  // JSON is YAML.
  const settings = {
    cases: { who: { users: [ANA] } },
    catalogue: { testProjects: TEST_PROJECTS },
    ...more,
  };
  await writeFile(file, JSON.stringify(settings));
  const stage = await startStage(store, { GATEPOST_CONFIG: file });
  const { sandbox, kill, restart, killedAt, killedAtSlack } = stage;
  return {
    ...creating(stage),
    sandbox,
    /** What a second bot on the same records is started with. */
    env: stage.env,
    /** SIGTERM. Gives the exit code. */
    stop: () => stage.bot.stop(),
    kill,
    restart,
    killedAt,
    killedAtSlack,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
