import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A channel takes one post a second: many of them let a chaos be short. */
export const CHAOS_CHANNELS: readonly string[] = Array.from(
  { length: 15 },
  (_, at) => `C0CHAOS${at}`,
);

const SETTINGS = `
sources:
  - { id: default, secret: GATEPOST_INTAKE_SECRET, routes: [default], channels: [${CHAOS_CHANNELS}] }
routes:
  default:
    channel: C0DEPLOYS
    reviewers: { users: [U0ANA, U0BEN] }
    reason: { reject: none }
budget: { perMinute: 3000 }
retention: { decided: 1s }
`;

/** A gatepost.yaml with what the environment cannot say; `env` names it. */
export async function chaosSettings() {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-chaos-'));
  const path = join(folder, 'gatepost.yaml');
  await writeFile(path, SETTINGS);
  return {
    env: { GATEPOST_CONFIG: path, GATEPOST_OUTCOME_CHANNEL: undefined },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
