import type { Sandbox } from '../../../sandbox/sandbox.ts';

export type { RunOptions } from '../run-here.ts';

import { type Ran as RanHere, type RunOptions, runHere } from '../run-here.ts';

export interface Ran extends RanHere {
  /** Standard output for programs. */
  readonly rows: readonly Record<string, unknown>[];
}

/** Runs `people` in this process. */
export async function runPeople(
  sandbox: Sandbox,
  words: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const service = { SERVICE_URL: sandbox.serviceUrl, SCIM_TOKEN: sandbox.credentials.scimToken };
  const ran = await runHere(['people', ...words], {
    ...options,
    env: { ...service, ...options.env },
  });
  const rows = words.includes('--json') && ran.out !== '' ? JSON.parse(ran.out) : [];
  return { ...ran, rows };
}
