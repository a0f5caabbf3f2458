import { readFile } from 'node:fs/promises';
import { laterRetriesMs } from '../silent-retry.ts';
import { PATIENT_CLAIMS } from '../store.ts';

const SCRIPT_NAMES = [
  'create',
  'signal',
  'find-due',
  'lease',
  'save',
  'defer',
  'read',
  'list',
  'overview',
  'unlist',
  'pace',
  'pause',
  'audit',
  'remove-audit',
  'replace',
  'store-time',
] as const;

export type ScriptName = (typeof SCRIPT_NAMES)[number];

export interface Script {
  readonly name: ScriptName;
  readonly lua: string;
}

/** Reads the scripts next to this file, each preceded by the shared constants and functions. */
export async function loadScripts({
  leaseMs,
}: {
  readonly leaseMs: number;
}): Promise<readonly Script[]> {
  const read = (name: string) =>
    readFile(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');
  const prelude = [
    `local LEASE_MS = ${leaseMs}`,
    `local PATIENT_CLAIMS = ${PATIENT_CLAIMS}`,
    `local function laterRetriesMs() return { ${laterRetriesMs().join(', ')} } end`,
    await read('prelude'),
    await read('lists'),
    await read('audit-chain'),
  ].join('\n');
  return Promise.all(
    SCRIPT_NAMES.map(async (name) => ({ name, lua: `${prelude}\n${await read(name)}` })),
  );
}
